// Two ranges, of one recording or of two hosts, side by side on the same scales, and the differences of their means.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Info, RecordingEntry } from "../api";
import { Clock } from "../clock";
import { Busy, Fault } from "../parts";
import { Cursor } from "../plot/cursor";
import { PlotFigure } from "../plot/figure";
import type { Frame } from "../plot/frame";
import { dataOf, present } from "../plot/frame";
import type { Range } from "../plot/range";
import type { Panel } from "../plot/panels";
import { drawnDisks, lineName, panels } from "../plot/panels";
import { mean } from "../plot/values";
import { quantity } from "../quantity";
import { address, go } from "../route";
import { Prose } from "../terms";
import { useAsked } from "../useasked";
import { Ends } from "./rangebar";
import { useBusy, useSeries } from "./useseries";

interface Side {
  info: Info;
  range: Range;
  clock: Clock;
}

export function ComparisonView({ query }: { query: URLSearchParams }) {
  const list = useAsked<{ recordings: RecordingEntry[] }>("/api/recordings");
  const a = useAsked<Info>(query.get("a") ? `/api/recording/${encodeURIComponent(query.get("a")!)}/info` : null);
  const b = useAsked<Info>(query.get("b") ? `/api/recording/${encodeURIComponent(query.get("b")!)}/info` : null);
  const error = a.error ?? b.error;
  if (error) return <Fault error={error} />;
  if (!query.get("a") || !query.get("b")) return <Fault error={{ what: "A comparison needs two recordings or two ranges.", hint: "choose them in the list of recordings" }} />;
  if (!a.value || !b.value) return <Busy what="Reading the recordings" />;
  return <Comparison a={a.value} b={b.value} query={query} recordings={list.value?.recordings.filter((entry) => !entry.problem) ?? []} />;
}

function side(info: Info, from: string | null, to: string | null): Side {
  const [first, last] = [Number(from ?? Number.NaN), Number(to ?? Number.NaN)];
  const whole = { from: info.from_ms, to: Math.max(info.to_ms, info.from_ms + 1) };
  return { info, range: first < last ? { from: first, to: last } : whole, clock: new Clock(info.time_zone) };
}

interface Difference {
  name: string;
  unit: string;
  a: number | null;
  b: number | null;
}

function Comparison({ a, b, query, recordings }: { a: Info; b: Info; query: URLSearchParams; recordings: RecordingEntry[] }) {
  const address1 = query.toString();
  const sides = useMemo(() => [side(a, query.get("af"), query.get("at")), side(b, query.get("bf"), query.get("bt"))] as const, [a, b, address1]);
  const disks = useMemo(() => [a, b].map((info) => info.entities.disk.map((disk) => disk.entity)) as [string[], string[]], [a, b]);
  const all = [...new Set(disks.flat())];
  const busy = [useBusy(a.id, disks[0], sides[0].range), useBusy(b.id, disks[1], sides[1].range)] as const;
  const most = drawnDisks(all, new Map(all.map((disk) => [disk, Math.max(...busy.map((busy) => busy.get(disk) ?? 0))])));
  const shape = useMemo(() => panels(most, [], all.length), [most.join("\n"), all.length]);
  const [points] = useState(() => Math.min(1000, Math.max(200, Math.round(innerWidth / 2))));
  const left = useSeries(a.id, shape, sides[0].range, points, 0);
  const right = useSeries(b.id, shape, sides[1].range, points, 0);
  const drawn = shape.filter((panel) => present(left.frame, [panel]).length + present(right.frame, [panel]).length > 0);
  const differences = useMemo(() => compared(drawn, left.frame, right.frame), [left.frame, right.frame]);
  const keys = ["a", "b"] as const;
  const change = (which: "a" | "b", what: Record<string, string | number>) => {
    const now: Record<string, string | null> = {};
    for (const key of ["a", "af", "at", "b", "bf", "bt"]) now[key] = query.get(key);
    go(address(["compare"], { ...now, ...(what[which] === undefined ? {} : { [`${which}f`]: null, [`${which}t`]: null }), ...what }));
  };
  const error = left.error ?? right.error;
  return (
    <div class="comparison">
      <div class="verdict">
        <h1>
          <Prose text={sentence(differences)} />
        </h1>
      </div>
      {error && <Fault error={error} />}
      <div class="sides">
        {keys.map((which, index) => {
          const { info, range, clock } = sides[index]!;
          return (
            <section key={which} class="side" aria-label={which.toUpperCase()}>
              <h2>
                {which.toUpperCase()}
                <select aria-label={`Recording ${which.toUpperCase()}`} value={info.id} onChange={(event) => change(which, { [which]: event.currentTarget.value })}>
                  {!recordings.some((entry) => entry.id === info.id) && <option value={info.id}>{info.name}</option>}
                  {recordings.map((entry) => (
                    <option key={entry.id} value={entry.id}>
                      {[entry.host, entry.name].filter(Boolean).join(": ")}
                    </option>
                  ))}
                </select>
              </h2>
              <Ends
                label={`${which.toUpperCase()} `}
                range={range}
                clock={clock}
                resolution={info.interval_ms}
                onRange={(next) => change(which, { [`${which}f`]: Math.round(next.from), [`${which}t`]: Math.round(next.to) })}
              />
            </section>
          );
        })}
      </div>
      <Differences differences={differences} />
      <Pairs drawn={drawn} sides={sides} frames={[left.frame, right.frame]} onRange={(which, next) => change(which, next ? { [`${which}f`]: Math.round(next.from), [`${which}t`]: Math.round(next.to) } : { [which]: sides[which === "a" ? 0 : 1].info.id })} />
    </div>
  );
}

function Pairs({ drawn, sides, frames, onRange }: { drawn: Panel[]; sides: readonly [Side, Side]; frames: [Frame, Frame]; onRange: (which: "a" | "b", range: Range | null) => void }) {
  const cursors = useMemo(() => [new Cursor(), new Cursor()] as const, []);
  const starts = useRef([0, 0] as [number, number]);
  starts.current = [sides[0].range.from, sides[1].range.from];
  // The crosshairs are at the same time after the start of each range.
  useEffect(() => {
    const follow = (from: 0 | 1, to: 0 | 1) => cursors[from].watch((at) => cursors[to].set(at === null ? null : at - starts.current[from] + starts.current[to]));
    const ends = [follow(0, 1), follow(1, 0)];
    return () => ends.forEach((end) => end());
  }, [cursors]);
  return (
    <div class="pairs" onPointerLeave={() => cursors[0].set(null)}>
      {drawn.map((panel) => (
        <div class="pair" key={panel.id}>
          {([0, 1] as const).map((index) => (
            <PlotFigure
              key={index}
              panel={panel}
              frame={frames[index]}
              range={sides[index].range}
              clock={sides[index].clock}
              cursor={cursors[index]}
              height={118}
              times
              top={highest(panel, frames)}
              onRange={(range) => onRange(index === 0 ? "a" : "b", range)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** The largest value of a plot in either frame, for their common scale. */
function highest(panel: Panel, frames: [Frame, Frame]): number {
  let top = 0;
  for (const frame of frames) {
    const lines = dataOf(frame, panel).lines;
    for (let at = 0; at < frame.at.length; at += 1) {
      const values = lines.map((line) => line?.max?.[at] ?? line?.mean[at] ?? 0);
      top = Math.max(top, panel.stacked ? lines.reduce((sum, line) => sum + (line?.mean[at] ?? 0), 0) : Math.max(...values, 0));
    }
  }
  return top;
}

const meanOf = (frame: Frame, name: string) => mean(frame.lines.get(name)?.mean ?? []);

/** The means of both sides, the largest change first. */
export function compared(panels: Panel[], a: Frame, b: Frame): Difference[] {
  const rows = new Map<string, Difference>();
  for (const panel of panels) {
    for (const line of panel.lines) {
      const name = lineName(line);
      const unit = a.lines.get(name)?.unit ?? b.lines.get(name)?.unit;
      if (!unit) continue;
      const title = panel.lines.length === 1 || ["memory", "dirty"].includes(panel.id) ? line.name : `${panel.title}: ${line.name}`;
      rows.set(name, { name: title, unit, a: meanOf(a, name), b: meanOf(b, name) });
    }
  }
  return [...rows.values()].sort((one, other) => weight(other) - weight(one));
}

/** The ratio of two means. It does not count if both are small for their unit. */
function weight({ a, b, unit }: Difference): number {
  if (a === null || b === null) return -1;
  const least: Record<string, number> = { bytes: 2 ** 20, bytes_per_second: 2 ** 14, ratio: 0.01, per_second: 1, nanos: 1e5 };
  const small = least[unit] ?? 1;
  return Math.abs(Math.log((Math.abs(b) + small) / (Math.abs(a) + small)));
}

function times({ a, b }: Difference): string {
  if (a === null || b === null || a === 0) return "–";
  const ratio = b / a;
  return ratio >= 100 ? `${Math.round(ratio)}x` : `${Number(ratio.toPrecision(3))}x`;
}

function sentence(differences: Difference[]): string {
  const first = differences[0];
  if (!first || first.a === null || first.b === null) return "Two ranges side by side.";
  if (weight(first) < Math.log(1.5)) return "No mean differs by half or more.";
  return `Largest difference: ${first.name}, ${quantity(first.b, first.unit)} in B and ${quantity(first.a, first.unit)} in A.`;
}

function Differences({ differences }: { differences: Difference[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Means of both ranges">
      <table class="differences">
        <thead>
          <tr>
            <th scope="col">mean of</th>
            <th scope="col" class="num">
              A
            </th>
            <th scope="col" class="num">
              B
            </th>
            <th scope="col" class="num">
              B / A
            </th>
          </tr>
        </thead>
        <tbody>
          {differences.map((row) => (
            <tr key={row.name} class={weight(row) >= Math.log(1.5) ? "strong" : ""}>
              <th scope="row">
                <Prose text={row.name} />
              </th>
              <td class="num">{quantity(row.a, row.unit)}</td>
              <td class="num">{quantity(row.b, row.unit)}</td>
              <td class="num">{times(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
