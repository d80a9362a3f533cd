// The last minutes of the live view: at most CAPACITY samples of the lines that are drawn, however long the page stays open.

import type { Column, Sample, SeriesAnswer } from "../api";
import { seriesName } from "../api";
import type { Drawn } from "../plot/chart";
import type { Frame } from "../plot/frame";

/** A quarter of an hour at a sample a second. */
export const CAPACITY = 900;

/** The metric of each column of the disks' table that is drawn: the table has the names of `pagetide show`. */
const DRAWN: Record<string, string> = { "read/s": "read_bandwidth", "write/s": "write_bandwidth", await: "await", util: "busy" };

/** A ring of samples. */
export class History {
  private readonly at = new Float64Array(CAPACITY);
  private readonly lines = new Map<string, { unit: string; values: Float64Array }>();
  private next = 0;
  private count = 0;

  /** `names`: the lines to keep. */
  constructor(private readonly names: Set<string>) {}

  get length(): number {
    return this.count;
  }

  /** Count of numbers in memory. */
  get held(): number {
    return this.at.length + this.lines.size * CAPACITY;
  }

  get newest(): number | null {
    return this.count === 0 ? null : this.at[(this.next + CAPACITY - 1) % CAPACITY]!;
  }

  /** Adds samples from before the page was opened. */
  fill(answer: SeriesAnswer): void {
    answer.at_ms.forEach((at, index) => {
      const place = this.begin(at);
      if (place === null) return;
      for (const series of answer.series) this.put(seriesName(series.table, series.metric, series.entity), series.unit, place, series.mean?.[index] ?? null);
    });
  }

  /** Adds a sample. Units of host metrics and columns of disks come only with the first one. */
  add(sample: Sample, units: Record<string, string>, disks: Column[]): void {
    const place = this.begin(sample.at_ms);
    if (place === null) return;
    for (const { name, bytes } of sample.memory) this.put(seriesName("memory", name), "bytes", place, bytes);
    for (const [metric, value] of Object.entries(sample.host)) this.put(seriesName("host", metric), units[metric] ?? "count", place, value);
    for (const row of sample.disks.rows) {
      disks.forEach((column, index) => {
        const value = row.cells[index];
        const metric = DRAWN[column.name];
        if (metric && typeof value === "number") this.put(seriesName("disk", metric, row.entity), column.unit, place, value);
      });
    }
  }

  /** The samples from a time on, in order. */
  frame(from: number): Frame {
    const order: number[] = [];
    for (let index = 0; index < this.count; index += 1) {
      const place = (this.next - this.count + index + CAPACITY) % CAPACITY;
      if (this.at[place]! >= from) order.push(place);
    }
    const lines = new Map<string, Drawn>();
    for (const [name, { unit, values }] of this.lines) {
      const mean = order.map((place) => (Number.isNaN(values[place]!) ? null : values[place]!));
      if (mean.some((value) => value !== null)) lines.set(name, { unit, mean, min: null, max: null });
    }
    return { at: order.map((place) => this.at[place]!), lines };
  }

  /** Adds an empty sample and returns its index; null if it is not newer than the last. */
  private begin(at: number): number | null {
    const newest = this.newest;
    if (newest !== null && at <= newest) return null;
    const place = this.next;
    this.next = (this.next + 1) % CAPACITY;
    this.count = Math.min(this.count + 1, CAPACITY);
    this.at[place] = at;
    for (const { values } of this.lines.values()) values[place] = Number.NaN;
    return place;
  }

  private put(name: string, unit: string, place: number, value: number | null): void {
    if (value === null || !this.names.has(name)) return;
    let line = this.lines.get(name);
    if (!line) {
      line = { unit, values: new Float64Array(CAPACITY).fill(Number.NaN) };
      this.lines.set(name, line);
    }
    line.unit = unit;
    line.values[place] = value;
  }
}
