// The data of all plots of a view: one column of times, and a series for each line, by name.

import type { Series, SeriesAnswer, Values } from "../api";
import { seriesName } from "../api";
import type { Data, Drawn } from "./chart";
import type { Panel } from "./panels";
import { lineName } from "./panels";
import type { Range } from "./range";

export interface Frame {
  at: number[];
  lines: Map<string, Drawn>;
}

export const EMPTY: Frame = { at: [], lines: new Map() };

const drawn = ({ unit, mean, min, max }: Series): Drawn | null => (mean ? { unit, mean, min, max } : null);

export function frame(answer: SeriesAnswer): Frame {
  const lines = new Map<string, Drawn>();
  for (const series of answer.series) {
    const line = drawn(series);
    if (line && line.mean.some((value) => value !== null)) lines.set(seriesName(series.table, series.metric, series.entity), line);
  }
  return { at: answer.at_ms, lines };
}

/** The data of a panel, from the view's or its own. */
export function dataOf(view: Frame, panel: Panel): Data {
  const frame = panel.own ?? view;
  return { at: frame.at, lines: panel.lines.map((line) => frame.lines.get(lineName(line)) ?? null) };
}

/** The stretches without samples: between two points, where no line has a value. */
export function blanks({ at, lines }: Frame): Range[] {
  const all = [...lines.values()];
  const found: Range[] = [];
  for (let index = 1; all.length > 0 && index < at.length; index += 1) {
    if (all.some((line) => line.mean[index] !== null)) continue;
    const last = found.at(-1);
    if (last?.to === at[index - 1]) last!.to = at[index]!;
    else found.push({ from: at[index - 1]!, to: at[index]! });
  }
  return found;
}

/** The panels that have data. */
export function present(frame: Frame, panels: Panel[]): Panel[] {
  return panels.filter((panel) => panel.lines.some((line) => line.style !== "limit" && (panel.own ?? frame).lines.has(lineName(line))));
}

/** Whether a panel's lines are zero throughout. */
export function idle(frame: Frame, panel: Panel): boolean {
  const { lines } = panel.own ?? frame;
  return panel.lines.every((line) => line.style === "limit" || (lines.get(lineName(line))?.max ?? lines.get(lineName(line))?.mean ?? []).every((value) => !value));
}

/** The value of a line at a time, that is, in the interval that contains it. */
export function valueAt(at: number[], values: Values, time: number): number | null {
  return values[indexAt(at, time)] ?? null;
}

/** The index of the interval that contains a time. `at` has the ends of intervals. */
export function indexAt(at: number[], time: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, at.length - 1);
}
