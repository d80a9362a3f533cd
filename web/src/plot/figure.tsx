// A plot with a heading and a legend, which shows the values at the crosshair.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Clock } from "../clock";
import { quantity } from "../quantity";
import { Prose } from "../terms";
import { watchPalette } from "../theme";
import type { Drawn } from "./chart";
import { Chart } from "./chart";
import type { Cursor } from "./cursor";
import type { Frame } from "./frame";
import { dataOf, valueAt } from "./frame";
import { magnified } from "./margins";
import type { Panel } from "./panels";
import type { Range } from "./range";

interface Props {
  panel: Panel;
  frame: Frame;
  range: Range;
  clock: Clock;
  cursor: Cursor;
  height: number;
  /** Lower limit of the axis' largest value. */
  top?: number;
  /** Whether it has a time axis; if not, the times are on a ruler above all plots. */
  times?: boolean;
  /** A range was chosen; null for all of it. */
  onRange: (range: Range | null) => void;
}

/** Whether a line is zero throughout. Of many disks, idle ones are not in the legend. */
const still = (line: Drawn | null | undefined) => !(line?.max ?? line?.mean ?? []).some((value) => value);

export function PlotFigure({ panel, frame: view, range, clock, cursor, height, top = 0, times = false, onRange }: Props) {
  const frame = panel.own ?? view;
  const canvas = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const chart = useRef<Chart | null>(null);
  const latest = useRef({ frame, range, top, onRange });
  latest.current = { frame, range, top, onRange };
  const data = dataOf(frame, panel);

  const draw = () => {
    const width = canvas.current?.clientWidth ?? 0;
    if (width > 0) chart.current?.draw(dataOf(latest.current.frame, panel), latest.current.range, { width, height: Math.round(height * magnified()) }, latest.current.top);
  };
  const shape = panel.lines.map((line) => `${line.table}/${line.metric}/${line.entity}/${line.hue}`).join("|");
  useLayoutEffect(() => {
    const made = new Chart(canvas.current!, panel, clock, {
      cursor: (at) => cursor.set(at),
      select: (from, to) => latest.current.onRange({ from, to }),
      whole: () => latest.current.onRange(null),
    }, times);
    chart.current = made;
    draw();
    const sizes = new ResizeObserver(draw);
    sizes.observe(canvas.current!);
    const again = () => {
      made.destroy();
      draw();
    };
    const ends = [watchPalette(again), cursor.watch((at) => made.point(at)), () => sizes.disconnect(), () => made.destroy()];
    return () => ends.forEach((end) => end());
  }, [shape, clock, cursor, height]);
  useLayoutEffect(draw, [frame, range.from, range.to, top]);

  // The values follow the crosshair without a render of the view.
  useEffect(() => {
    const write = (at: number | null) => {
      const { frame, range } = latest.current;
      const items = legend.current?.querySelectorAll(".value") ?? [];
      dataOf(frame, panel).lines.forEach((line, index) => {
        const item = items[index];
        if (item) item.textContent = line ? quantity(valueAt(frame.at, line.mean, at ?? range.to), line.unit) : "–";
      });
    };
    write(cursor.at);
    return cursor.watch(write);
  }, [shape, cursor, frame, range.from, range.to]);

  return (
    <figure class="plot" data-panel={panel.id} data-points={frame.at.length}>
      <figcaption>
        <h3>
          <Prose text={panel.title} />
        </h3>
        <ul class="legend" ref={legend}>
          {panel.lines.map((line, index) => (
            <li key={line.name} hidden={!data.lines[index] || (line.entity !== "" && still(data.lines[index]))}>
              <i class={`key ${line.style} hue-${line.hue}`} />
              <Prose text={line.name} /> <span class="value" />
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="canvas" ref={canvas} data-height={height} />
      <p class="note">{panel.note}</p>
    </figure>
  );
}

/** Names the plots that were left out because the recording has too little to draw them. */
export function Missing({ panels }: { panels: Panel[] }) {
  return panels.length > 0 ? <p class="dim missing">No data for these plots: {panels.map((panel) => panel.title).join(", ")}.</p> : null;
}

/** Names the plots that were left out because all values are zero, which is an answer too. */
export function Quiet({ panels, when }: { panels: Panel[]; when: string }) {
  return panels.length > 0 ? (
    <p class="dim quiet">
      Zero {when}: {panels.map((panel) => panel.title).join(", ")}.
    </p>
  ) : null;
}
