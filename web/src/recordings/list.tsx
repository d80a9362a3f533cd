// The recordings in the served folders.

import { useState } from "preact/hooks";
import type { RecordingEntry } from "../api";
import { ChoiceTable, useChosen } from "../choicetable";
import { Clock } from "../clock";
import { Busy, Fault } from "../parts";
import { duration } from "../quantity";
import { address } from "../route";
import { useAsked } from "../useasked";

const clock = new Clock(null);

/** More rows than this make a page slow; the filter finds the rest. */
const ROWS = 500;

const HEADINGS = [{ text: "recording" }, { text: "host" }, { text: "kernel" }, { text: "from (UTC)" }, { text: "length", num: true }, { text: "interval", num: true }];

function cells(entry: RecordingEntry) {
  if (entry.problem) {
    return (
      <td class="bad" colSpan={5}>
        {entry.problem.what} {entry.problem.hint && <span class="hint">hint: {entry.problem.hint}</span>}
      </td>
    );
  }
  return (
    <>
      <td>{entry.host}</td>
      <td>{entry.kernel}</td>
      <td>{entry.from_ms === undefined ? "" : clock.text(entry.from_ms)}</td>
      <td class="num">
        {entry.from_ms === undefined || entry.to_ms === undefined ? "" : duration(entry.to_ms - entry.from_ms)}
        {entry.growing && <span class="good"> growing</span>}
      </td>
      <td class="num">{entry.interval_ms === undefined ? "" : duration(entry.interval_ms)}</td>
    </>
  );
}

export function RecordingList() {
  const { value, error } = useAsked<{ recordings: RecordingEntry[] }>("/api/recordings");
  const [words, setWords] = useState("");
  const { chosen, choose } = useChosen(2);
  if (error) return <Fault error={error} />;
  if (!value) return <Busy what="Reading the recordings" />;
  const all = value.recordings;
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
  const wanted = words.trim().toLowerCase();
  const found = all.filter((entry) => [entry.name, entry.host, entry.kernel, entry.folder].some((text) => text?.toLowerCase().includes(wanted)));
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
        headings={HEADINGS}
        entries={found.slice(0, ROWS)}
        name={(entry) => entry.name}
        href={(entry) => address(["recording", entry.id])}
        label={(entry) => entry.name}
        cells={cells}
        chosen={chosen}
        choose={choose}
      />
      {found.length > ROWS && <p class="dim">The first {ROWS} of {found.length}: filter to see others.</p>}
      {found.length === 0 && <p class="dim">No recording contains {words}.</p>}
    </>
  );
}
