// One recording: the verdict, linked plots of the range in the address with the chain over them, and tables of processes and groups.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Diagnosis, Finding, Info, Mark, MarksAnswer, TopAnswer } from "../api";
import { path } from "../api";
import { Clock } from "../clock";
import { hueOf, kindOf, nameOf, names, type Roles } from "../culprits";
import { Busy, Facts, Fault } from "../parts";
import { LinkedPlots } from "../plot/linked";
import type { Stretch } from "../plot/overlay";
import type { Range } from "../plot/range";
import { dated, first, occasions, sampled } from "../plot/range";
import { coloured, drawnDisks, lostTime, panels, processReads } from "../plot/panels";
import { duration, quantity } from "../quantity";
import { address, go, range as rangeOf } from "../route";
import { DataTable } from "../table";
import { useAsked } from "../useasked";
import type { Pointed } from "./diagnosis";
import { DiagnosisPane, Verdict } from "./diagnosis";
import { RangeBar } from "./rangebar";
import { useBusy, useSeries } from "./useseries";

/** The longest range that the server diagnoses in one request, without its gaps. */
const DIAGNOSED = 24 * 3_600_000;
/** The longest range for which the server has rows of processes and groups. */
const PROCESSES = 2 * 3_600_000;
/** Interval of requests for a growing recording while its end is visible, ms. */
const REFRESH = 5000;
const NO_MARKS: Mark[] = [];
const TABLES: [string, string, string][] = [
  ["process", "Processes", "process"],
  ["cgroup", "Control groups", "group"],
  ["disk", "Disks", "disk"],
  ["zone", "Zones", "zone"],
];

export function RecordingView({ id, query }: { id: string; query: URLSearchParams }) {
  const [again, setAgain] = useState(0);
  const info = useAsked<Info>(`/api/recording/${encodeURIComponent(id)}/info`, again);
  const growing = info.value?.growing ?? false;
  useEffect(() => {
    if (!growing) return;
    const timer = setInterval(() => document.hidden || setAgain((again) => again + 1), REFRESH);
    return () => clearInterval(timer);
  }, [growing]);
  if (!info.value) return info.error ? <Fault error={info.error} /> : <Busy what="Reading the recording" />;
  return <Recording info={info.value} query={query} again={again} />;
}

function Recording({ info, query, again }: { info: Info; query: URLSearchParams; again: number }) {
  const clock = useMemo(() => new Clock(info.time_zone), [info.time_zone?.name, info.time_zone?.utc_offset_s]);
  const whole: Range = { from: info.from_ms, to: Math.max(info.to_ms, info.from_ms + 1) };
  const chosen = rangeOf(query);
  const gaps = info.gaps.map((gap) => ({ from: gap.from_ms, to: gap.to_ms }));
  const parts = occasions(whole, gaps);
  const selected = query.has("finding") ? Number(query.get("finding")) : null;
  const table = query.get("table") ?? "process";
  const sort = query.get("sort");
  const chainShown = query.get("chain") !== "0";

  // Of a recording with samples of more than a day only an occasion is diagnosed, or a range that the reader asked for.
  const unasked = [whole, first(parts)].find((one) => sampled(one, gaps) <= DIAGNOSED) ?? null;
  const [from, to] = (query.get("diagnosed") ?? "").split("-").map(Number);
  const asked = from && to ? { from, to } : null;
  const diagnosed = asked ?? unasked;
  const diagnosis = useAsked<Diagnosis>(diagnosed && path(`/api/recording/${encodeURIComponent(info.id)}/diagnosis`, diagnosed === whole ? {} : { from: diagnosed.from, to: diagnosed.to }), info.growing && !asked ? Math.floor(again / 6) : 0);
  const found = diagnosis.value;
  const start = parts.length > 1 ? first(parts, found ? onset(found) : undefined) : whole;
  const range = chosen ?? start;
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const plots = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.round((entry?.contentRect.width ?? 0) / 100) * 100));
    sizes.observe(plots.current!);
    return () => sizes.disconnect();
  }, []);

  // All changes of the view go through the address, so that each view can be copied.
  const show = (change: Record<string, string | number | null>, replace = false) => {
    const now = { from: query.get("from"), to: query.get("to"), diagnosed: query.get("diagnosed"), finding: selected, table: query.get("table"), sort, chain: query.get("chain") };
    go(address(["recording", info.id], { ...now, ...change }), replace);
  };
  const onRange = (next: Range | null) => {
    const all = !next || (next.from <= whole.from && next.to >= whole.to);
    const unset = all && start.from === whole.from && start.to === whole.to;
    show(unset ? { from: null, to: null } : all ? { from: whole.from, to: whole.to } : { from: Math.round(next.from), to: Math.round(next.to) });
  };
  const onSelect = (finding: Finding) => {
    show({ finding: finding.id }, true);
    document.getElementById(`finding-${finding.id}`)?.scrollIntoView({ block: "nearest" });
  };

  const marks = useAsked<MarksAnswer>(`/api/recording/${encodeURIComponent(info.id)}/marks`, info.growing ? Math.floor(again / 6) : 0);

  const damaged = [...new Set([...(marks.value?.damaged ?? []), ...(found?.damaged ?? [])])];

  const disks = useMemo(() => info.entities.disk.map((disk) => disk.entity), [info.entities.disk.map((disk) => disk.entity).join("\n")]);
  const roles: Roles | null = found;
  const named = [...(roles?.culprits ?? []), ...(roles?.victims ?? [])].filter((actor) => actor.kind === "disk").map(nameOf);
  // The server reads rows of processes from the samples, so it has them for short ranges only.
  const readers = useAsked<TopAnswer>(range.to - range.from <= PROCESSES ? path(`/api/recording/${encodeURIComponent(info.id)}/top`, { table: "process", from: Math.round(range.from), to: Math.round(range.to), sort: "read/s", limit: 5 }) : null);
  const reading = (readers.value?.rows ?? []).filter((row) => row.cells[readers.value!.columns.findIndex((column) => column.name === "read/s")]);
  const most = drawnDisks(disks, useBusy(info.id, disks, range), named);
  const all = useMemo(
    () => [...(found?.lost ? [lostTime(found.lost)] : []), ...coloured(panels(most, reading.length ? [processReads(reading)] : [], disks.length), hueOf(roles))],
    [most.join("\n"), disks, found, reading.map((row) => row.entity).join("\n")],
  );
  const touches = range.to >= whole.to - info.interval_ms;
  const shown = useSeries(info.id, all, range, Math.min(2000, Math.max(200, width)), info.growing && touches ? again : 0);
  const long = range.to - range.from > PROCESSES && (table === "process" || table === "cgroup");
  const coloursOf = names(roles);

  const stretches: Stretch[] = [
    ...(found?.incidents ?? []).map((incident): Stretch => ({ from_ms: incident.from_ms, to_ms: incident.to_ms, kind: "incident" })),
    ...(pointed ? [{ ...pointed, kind: "pointed" as const }] : []),
  ];
  const point = (finding: Finding | null) => setPointed(finding && { from_ms: finding.from_ms, to_ms: finding.to_ms });
  const half = (range.to - range.from) / 2;
  const comparison = address(["compare"], {
    a: info.id,
    af: Math.round(chosen ? Math.max(whole.from, range.from - 2 * half) : range.from),
    at: Math.round(chosen ? range.from : range.from + half),
    b: info.id,
    bf: Math.round(chosen ? range.from : range.from + half),
    bt: Math.round(range.to),
  });
  return (
    <div class="recording">
      {damaged.map((line) => (
        <p class="damaged" key={line}>
          <b class="bad">Damaged:</b> {line}
        </p>
      ))}
      {found ? (
        <Verdict diagnosis={found} names={coloursOf} />
      ) : (
        <div class="verdict">
          <h1>{info.name}</h1>
          {diagnosis.error ? <Fault error={diagnosis.error} /> : diagnosis.busy ? <Busy what="Diagnosing" /> : <p class="dim">A diagnosis reads at most 24 h at once.</p>}
        </div>
      )}
      {diagnosed && found && diagnosed !== whole && <p class="dim part">This is the diagnosis of {span(diagnosed, clock)} alone.</p>}
      {parts.length > 1 && (
        <p class="dim part">
          The recording has {parts.length} occasions:{" "}
          {parts.map((part) => (
            <button
              type="button"
              class="link"
              key={part.from}
              aria-current={part.from === range.from && part.to === range.to}
              onClick={() => show({ from: part.from, to: part.to, ...(unasked !== whole && { diagnosed: part.to - part.from <= DIAGNOSED ? `${part.from}-${part.to}` : null }) })}
            >
              {span(part, clock)}
            </button>
          ))}
        </p>
      )}
      <Facts
        facts={[
          ["recording", info.name],
          ["host", info.host || "–"],
          ["kernel", info.kernel || "–"],
          ["CPUs", info.cpus ?? "–"],
          ["memory", quantity(info.memory_bytes, "bytes")],
          ["recorded", `${duration(parts.reduce((sum, part) => sum + part.to - part.from, 0))}${parts.length > 1 ? ` on ${parts.length} occasions` : ""}, a sample every ${duration(info.interval_ms)}${info.growing ? ", growing" : ""}`],
          ["a point is", !shown.step ? "–" : shown.step <= info.interval_ms * 1.5 ? "a sample" : `the mean of ${duration(shown.step)}, with its minimum and maximum`],
        ]}
      />
      <div class="controls">
        <RangeBar range={range} whole={whole} clock={clock} resolution={info.interval_ms} onRange={onRange} />
        <span class="buttons">
          {!unasked && (
            <button type="button" class="button" disabled={sampled(range, gaps) > DIAGNOSED} onClick={() => show({ diagnosed: `${Math.round(range.from)}-${Math.round(range.to)}` })}>
              Diagnose this range
            </button>
          )}
          {found && found.chain.length > 0 && (
            <button type="button" class="button" aria-pressed={chainShown} onClick={() => show({ chain: chainShown ? "0" : null }, true)}>
              Chain
            </button>
          )}
          <a class="button" href={comparison}>
            Compare
          </a>
        </span>
      </div>
      {shown.error && <Fault error={shown.error} />}
      <div class={`columns${found ? "" : " alone"}`}>
        <div class={`plots${shown.busy ? " busy" : ""}`} ref={plots} aria-busy={shown.busy}>
          {range.to < whole.from || range.from > whole.to ? (
            <p class="dim">
              The recording has no samples in this range: it is from {clock.text(whole.from)} to {clock.text(whole.to)}.
            </p>
          ) : (
            <LinkedPlots
              panels={all}
              frame={shown.frame}
              range={range}
              whole={whole}
              resolution={info.interval_ms}
              clock={clock}
              height={120}
              marks={marks.value?.marks ?? NO_MARKS}
              findings={found?.findings ?? []}
              diagnosis={chainShown ? found : null}
              names={coloursOf}
              stretches={stretches}
              pointedStage={pointed?.stage ?? null}
              selected={selected}
              onRange={onRange}
              onPoint={point}
              onSelect={onSelect}
            />
          )}
        </div>
        {found && <DiagnosisPane diagnosis={found} marks={marks.value?.marks ?? NO_MARKS} panels={all} names={coloursOf} clock={clock} selected={selected} onPoint={setPointed} onSelect={onSelect} onShow={(from, to) => onRange(about({ from, to }, whole))} />}
        <div class="below">
          <div class="choices tabs" role="group" aria-label="Table of the range">
            {TABLES.map(([name, title]) => (
              <button type="button" key={name} aria-pressed={table === name} onClick={() => show({ table: name === "process" ? null : name, sort: null }, true)}>
                {title}
              </button>
            ))}
          </div>
          {long ? (
            <p class="dim long">Processes and groups are listed for ranges of at most 2 h: zoom in.</p>
          ) : (
            <RangeTable key={table} {...{ info, table, range, sort, roles }} onSort={(column) => show({ sort: column }, true)} />
          )}
        </div>
      </div>
    </div>
  );
}

/** Processes or groups in the range. Each table is its own component, or it would be sorted by a column of the previous one. */
function RangeTable({ info, table, range, sort, roles, onSort }: { info: Info; table: string; range: Range; sort: string | null; roles: Roles | null; onSort: (column: string) => void }) {
  const { value, error } = useAsked<TopAnswer>(path(`/api/recording/${encodeURIComponent(info.id)}/top`, { table, from: Math.round(range.from), to: Math.round(range.to), sort, limit: 50 }));
  const [, caption = table, of = table] = TABLES.find(([name]) => name === table) ?? [];
  return (
    <>
      {error && <Fault error={error} />}
      {value && <DataTable {...{ caption, of, onSort }} columns={value.columns} rows={value.rows} total={value.total} sorted={value.sort} kind={(row) => kindOf(roles, table, row.label) ?? ""} filter />}
    </>
  );
}

/** From when to when, without a day that is not known. */
function span({ from, to }: Range, clock: Clock): string {
  return dated(from) ? `${clock.text(from)} – ${clock.time(to)}` : `${clock.time(from)} – ${clock.time(to)}, day unknown`;
}

/** When the cause began, or what was found. */
function onset({ chain, incidents, findings }: Diagnosis): number | undefined {
  return [...chain, ...findings.filter((finding) => finding.role === "cause"), ...incidents][0]?.from_ms;
}

/** A stretch with some time before and after it. */
function about(stretch: Range, whole: Range): Range {
  const more = Math.max((stretch.to - stretch.from) * 0.15, 1000);
  return { from: Math.max(whole.from, stretch.from - more), to: Math.min(whole.to, stretch.to + more) };
}
