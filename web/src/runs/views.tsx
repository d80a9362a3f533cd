// Runs of experiments: the list, the report of one, and several side by side.

import { useEffect, useRef } from "preact/hooks";
import type { RunEntry } from "../api";
import { path } from "../api";
import { ChoiceTable, useChosen } from "../choicetable";
import { Clock } from "../clock";
import { Busy, Facts, Fault } from "../parts";
import { duration } from "../quantity";
import { address } from "../route";
import { useAsked } from "../useasked";

interface Runs {
  runs: RunEntry[];
}

/** `3 of 6 claims hold, 1 fails, 2 disturbed`. */
export function claims({ claims }: Pick<RunEntry, "claims">): string {
  const { yes, no, disturbed, unknown } = claims ?? { yes: 0, no: 0, disturbed: 0, unknown: 0 };
  const all = yes + no + disturbed + unknown;
  const rest = [no && `${no} ${no === 1 ? "fails" : "fail"}`, disturbed && `${disturbed} disturbed`, unknown && `${unknown} cannot be computed`];
  return all === 0 ? "no claims" : [`${yes} of ${all} claims hold`, ...rest.filter(Boolean)].join(", ");
}

const mark = (run: RunEntry): string => (run.problem || run.claims?.no ? "bad" : run.claims?.unknown || run.claims?.disturbed ? "dim" : "good");

const headings = (clock: Clock) => [
  { text: "scenario" },
  { text: "claims" },
  { text: "backend" },
  { text: "scale", more: true },
  { text: "kernel", more: true },
  { text: `started (${clock.name})`, more: true },
  { text: "steps lasted", num: true, more: true },
];

function cells(run: RunEntry, clock: Clock) {
  return (
    <>
      <td class={mark(run)}>{run.problem ? run.problem.what : claims(run)}</td>
      <td>{run.backend}</td>
      <td class="more">{run.scale}</td>
      <td class="more">{run.kernel}</td>
      <td class="more">{run.started_ms === undefined ? "" : clock.text(run.started_ms)}</td>
      <td class="num more">{run.took_ms === undefined ? "" : duration(run.took_ms)}</td>
    </>
  );
}

export function RunList() {
  const { value, error } = useAsked<Runs>("/api/runs");
  const { chosen, choose } = useChosen();
  const clock = new Clock(null);
  if (error) return <Fault error={error} />;
  if (!value) return <Busy what="Reading the runs" />;
  if (value.runs.length === 0) {
    return (
      <div class="empty">
        <h1>No runs in the served folders.</h1>
        <p>
          Make one: <code>pagetide lab run buffered-read --scale 1/8 --out run/buffered-read</code>, then serve its folder: <code>pagetide serve run</code>.
        </p>
      </div>
    );
  }
  const count = (status: "no" | "disturbed") => value.runs.filter((run) => (run.claims?.[status] ?? 0) > 0).length;
  const [failed, disturbed] = [count("no"), count("disturbed")];
  const verdicts = [failed && `claims fail in ${failed}`, disturbed && `the host disturbed claims in ${disturbed}`].filter(Boolean).join("; ");
  return (
    <>
      <h1>
        {value.runs.length} {value.runs.length === 1 ? "run" : "runs"}; {verdicts || "all computed claims hold"}.
      </h1>
      <p class="actions">
        <a class="button" aria-disabled={chosen.length < 2} href={chosen.length < 2 ? undefined : address(["compare-runs"], { run: chosen })}>
          Compare {chosen.length || ""}
        </a>
        <span class="dim">{chosen.length < 2 ? "Choose two or more runs of one scenario." : ""}</span>
      </p>
      <ChoiceTable
        caption="Runs"
        headings={headings(clock)}
        entries={value.runs}
        name={(run) => run.scenario || run.folder}
        href={(run) => address(["run", run.id])}
        label={(run) => run.folder}
        cells={(run) => cells(run, clock)}
        chosen={chosen}
        choose={choose}
      />
    </>
  );
}

/** A report in a frame of its full height, so that it scrolls with the page. The height is the only message that the page takes from it. */
function Report({ title, src }: { title: string; src: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const tell = ({ source, data }: MessageEvent) => {
      const height = Number((data as { height?: unknown } | null)?.height);
      if (source !== frame.current?.contentWindow || !Number.isFinite(height)) return;
      frame.current!.style.height = `${Math.min(Math.max(Math.ceil(height), 200), 200_000)}px`;
    };
    addEventListener("message", tell);
    return () => removeEventListener("message", tell);
  }, []);
  return <iframe ref={frame} class="report" title={title} sandbox="allow-scripts" src={src} />;
}

export function RunView({ id }: { id: string }) {
  const { value, error } = useAsked<Runs>("/api/runs");
  const run = value?.runs.find((run) => run.id === id);
  if (error) return <Fault error={error} />;
  if (!value) return <Busy what="Reading the run" />;
  if (run?.problem) return <Fault error={run.problem} />;
  if (!run) return <Fault error={{ what: "The served folders have no run at this address.", hint: "choose one from the list" }} />;
  const report = `/run/${encodeURIComponent(id)}/report`;
  return (
    <>
      <h1>
        {run.scenario ?? run.folder}: {claims(run)}.
      </h1>
      {run.title && <p>{run.title}</p>}
      <Facts
        facts={[
          ["backend", run.backend ?? "–"],
          ["scale", run.scale ?? "–"],
          ["kernel", run.kernel ?? "–"],
          ["steps lasted", run.took_ms === undefined ? "–" : duration(run.took_ms)],
          ["folder", run.folder],
        ]}
      />
      <p class="actions">
        {run.recording_id && (
          <a class="button" href={address(["recording", run.recording_id])}>
            Open its recording
          </a>
        )}
        <a class="button" href={report} target="_blank" rel="noopener">
          Report in a tab of its own
        </a>
      </p>
      <Report title={`Report of ${run.scenario ?? run.folder}`} src={report} />
    </>
  );
}

export function RunComparison({ ids }: { ids: string[] }) {
  if (ids.length < 2) return <Fault error={{ what: "A comparison needs two runs.", hint: "choose them in the list of runs" }} />;
  const page = path("/compare", { run: ids });
  return (
    <>
      <h1>Comparison of {ids.length} runs</h1>
      <p class="actions">
        <a class="button" href={page} target="_blank" rel="noopener">
          Comparison in a tab of its own
        </a>
      </p>
      <Report title="Comparison of runs" src={page} />
    </>
  );
}
