// The recordings in the served folders.

import { useEffect, useState } from "preact/hooks";
import type { Diagnosis, RecordingEntry } from "../api";
import { ask, path } from "../api";
import { ChoiceTable, useChosen } from "../choicetable";
import { Clock } from "../clock";
import { Busy, Fault } from "../parts";
import { duration } from "../quantity";
import { address } from "../route";
import { useAsked } from "../useasked";

/** How many of the first recordings are diagnosed for the list, one after the other, and how long they may be. */
const DIAGNOSED = 50;
const LONGEST = 24 * 3_600_000;

/** The diagnosis in a recording's row. */
interface Told {
  cause: string;
  lost: string;
  bad: boolean;
}

/** Cached by recording and its end: one that has grown is diagnosed again. */
const told = new Map<string, Told>();
const key = (entry: RecordingEntry) => `${entry.id} ${entry.to_ms}`;

function tell({ verdict, damaged, incidents, lost_ms }: Diagnosis): Told {
  const words = { healthy: "healthy", forecast: "forecast", cannot_tell: "cannot tell", experiment: "experiment", incident: "" };
  const cause = incidents.find((incident) => incident.cause)?.cause?.rule ?? "cause unknown";
  const rest = verdict === "incident" && incidents.length > 1 ? ` and ${incidents.length - 1} more` : "";
  const loss = damaged.length > 0 ? "; the recording is damaged" : "";
  return { cause: (words[verdict] || cause) + rest + loss, lost: lost_ms ? duration(lost_ms) : "", bad: verdict === "incident" || damaged.length > 0 };
}

/** Diagnoses the entries one after the other, and updates the list after each. */
function useTold(entries: RecordingEntry[]) {
  const [, again] = useState(0);
  const wanted = entries.filter((entry) => !entry.problem && (entry.to_ms ?? 0) - (entry.from_ms ?? 0) < LONGEST).slice(0, DIAGNOSED);
  useEffect(() => {
    const abort = new AbortController();
    const all = async () => {
      for (const entry of wanted) {
        if (told.has(key(entry))) continue;
        try {
          told.set(key(entry), tell(await ask<Diagnosis>(path(`/api/recording/${encodeURIComponent(entry.id)}/diagnosis`, {}), abort.signal)));
        } catch {
          if (abort.signal.aborted) return;
          told.set(key(entry), { cause: "cannot be diagnosed", lost: "", bad: false });
        }
        again((count) => count + 1);
      }
    };
    void all();
    return () => abort.abort();
  }, [wanted.map(key).join("\n")]);
}

/** Rows of the list, at most: more make the page slow. The filter finds the rest. */
const ROWS = 500;

const headings = (clock: Clock) => [
  { text: "recording" },
  { text: "cause" },
  { text: "lost in the worst stretch", num: true },
  { text: "host", more: true },
  { text: "kernel", more: true },
  { text: `from (${clock.name})`, more: true },
  { text: "length", num: true, more: true },
  { text: "interval", num: true, more: true },
];

function cells(entry: RecordingEntry, clock: Clock) {
  if (entry.problem) {
    return (
      <td class="bad" colSpan={7}>
        {entry.problem.what} {entry.problem.hint && <span class="hint">hint: {entry.problem.hint}</span>}
      </td>
    );
  }
  return (
    <>
      <td class={told.get(key(entry))?.bad ? "cause" : undefined}>{told.get(key(entry))?.cause}</td>
      <td class="num">{told.get(key(entry))?.lost}</td>
      <td class="more">{entry.host || "–"}</td>
      <td class="more">{entry.kernel || "–"}</td>
      <td class="more">{entry.from_ms === undefined ? "" : clock.text(entry.from_ms)}</td>
      <td class="num more">
        {entry.from_ms === undefined || entry.to_ms === undefined ? "" : duration(entry.to_ms - entry.from_ms)}
        {entry.growing && <span class="good"> growing</span>}
      </td>
      <td class="num more">{entry.interval_ms === undefined ? "" : duration(entry.interval_ms)}</td>
    </>
  );
}

export function RecordingList() {
  const { value, error } = useAsked<{ recordings: RecordingEntry[] }>("/api/recordings");
  const [words, setWords] = useState("");
  const { chosen, choose } = useChosen(2);
  const clock = new Clock(null);
  const wanted = words.trim().toLowerCase();
  const all = value?.recordings ?? [];
  const found = all.filter((entry) => [entry.name, entry.host, entry.kernel, entry.folder].some((text) => text?.toLowerCase().includes(wanted)));
  useTold(found);
  if (error) return <Fault error={error} />;
  if (!value) return <Busy what="Reading the recordings" />;
  if (all.length === 0) {
    return (
      <div class="empty">
        <h1>No recordings in the served folders.</h1>
        <p>
          Make one: <code>pagetide record -o recording</code>, then serve it: <code>pagetide serve recording</code>.
        </p>
      </div>
    );
  }
  const broken = all.filter((entry) => entry.problem).length;
  const hosts = new Set(all.map((entry) => entry.host).filter(Boolean)).size;
  return (
    <>
      <h1>
        {all.length} {all.length === 1 ? "recording" : "recordings"} of {hosts} {hosts === 1 ? "host" : "hosts"}
        {broken > 0 && `; ${broken} cannot be read`}.
      </h1>
      <p class="actions">
        <input type="search" placeholder="filter by name, host, kernel, folder" aria-label="Filter recordings" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        <a class="button" aria-disabled={chosen.length !== 2} href={chosen.length === 2 ? address(["compare"], { a: chosen[0], b: chosen[1] }) : undefined}>
          Compare
        </a>
        <span class="dim">{chosen.length === 2 ? "" : "Choose two recordings."}</span>
      </p>
      <ChoiceTable
        caption="Recordings"
        headings={headings(clock)}
        entries={found.slice(0, ROWS)}
        name={(entry) => entry.name}
        href={(entry) => address(["recording", entry.id])}
        label={(entry) => entry.name}
        cells={(entry) => cells(entry, clock)}
        chosen={chosen}
        choose={choose}
      />
      {found.length > ROWS && <p class="dim">The first {ROWS} of {found.length}: filter to see others.</p>}
      {found.length === 0 && <p class="dim">No recording contains {words}.</p>}
    </>
  );
}
