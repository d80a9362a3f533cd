// The host now: one sentence, the amounts that prove it, plots of the last minutes, processes and groups, findings as they begin.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { About, Column, Hello, LiveFinding, LiveTable, Problem, Sample } from "../api";
import { series } from "../api";
import { Clock } from "../clock";
import { hueOf, kindOf, names, type Roles } from "../culprits";
import { Busy, Fault } from "../parts";
import { Cursor } from "../plot/cursor";
import { PlotFigure, Quiet } from "../plot/figure";
import type { Frame } from "../plot/frame";
import { idle, present } from "../plot/frame";
import { busyIn, coloured, drawnDisks, lineName, many, panels } from "../plot/panels";
import { quantity } from "../quantity";
import { DataTable } from "../table";
import { Prose } from "../terms";
import { CAPACITY, History } from "./history";
import { noted } from "./noted";
import { listen } from "./stream";

const MINUTE = 60_000;
const WINDOWS: [number, string][] = [
  [MINUTE, "1 min"],
  [5 * MINUTE, "5 min"],
  [15 * MINUTE, "15 min"],
];
interface Tables {
  disks: Table;
  processes: Table;
  cgroups: Table;
}

interface Table {
  columns: Column[];
  rows: LiveTable["rows"];
  total: number | undefined;
}

const NONE: Table = { columns: [], rows: [], total: undefined };

/** Columns come with the first sample only. */
const merged = (old: Table, { columns, rows, total }: LiveTable): Table => ({ columns: columns ?? old.columns, rows, total });

interface Shown {
  frame: Frame;
  sample: Sample;
  tables: Tables;
  units: Record<string, string>;
}

export function LiveView({ about }: { about: About }) {
  const [hello, setHello] = useState<Hello | null>(null);
  const [connected, setConnected] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [findings, setFindings] = useState<LiveFinding[]>([]);
  const [paused, setPaused] = useState(false);
  const [span, setSpan] = useState(5 * MINUTE);
  const [disks, setDisks] = useState<string[]>([]);
  const pausing = useRef(paused);
  pausing.current = paused;
  const spanning = useRef(span);
  spanning.current = span;
  const lively = useRef(new Set<string>());
  const cursor = useMemo(() => new Cursor(), []);
  const clock = useMemo(() => new Clock(hello?.time_zone ?? null), [hello]);
  const most = drawnDisks(disks, shown && many(disks) ? busyIn(shown.frame, disks) : new Map());
  const all = useMemo(() => panels(most, [], disks.length), [most.join("\n"), disks.length]);

  useEffect(() => {
    if (about.live.available === false) return;
    let history = new History(new Set());
    let tables: Tables = { disks: NONE, processes: NONE, cgroups: NONE };
    let units: Record<string, string> = {};
    let known: string[] = [];
    // A disk that has gone, or is not among the rows of a sample, keeps its lines.
    const keep = (seen: string[]) => {
      const disks = [...new Set([...known, ...seen])].sort();
      if (disks.length === known.length && history.length > 0) return;
      known = disks;
      setDisks(disks);
      const names = panels(disks).flatMap((panel) => panel.lines.map(lineName));
      history = new History(new Set(names));
      const mine = history;
      const wanted = [...new Set(names)].slice(0, 64);
      // Samples from before the page was opened. Those that arrive meanwhile are in the answer, or follow.
      series("live", wanted, null, CAPACITY).then(
        (answer) => {
          if (mine !== history || mine.length > 1) return;
          const filled = new History(new Set(names));
          filled.fill(answer);
          history = filled;
        },
        () => {},
      );
    };
    return listen({
      hello: (hello) => {
        setHello(hello);
        units = hello.units ?? units;
        setProblem(null);
        setFindings([]);
      },
      sample: (sample) => {
        tables = { disks: merged(tables.disks, sample.disks), processes: merged(tables.processes, sample.processes), cgroups: merged(tables.cgroups, sample.cgroups) };
        units = sample.units ?? units;
        const names = sample.disks.rows.map((row) => row.entity);
        if (names.length > 0 || history.length === 0) keep(names);
        history.add(sample, units, tables.disks.columns);
        if (!pausing.current) setShown({ frame: history.frame(sample.at_ms - spanning.current), sample, tables, units });
      },
      finding: (finding) => setFindings((old) => noted(old, finding)),
      problem: setProblem,
      state: setConnected,
    });
  }, [about.live.available]);

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const element = event.target as HTMLElement;
      if (event.key !== " " || element.closest("button, input, a, summary, select, [tabindex='0']")) return;
      event.preventDefault();
      setPaused((paused) => !paused);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);

  if (about.live.available === false) return <Fault error={{ what: about.live.why ?? "This server has no live samples.", hint: "run pagetide serve on the host itself" }} />;
  if (!shown) return problem ? <Fault error={problem} /> : <Busy what="Waiting for the first sample" />;

  const { frame, sample, tables, units } = shown;
  const open = findings.filter((finding) => finding.end_ms === null);
  // Who a finding names is who it comes from, whether or not others follow from it. Victims have no finding.
  const roles: Roles = { culprits: open.flatMap((finding) => finding.actors), victims: [] };
  // Show a minute at least, so that the first samples are not a line at the edge.
  const range = { from: Math.max(sample.at_ms - span, Math.min(frame.at[0] ?? sample.at_ms, sample.at_ms - MINUTE)), to: sample.at_ms };
  // A plot that had data once stays.
  const drawable = present(frame, all);
  for (const panel of drawable) if (!idle(frame, panel)) lively.current.add(panel.id);
  const drawn = coloured(all, hueOf(roles)).filter((panel) => lively.current.has(panel.id));
  const quiet = drawable.filter((panel) => !lively.current.has(panel.id));
  const kind = (table: string) => (row: { label: string }) => kindOf(roles, table, row.label) ?? "";
  return (
    <div class="live">
      <div class={`verdict ${open.length ? "incident" : "healthy"}`}>
        <h1>{open.length ? <Prose text={(open.find((finding) => finding.cause) ?? open[0]!).statement} names={names(roles)} /> : <Prose text={sentence(sample)} />}</h1>
      </div>
      <p class="actions">
        <button type="button" class="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? "Continue" : "Pause"}
        </button>
        <span class="choices" role="group" aria-label="Time shown">
          {WINDOWS.map(([length, name]) => (
            <button type="button" key={length} aria-pressed={span === length} onClick={() => setSpan(length)}>
              {name}
            </button>
          ))}
        </span>
        <span class={connected ? "good" : "bad"} role="status">
          {!connected ? "disconnected, reconnecting" : paused ? "paused" : "live"}
        </span>
        <span class="dim time">
          {clock.text(sample.at_ms)} {clock.name}
        </span>
        <span class="dim">
          {hello && `${hello.host}, Linux ${hello.kernel}, ${hello.cpus} CPUs, ${quantity(hello.memory_bytes, "bytes")}, a sample every ${hello.interval_ms / 1000} s`}
        </span>
      </p>
      {problem && <Fault error={problem} />}
      <Amounts sample={sample} units={units} />
      <Findings findings={findings} clock={clock} roles={roles} />
      <div class="grid" onPointerLeave={() => cursor.set(null)}>
        {drawn.map((panel) => (
          <PlotFigure key={panel.id} {...{ panel, frame, range, clock, cursor }} height={128} times onRange={() => {}} />
        ))}
      </div>
      <Quiet panels={quiet} when="so far" />
      <div class="tables">
        <DataTable caption="Processes" of="process" {...tables.processes} kind={kind("process")} filter />
        <DataTable caption="Control groups" of="group" {...tables.cgroups} kind={kind("cgroup")} filter />
        <DataTable caption="Disks" of="disk" {...tables.disks} kind={kind("disk")} />
      </div>
    </div>
  );
}

function part(sample: Sample, name: string): number | null {
  return sample.memory.find((part) => part.name === name)?.bytes ?? null;
}

/** The sentence while there is no finding. */
function sentence(sample: Sample): string {
  const { host } = sample;
  const available = host.MemAvailable ?? null;
  const memory = available !== null && sample.total_bytes ? `${quantity(available, "bytes")} of ${quantity(sample.total_bytes, "bytes")} are available` : "";
  const dirty = part(sample, "dirty");
  const writers = dirty !== null && host.freerun ? `writers may dirty ${quantity(Math.max(0, host.freerun - dirty), "bytes")} more before the kernel throttles them` : "";
  const waits = [
    ["IO", host.psi_io_some],
    ["memory", host.psi_memory_some],
  ].filter((wait): wait is [string, number] => typeof wait[1] === "number");
  const pressure = waits.length ? `tasks waited ${waits.map(([what, share]) => `${quantity(share, "ratio")} of the time for ${what}`).join(", ")}` : "";
  const parts = [memory, writers, pressure].filter(Boolean);
  return `No active finding: ${parts.join("; ") || "nothing was measured yet"}.`;
}

function Amounts({ sample, units }: { sample: Sample; units: Record<string, string> }) {
  const { host } = sample;
  const of = (metric: string) => quantity(host[metric], units[metric] ?? "count");
  const amounts: [string, string][] = [
    ["available", quantity(host.MemAvailable, "bytes")],
    ["dirty", quantity(part(sample, "dirty"), "bytes")],
    ["freerun", of("freerun")],
    ["hit ratio, est.", of("host_hit_ratio")],
    ["refaults", of("refaults_file")],
    ["major faults", of("major_faults")],
    ["direct reclaims", of("direct_reclaims")],
    ["read", of("host_read_bandwidth")],
    ["write", of("host_write_bandwidth")],
    ["PSI IO", of("psi_io_some")],
    ["PSI memory", of("psi_memory_some")],
  ];
  return (
    <dl class="amounts">
      {amounts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Prose text={name} />
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Findings({ findings, clock, roles }: { findings: LiveFinding[]; clock: Clock; roles: Roles }) {
  if (findings.length === 0) return null;
  return (
    <section class="log" aria-label="Findings">
      <h2>Findings since the page was opened</h2>
      <ol>
        {findings.map((finding) => (
          <li key={`${finding.rule} ${finding.onset_ms} ${finding.origins.join()}`} class={finding.end_ms === null ? "open" : "over"}>
            <span class="time">
              {clock.time(finding.onset_ms)}
              {finding.end_ms === null ? " began" : ` – ${clock.time(finding.end_ms)}`}
            </span>
            <Prose text={finding.statement} names={names(roles)} />
          </li>
        ))}
      </ol>
    </section>
  );
}
