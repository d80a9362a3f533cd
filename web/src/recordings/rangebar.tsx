// The bar of the range: presets, fields for its two ends, and its position in the whole recording.

import { useEffect, useState } from "preact/hooks";
import type { Clock } from "../clock";
import type { Range } from "../plot/range";
import { changed } from "../plot/range";
import { duration } from "../quantity";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PRESETS: [number, string][] = [
  [30 * DAY, "30 d"],
  [7 * DAY, "7 d"],
  [DAY, "24 h"],
  [6 * HOUR, "6 h"],
  [HOUR, "1 h"],
  [10 * MINUTE, "10 min"],
  [MINUTE, "1 min"],
  [10_000, "10 s"],
];

interface Props {
  range: Range;
  whole: Range;
  clock: Clock;
  resolution: number;
  onRange: (range: Range | null) => void;
}

export function RangeBar({ range, whole, clock, resolution, onRange }: Props) {
  const length = range.to - range.from;
  const middle = (range.from + range.to) / 2;
  const all = whole.to - whole.from;
  const least = Math.max(1, resolution) * 5;
  const change = (factor: number, shift: number) => onRange(changed(range, whole, factor, middle, shift, least));
  const part = (at: number) => Math.min(100, Math.max(0, ((at - whole.from) / all) * 100));
  return (
    <div class="rangebar">
      <span class="choices" role="group" aria-label="Length of the range">
        <button type="button" aria-pressed={length >= all} onClick={() => onRange(null)}>
          all
        </button>
        {PRESETS.filter(([preset]) => preset < all && preset >= least).map(([preset, name]) => (
          <button type="button" key={preset} aria-pressed={Math.abs(preset - length) < 1} onClick={() => change(preset / length, 0)}>
            {name}
          </button>
        ))}
      </span>
      <span class="choices" role="group" aria-label="Move the range">
        <button type="button" aria-label="Earlier" title="Earlier (shift and arrow left)" disabled={range.from <= whole.from} onClick={() => change(1, -0.5)}>
          ←
        </button>
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" disabled={length <= least} onClick={() => change(0.5, 0)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" title="Zoom out (-)" disabled={length >= all} onClick={() => change(2, 0)}>
          −
        </button>
        <button type="button" aria-label="Later" title="Later (shift and arrow right)" disabled={range.to >= whole.to} onClick={() => change(1, 0.5)}>
          →
        </button>
      </span>
      <Ends range={range} clock={clock} resolution={resolution} onRange={onRange} />
      <span class="dim">{duration(length)}</span>
      <svg class="place" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="all" x="0" y="2" width="100" height="2" />
        <rect class="shown" x={part(range.from)} y="0" width={Math.max(0.4, part(range.to) - part(range.from))} height="6" />
      </svg>
    </div>
  );
}

/** Fields for the two ends; Enter applies them. */
export function Ends({ range, clock, resolution, onRange, label = "" }: { range: Range; clock: Clock; resolution: number; onRange: (range: Range) => void; label?: string }) {
  const written = { from: clock.text(range.from, resolution), to: clock.text(range.to, resolution) };
  const [text, setText] = useState(written);
  useEffect(() => setText(written), [written.from, written.to]);
  const from = text.from === written.from ? range.from : clock.parse(text.from);
  const to = text.to === written.to ? range.to : clock.parse(text.to);
  const good = from !== null && to !== null && from < to;
  const take = (event: Event) => {
    event.preventDefault();
    if (good) onRange({ from, to });
  };
  const field = (end: "from" | "to") => (
    <input
      type="text"
      class="moment"
      aria-label={`${label}${end}, ${clock.name}`}
      aria-invalid={!good}
      value={text[end]}
      onInput={(event) => setText({ ...text, [end]: event.currentTarget.value })}
    />
  );
  return (
    <form class="ends" onSubmit={take}>
      {field("from")} – {field("to")} <span class="dim">{clock.name}</span>
      <button type="submit" disabled={!good || (from === range.from && to === range.to)}>
        show
      </button>
    </form>
  );
}
