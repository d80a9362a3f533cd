// One plot: a canvas drawn by uPlot from the columns of a panel.

import uPlot from "uplot";
import type { Values } from "../api";
import type { Clock } from "../clock";
import { increments, tick } from "../quantity";
import { colour } from "../theme";
import { LEFT, magnified, RIGHT, SPACE } from "./margins";
import type { Panel } from "./panels";

const TOP = 6;
const BOTTOM = 6;

/** The data of a line. */
export interface Drawn {
  unit: string;
  mean: Values;
  min: Values | null;
  max: Values | null;
}

export interface Data {
  /** Ends of the intervals, ms since 1970. */
  at: number[];
  /** One for each line of the panel, null if the recording lacks it. */
  lines: (Drawn | null)[];
}

export interface Events {
  /** The pointer is at this time, or has left. */
  cursor: (at: number | null) => void;
  /** A range was chosen by dragging. */
  select: (from: number, to: number) => void;
  /** Double click. */
  whole: () => void;
}

const MISSING: Values = [];

/** The columns uPlot draws, and for each of them its series. */
interface Columns {
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  bands: uPlot.Band[];
}

export class Chart {
  private plot: uPlot | null = null;
  private shape = "";
  private top = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly panel: Panel,
    private readonly clock: Clock,
    private readonly events: Events,
    /** Whether it has a time axis. */
    private readonly times: boolean,
  ) {}

  /** Draws the data in a time range. */
  draw(data: Data, range: { from: number; to: number }, size: { width: number; height: number }, top = 0): void {
    this.top = top;
    const columns = this.panel.stacked ? stacked(this.panel, data) : lines(this.panel, data);
    // A line that was missing when the plot was made may have the unit of the axis.
    const unit = data.lines.find((line) => line)?.unit ?? "";
    const shape = [unit, size.height, ...columns.series.map((series) => series.label)].join("|");
    if (!this.plot || shape !== this.shape) {
      this.destroy();
      this.shape = shape;
      this.plot = new uPlot(this.options(columns, unit, range, size), columns.data, this.element);
      // Hide the canvas from screen readers: the numbers are in the legend and the tables.
      this.plot.root.setAttribute("aria-hidden", "true");
      return;
    }
    if (this.plot.width !== size.width) this.plot.setSize(size);
    this.plot.setData(columns.data, false);
    this.plot.setScale("x", { min: range.from, max: range.to });
  }

  /** Moves the crosshair to a time, or removes it. */
  point(at: number | null): void {
    if (!this.plot) return;
    const left = at === null ? -10 : this.plot.valToPos(at, "x");
    this.plot.setCursor({ left, top: at === null ? -10 : 1 }, false);
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private options(columns: Columns, unit: string, range: { from: number; to: number }, size: { width: number; height: number }): uPlot.Options {
    const axis = { stroke: () => colour("soft"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { show: false } };
    const font = `${Math.round(11 * magnified())}px system-ui, 'Segoe UI', 'Liberation Sans', sans-serif`;
    return {
      ...size,
      ms: 1,
      padding: [TOP, RIGHT, BOTTOM, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        bind: { dblclick: () => () => (this.events.whole(), null) },
      },
      scales: { x: { time: false, min: range.from, max: range.to, range: (_, min, max) => [min ?? range.from, max ?? range.to] }, y: { range: (_, __, max) => extent(unit, this.panel.stacked, Math.max(max ?? 0, this.top)) } },
      axes: [
        {
          ...axis,
          size: this.times ? 20 : 0,
          gap: 5,
          font,
          splits: (plot) => this.clock.marks(plot.scales.x!.min!, plot.scales.x!.max!, plot.width / SPACE),
          values: (plot, splits) => splits.map((at) => (this.times ? this.clock.mark(at, plot.scales.x!.min!, plot.scales.x!.max!, plot.width / SPACE) : "")),
        },
        { ...axis, size: LEFT, gap: 6, font, incrs: increments(unit), space: 26, values: (_, splits) => splits.map((value) => tick(value, unit)) },
      ],
      series: columns.series,
      bands: columns.bands,
      hooks: {
        setCursor: [
          (plot) => {
            const left = plot.cursor.left ?? -1;
            if (plot.cursor.event) this.events.cursor(left < 0 ? null : plot.posToVal(left, "x"));
          },
        ],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width > 0) this.events.select(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
  }
}

/** The range of the value axis: from zero, and up to 100 % for a share close to that. */
function extent(unit: string, full: boolean, max: number): [number, number] {
  const top = Number.isFinite(max) && max > 0 ? max : 1;
  if (unit === "ratio") return [0, top > 0.5 ? 1 : Math.max(0.01, top * 1.08)];
  return [0, full ? top : top * 1.08];
}

function lines(panel: Panel, data: Data): Columns {
  const columns: Values[] = [];
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const add = (values: Values, options: uPlot.Series): number => {
    columns.push(values);
    series.push({ spanGaps: false, points: { show: false }, ...options });
    return series.length - 1;
  };
  panel.lines.forEach((line, index) => {
    const drawn = data.lines[index];
    const stroke = () => colour(line.hue);
    const label = `${line.name} ${line.hue}`;
    const faint = () => `${colour(line.hue)}38`;
    if (drawn?.min && drawn.max && drawn.min.some((low, at) => low !== drawn.max![at])) {
      const high = add(drawn.max, { label: `${label} max`, stroke: faint, width: 0 });
      const low = add(drawn.min, { label: `${label} min`, stroke: faint, width: 0 });
      bands.push({ series: [high, low], fill: faint });
    }
    const fill = line.style === "area" ? { fill: () => `${colour(line.hue)}55` } : {};
    const dash = line.style === "limit" ? { dash: [5, 3] } : {};
    add(drawn?.mean ?? MISSING, { label, stroke, width: line.style === "limit" ? 1.2 : 1.5, ...fill, ...dash, points: { show: lonely } });
  });
  return { data: [data.at, ...columns.map((values) => full(values, data.at.length))] as uPlot.AlignedData, series, bands };
}

/** Whether a value has no neighbours and is drawn as a point: a line of one point is invisible. */
function lonely(plot: uPlot, index: number): boolean {
  return (plot.data[index] as Values).filter((value) => value !== null).length === 1;
}

/** Stacks each line on those before it. The highest is drawn first, and the others over it. */
function stacked(panel: Panel, data: Data): Columns {
  const sums: Values[] = [];
  let below: Values = full([], data.at.length).map(() => 0);
  for (const [index] of panel.lines.entries()) {
    const values = full(data.lines[index]?.mean ?? MISSING, data.at.length);
    const known = data.lines[index] !== null;
    below = below.map((sum, at) => (sum === null || !known ? sum : values[at] === null ? null : sum + values[at]!));
    sums.push(below);
  }
  const series: uPlot.Series[] = [{}];
  const columns: Values[] = [];
  for (let index = panel.lines.length - 1; index >= 0; index -= 1) {
    if (!data.lines[index]) continue;
    const { name, hue } = panel.lines[index]!;
    series.push({ label: name, stroke: () => colour("paper"), width: 0.5, fill: () => colour(hue), spanGaps: false, points: { show: false } });
    columns.push(sums[index]!);
  }
  return { data: [data.at, ...columns] as uPlot.AlignedData, series, bands: [] };
}

function full(values: Values, length: number): Values {
  return values.length === length ? values : Array.from({ length }, (_, index) => values[index] ?? null);
}
