// The pure parts: amounts, times, the address, the ring of samples, the places of the chain.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Diagnosis, LiveFinding, Sample } from "../src/api";
import { Clock } from "../src/clock";
import { kindOf, names } from "../src/culprits";
import { CAPACITY, History } from "../src/live/history";
import { noted } from "../src/live/noted";
import { arrows, nodes, panelsOf } from "../src/plot/chain";
import { blanks, dataOf, EMPTY, idle, indexAt, present } from "../src/plot/frame";
import { lanes } from "../src/plot/lanes";
import { busyIn, coloured, drawnDisks, lostTime, panelOf, panels, processReads } from "../src/plot/panels";
import { changed, first, occasions, sampled } from "../src/plot/range";
import { TimeScale } from "../src/plot/scale";
import { parsed, printable } from "../src/printable";
import { duration, increments, quantity, tick } from "../src/quantity";
import { address, parse, range } from "../src/route";
import { byStep } from "../src/recordings/diagnosis";
import { claims } from "../src/runs/views";
import { glossary } from "../src/glossary";

test("amounts are written as the commands write them", () => {
  // Written by crates/pagetide/tests/page.rs from core's own rules.
  const cases = JSON.parse(readFileSync(process.env.PAGETIDE_QUANTITIES ?? "test/quantities.json", "utf8")) as { value: number; unit: string; text: string }[];
  assert.ok(cases.length > 100);
  for (const { value, unit, text } of cases) assert.equal(quantity(value, unit), text, `${value} ${unit}`);
  assert.equal(quantity(null, "bytes"), "–");
});

test("marks of an axis have no decimals of noise and do not repeat", () => {
  assert.equal(tick(1.5 * 2 ** 30, "bytes"), "1.5 GiB");
  assert.equal(tick(2 ** 30, "bytes"), "1 GiB");
  assert.equal(tick(2e6, "nanos"), "2 ms");
  assert.equal(tick(0.5, "ratio"), "50 %");
  assert.equal(tick(25_000, "per_second"), "25 k/s");
  for (const unit of ["bytes", "bytes_per_second", "nanos", "ratio", "per_second", "count"]) {
    for (const step of increments(unit).filter((step) => step >= 0.001 && step < 1e12)) {
      const marks = [1, 2, 3].map((count) => tick(count * step, unit));
      assert.equal(new Set(marks).size, 3, `${unit} ${step}: ${marks.join(" ")}`);
    }
  }
});

test("lengths of time", () => {
  assert.deepEqual([500, 12_500, 200_000, 187_200_000, 3_600_000].map(duration), ["500 ms", "12.5 s", "3 min 20 s", "2 d 4 h", "1 h"]);
  assert.equal(duration(59_999.9), "1 min");
  assert.equal(duration(3_599_900), "1 h");
});

test("times are those of the host, and are read as they are written", () => {
  const clock = new Clock({ name: "CET", utc_offset_s: 3600 });
  const at = Date.parse("2026-11-22T23:30:12.500Z");
  assert.equal(clock.text(at, 500), "2026-11-23 00:30:12.5");
  assert.equal(clock.parse("2026-11-23 00:30:12.5"), at);
  assert.equal(clock.parse("2026-11-23 00:30"), at - 12_500);
  for (const wrong of ["", "yesterday", "2026-13-40 00:00", "2026-11-23 25:00:00"]) assert.equal(clock.parse(wrong), null, wrong);
  const day = 86_400_000;
  for (const length of [100, 5_000, 60_000, day, 7 * day, 90 * day]) {
    const marks = clock.marks(at, at + length, 10);
    assert.ok(marks.length >= 2 && marks.length <= 11, `${length}: ${marks.length}`);
    assert.equal(new Set(marks.map((mark) => clock.mark(mark, at, at + length, 10))).size, marks.length, `${length}`);
  }
});

test("the reader may choose UTC or the own zone, and a zone has its summer time", () => {
  const at = Date.parse("2026-07-01T10:00:00Z");
  const berlin = { name: "Europe/Berlin", utc_offset_s: 3600 };
  assert.equal(new Clock(berlin, "host").text(at), "2026-07-01 12:00:00", "recorded in winter, read in summer");
  assert.equal(new Clock(berlin, "utc").text(at), "2026-07-01 10:00:00");
  assert.equal(new Clock(berlin, "utc").name, "UTC");
  const here = new Clock(berlin, "reader");
  assert.equal(here.name, Intl.DateTimeFormat().resolvedOptions().timeZone.replace(/^Etc\//, ""));
  assert.equal(here.parse(here.text(at)), at);
  // The night in which the clocks go back has one hour twice: marks are in order and differ.
  const night = new Clock(berlin, "host");
  const before = Date.parse("2026-10-24T22:00:00Z");
  const marks = night.marks(before, before + 6 * 3_600_000, 10);
  assert.ok(marks.length >= 5 && marks.every((mark, nth) => nth === 0 || mark > marks[nth - 1]!), String(marks));
  assert.equal(night.text(Date.parse("2026-10-25T03:00:00Z")), "2026-10-25 04:00:00");
  for (const text of ["2026-10-25 01:30:00", "2026-10-25 03:30:00"]) assert.equal(night.text(night.parse(text)!), text);
});

test("a zone that has only an offset is named by it", () => {
  const at = Date.parse("2026-07-01T10:00:00Z");
  const clock = (utc_offset_s: number) => new Clock({ name: null, utc_offset_s }, "host");
  assert.equal(clock(7200).text(at), "2026-07-01 12:00:00");
  assert.deepEqual([7200, -12600, 0].map((offset) => clock(offset).name), ["+02", "-03:30", "UTC"]);
});

test("two processes of one name have two colours", () => {
  const two = processReads([{ entity: "1@1", label: "tar[1]" }, { entity: "2@2", label: "tar[2]" }, { entity: "3@3", label: "sh[3]" }]);
  const [panel] = coloured([two], (_, name) => (name.startsWith("tar") || /^[12]@/.test(name) ? "culprit" : null));
  const hues = panel!.lines.map((line) => line.hue);
  assert.equal(hues[0], "culprit");
  assert.equal(new Set(hues).size, 3, String(hues));
});

test("what became of a run's claims is said apart", () => {
  const of = (yes: number, no: number, disturbed: number, unknown: number) => claims({ claims: { yes, no, disturbed, unknown } });
  assert.equal(of(6, 0, 0, 0), "6 of 6 claims hold");
  assert.equal(of(3, 1, 2, 0), "3 of 6 claims hold, 1 fails, 2 disturbed");
  assert.equal(of(0, 0, 0, 1), "0 of 1 claims hold, 1 cannot be computed");
  assert.equal(claims({}), "no claims");
});

test("files that lie years apart are shown one occasion at a time", () => {
  const day = 86_400_000;
  const at = Date.parse("2016-09-10T10:00:00Z");
  const whole = { from: 0, to: at + 3_600_000 };
  // An hour of an unknown day, two hours two days later, and an hour of a known one.
  const gaps = [
    { from: 3_600_000, to: 2 * day },
    { from: 2 * day + 7_200_000, to: at },
  ];
  assert.equal(occasions(whole, gaps).length, 3);
  assert.equal(sampled(whole, gaps), 4 * 3_600_000);
  assert.equal(sampled({ from: 0, to: 2 * day + 1000 }, gaps), 3_601_000);
  assert.deepEqual(first(occasions(whole, gaps), 2 * day + 1), { from: 2 * day, to: 2 * day + 7_200_000 });
  assert.deepEqual(first(occasions(whole, gaps)), { from: at, to: at + 3_600_000 });
  assert.deepEqual(first(occasions({ from: 0, to: 2 * day + 7_200_000 }, gaps.slice(0, 1))), { from: 2 * day, to: 2 * day + 7_200_000 });
  // A night without samples is a gap in the plots, and no other occasion.
  assert.deepEqual(first(occasions({ from: 0, to: 2 * day }, [{ from: day, to: day + 13 * 3_600_000 }])), { from: 0, to: 2 * day });
  assert.deepEqual(first(occasions({ from: 0, to: day }, [])), { from: 0, to: day });
});

test("an address comes back as it was", () => {
  const made = address(["recording", "a/b?c"], { from: 1, to: 2, sort: null, run: ["x", "y&z"] });
  const route = parse(made);
  assert.deepEqual(route.path, ["recording", "a/b?c"]);
  assert.deepEqual(range(route.query), { from: 1, to: 2 });
  assert.deepEqual(route.query.getAll("run"), ["x", "y&z"]);
  for (const wrong of ["#/recording/x?from=2&to=1", "#/recording/x?from=a&to=b", "#/x?from=1", "#%", "#/%zz"]) assert.equal(range(parse(wrong).query), null);
});

test("a range stays within the recording and above a few samples", () => {
  const whole = { from: 0, to: 1000 };
  assert.deepEqual(changed({ from: 400, to: 600 }, whole, 2, 500, 0, 5), { from: 300, to: 700 });
  assert.deepEqual(changed({ from: 400, to: 600 }, whole, 100, 500, 0, 5), whole);
  assert.deepEqual(changed({ from: 400, to: 600 }, whole, 1, 400, 5, 5), { from: 800, to: 1000 });
  const small = changed({ from: 400, to: 410 }, whole, 0.01, 405, 0, 5);
  assert.equal(small.to - small.from, 5);
});

test("text of others only shows", () => {
  assert.equal(printable("\x1b]0;evil\x07 user\u{202e}txt \u{9b} ä"), "\\x1b]0;evil\\x07 user\\u{202e}txt \\u{9b} ä");
  assert.deepEqual(parsed('{"entity":"a\\u001b","label":"a\\u001b","cells":["\\u202e"]}'), { entity: "a\x1b", label: "a\\x1b", cells: ["\\u{202e}"] });
});

test("the longest form of a term is marked, whole words only", () => {
  const { pattern, definitions } = glossary([
    { name: "dirty threshold", forms: [], definition: "one" },
    { name: "refault", forms: ["refaults"], definition: "two" },
    { name: "%vmeff", forms: [], definition: "three" },
  ]);
  assert.deepEqual("Refaults, dirty threshold, %vmeff; prefault refault-x".match(pattern), ["Refaults", "dirty threshold", "%vmeff"]);
  assert.equal(definitions.get("refaults")?.definition, "two");
  assert.equal("nothing".match(glossary([]).pattern), null);
});

const sample = (at: number, value: number): Sample => ({
  at_ms: at,
  span_ms: 1000,
  memory: [{ name: "free", title: "free", bytes: value }],
  total_bytes: 100,
  host: { scanned: at % 2 ? value : null, unknown: 1 },
  disks: { rows: [{ entity: "vda", label: "vda", cells: [value, "text"] }, { entity: "other", label: "other", cells: [value] }] },
  processes: { rows: [] },
  cgroups: { rows: [] },
});
const KEPT = new Set(["memory/free", "host/scanned", "disk/busy/vda"]);
const COLUMNS = [{ name: "util", unit: "ratio", meaning: "" }];

test("the live view holds as many samples after a day as after a quarter of an hour", () => {
  const history = new History(KEPT);
  for (let at = 1; at <= CAPACITY; at += 1) history.add(sample(at, at), { scanned: "bytes_per_second" }, COLUMNS);
  const held = history.held;
  for (let at = CAPACITY + 1; at <= 86_400; at += 1) history.add(sample(at, at), {}, COLUMNS);
  assert.equal(history.held, held);
  assert.equal(history.length, CAPACITY);
  const frame = history.frame(86_400 - 9);
  assert.deepEqual(frame.at, [86_391, 86_392, 86_393, 86_394, 86_395, 86_396, 86_397, 86_398, 86_399, 86_400]);
  assert.deepEqual([...frame.lines.keys()].sort(), [...KEPT].sort());
  assert.deepEqual(frame.lines.get("disk/busy/vda")?.mean, frame.at);
  assert.deepEqual(frame.lines.get("host/scanned")?.mean.slice(0, 4), [86_391, null, 86_393, null]);
});

test("a sample that comes twice or late is not drawn twice", () => {
  const history = new History(KEPT);
  const answer = { from_ms: 0, to_ms: 3, step_ms: 1, source: "samples", at_ms: [1, 2, 3], series: [{ table: "memory", entity: "", metric: "free", unit: "bytes", mean: [10, null, 30], min: null, max: null }] };
  history.fill(answer);
  for (const at of [2, 3, 4]) history.add(sample(at, at), {}, COLUMNS);
  const frame = history.frame(0);
  assert.deepEqual(frame.at, [1, 2, 3, 4]);
  assert.deepEqual(frame.lines.get("memory/free")?.mean, [10, null, 30, 4]);
});

test("a finding that ends replaces the one that began, and old ones are dropped", () => {
  const finding = (onset: number, event: "began" | "ended"): LiveFinding => ({ event, rule: "r", statement: "s", origins: ["disk:a"], actors: [{ kind: "disk", name: "a" }], cause: true, confidence: 1, onset_ms: onset, end_ms: null });
  let list: LiveFinding[] = [];
  for (let onset = 0; onset < 150; onset += 1) list = noted(list, finding(onset, "began"));
  assert.equal(list.length, 100);
  list = noted(list, finding(149, "ended"));
  assert.equal(list.length, 100);
  assert.notEqual(list[0]?.end_ms, null);
});

test("an interval is found by any moment in it", () => {
  assert.deepEqual([0, 10, 10.5, 20, 31].map((time) => indexAt([10, 20, 30], time)), [0, 0, 1, 1, 2]);
});

test("a stretch without samples is between the points around it", () => {
  const line = (...mean: (number | null)[]) => ({ unit: "count", mean, min: null, max: null });
  const lines = new Map([["host/a", line(1, 2, null, null, 5, null)], ["host/b", line(null, null, null, null, 1, 2)]]);
  assert.deepEqual(blanks({ at: [10, 20, 30, 40, 50, 60], lines }), [{ from: 20, to: 40 }]);
  assert.deepEqual(blanks(EMPTY), []);
});

test("bands in one row do not touch", () => {
  const stretches = [[0, 10], [5, 20], [10, 15], [21, 30], [6, 7]].map(([from_ms, to_ms]) => ({ from_ms: from_ms!, to_ms: to_ms! }));
  assert.deepEqual(lanes(stretches, 0, 2), [0, 1, 0, 0, null]);
});

const evidence = (source: string) => ({ what: "w", source, value: "1", from_ms: 0, to_ms: 100 });
const stage = (words: string, after: number | null, at: number, source?: string) => ({
  words, after, how: "", kernel: "", lag: "", finding: null, from_ms: at, to_ms: 100, origins: [], actors: [], role: after === null ? ("cause" as const) : ("effect" as const), evidence: source ? [evidence(source)] : [],
});
const diagnosis: Diagnosis = {
  from_ms: 0, to_ms: 100, verdict: "incident", damaged: [], summary: "", unknown: [], incidents: [],
  culprits: [{ kind: "process" as const, command: "backup" }, { kind: "disk" as const, name: "vdb" }],
  victims: [{ kind: "process" as const, command: "mysqld", pid: 7 }, { kind: "disk" as const, name: "vdb" }],
  chain: [stage("vdb reads", null, 10), stage("kswapd reclaims", 0, 12, "pgscan_kswapd + pgscan_direct"), stage("faults", 1, 13, "pgmajfault"), stage("waits", 2, 14, "psi_io_some"), stage("nothing shows it", 2, 14, "runq_size")],
  findings: [{ id: 0, rule: "stream-floods-cache", statement: "", origins: ["disk:vdb"], actors: [{ kind: "disk" as const, name: "vdb" }], from_ms: 10, to_ms: 100, confidence: 1, sureness: "", role: "cause", step: null, evidence: [evidence("pgsteal * page size"), evidence("read_sectors of vdb")], contradictions: [], advice: [] }],
};

test("a stage stands on the plot that shows its evidence, and arrows lead from causes to effects", () => {
  const all = panels(["vda", "vdb"]);
  const places = panelsOf(diagnosis, all);
  assert.deepEqual(places, ["reads", "reclaim", "faults", "pressure", null]);
  const boxes = new Map(all.map((panel, index) => [panel.id, { top: index * 100, height: 90 }]));
  const scale = new TimeScale({ from: 0, to: 100 }, 876);
  const placed = nodes(diagnosis, places, boxes, scale);
  assert.deepEqual(placed.map((node) => node.index), [0, 1, 2, 3]);
  assert.equal(placed[0]?.x, scale.x(10));
  assert.deepEqual(arrows(placed).map((arrow) => arrow.to), [1, 2, 3]);
  const zoomed = nodes(diagnosis, places, boxes, new TimeScale({ from: 11, to: 100 }, 876));
  assert.deepEqual(zoomed.map((node) => node.index), [1, 2, 3]);
  assert.deepEqual(arrows(zoomed).map((arrow) => arrow.to), [2, 3], "no arrow from a cause that is out of sight");
});

test("the findings of an experiment stand below their steps", () => {
  const of = (id: number, step: string | null) => ({ ...diagnosis.findings[0]!, id, step });
  const marks = ["A1 cold", "A2 warm", "A10 again"].map((text) => ({ at_ms: 0, kind: "step" as const, text }));
  const grouped = byStep([of(1, "A10"), of(2, null), of(3, "A1"), of(4, "A10")], marks);
  assert.deepEqual(grouped.map(([step, findings]) => [step, ...findings.map(({ id }) => id)]), [["", 2], ["A1 cold", 3], ["A10 again", 1, 4]]);
});

test("every rule's usual evidence has its plot", () => {
  const all = panels(["vda"]);
  const cases: Record<string, string> = {
    AnonPages: "memory", Cached: "memory", "RssAnon + VmSwap": "memory", nr_dirty: "dirty", "allocstall, all zones": "faults", "pswpin * page size": "swap",
    "workingset_refault_file * page size": "reclaim", "io_ms or util of vda": "busy", "read_ms + write_ms per request, or await_ms of vda": "await", psi_memory_some: "pressure", write_bytes: "writes", "read_sectors of vda": "reads",
  };
  for (const [source, panel] of Object.entries(cases)) assert.equal(panelOf(all, source)?.id, panel, source);
  assert.equal(panelOf(all, "samples"), null);
});

test("lost time has its own times, and is drawn before the view's data has come", () => {
  const panel = lostTime({ title: "Time lost by db", at_ms: [10, 20], accounts: [{ account: "cpu", name: "CPU", shares: [0, 0.5] }, { account: "load", name: "device queue", shares: [0, null] }] });
  const memory = panels(["vda"])[0]!;
  assert.deepEqual(present(EMPTY, [panel, memory]).map(({ id }) => id), ["lost"]);
  assert.deepEqual(dataOf(EMPTY, panel), { at: [10, 20], lines: [[0, 0.5], [0, null]].map((mean) => ({ unit: "ratio", mean, min: null, max: null })) });
  assert.equal(idle(EMPTY, panel), false);
  assert.equal(panelOf([panel, memory], "AnonPages")?.id, "memory", "evidence stands on the plot of what was measured");
});

test("disks of others come last, those that the diagnosis names first; of many the busiest are drawn", () => {
  const none = new Map<string, number>();
  assert.deepEqual(drawnDisks(["loop0", "sda", "sdb", "zram0"], none, ["sdb"]), ["sdb", "sda", "loop0", "zram0"]);
  const eight = ["dm-0", "dm-1", "loop0", "loop1", "vda", "vdb", "vdc", "vdd"];
  const at = EMPTY.at;
  const lines = new Map([["dm-1", [0.2, 0.9]], ["loop0", [0.1, null]], ["vdd", [0, 0]]].map(([disk, mean]) => [`disk/busy/${disk as string}`, { unit: "ratio", mean: mean as (number | null)[], min: null, max: null }]));
  const most = drawnDisks(eight, busyIn({ at, lines }, eight), ["vdb"]);
  assert.deepEqual(most, ["vdb", "dm-0", "dm-1", "vda", "vdc", "loop0"]);
  const busy = panels(most, [], eight.length).find((panel) => panel.id === "busy")!;
  assert.deepEqual(busy.lines.map((line) => line.entity), most);
  assert.match(busy.note, /; 2 more disks, less busy/);
  assert.doesNotMatch(panels(most).map((panel) => panel.note).join(), /more disks/);
});

test("culprit and victim have one colour each; who is both is a culprit", () => {
  assert.deepEqual(Object.fromEntries(names(diagnosis)), { backup: "culprit", vdb: "culprit", mysqld: "victim" });
  assert.equal(kindOf(diagnosis, "process", "mysqld[7]"), "victim");
  assert.equal(kindOf(diagnosis, "process", "mysqld[97]"), null, "another process of that name");
  assert.equal(kindOf(diagnosis, "process", "backup[97]"), "culprit", "which one is not known");
  assert.equal(kindOf(diagnosis, "disk", "vdb (orders)"), "culprit");
  const qemu = (pid: number) => ({ kind: "process" as const, command: "qemu", pid });
  const two = { culprits: [qemu(1)], victims: [qemu(2)] };
  assert.deepEqual([1, 2, 3].map((pid) => kindOf(two, "process", `qemu[${pid}]`)), ["culprit", "victim", null]);
  assert.equal(names(two).get("qemu"), "culprit");
  assert.equal(kindOf(diagnosis, "process", "backup"), "culprit");
  assert.equal(kindOf(diagnosis, "disk", "vdb"), "culprit");
  assert.equal(kindOf(diagnosis, "disk", "backup"), null);
  assert.equal(kindOf(null, "disk", "vdb"), null);
});
