// Times in the zone of the recorded host, and the marks of a time axis.

import type { Zone } from "./api";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distances of marks, the finest first. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE,
  10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 364 * DAY,
];

/** The clock of a recording's host. */
export class Clock {
  private readonly offset: number;
  readonly name: string;

  constructor(zone: Zone | null) {
    this.offset = (zone?.utc_offset_s ?? 0) * SECOND;
    this.name = zone?.name.replace(/^Etc\//, "") || "UTC";
  }

  /** `2026-11-22 06:05:12.5` with as many decimals as `resolution` (ms) needs. */
  text(at: number, resolution = SECOND): string {
    const iso = new Date(at + this.offset).toISOString();
    const decimals = resolution >= SECOND ? 0 : resolution >= 100 ? 1 : 3;
    return `${iso.slice(0, 10)} ${iso.slice(11, 19)}${decimals ? iso.slice(19, 20 + decimals) : ""}`;
  }

  /** Only the time of day. */
  time(at: number, resolution = SECOND): string {
    return this.text(at, resolution).slice(11);
  }

  /** A time that somebody wrote as `text` prints it, or null. */
  parse(text: string): number | null {
    const found = /^\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?\s*$/.exec(text);
    if (!found) return null;
    const at = Date.parse(`${found[1]}T${found[2]}${found[3] ?? ":00"}Z`);
    return Number.isNaN(at) ? null : at - this.offset;
  }

  /** Moments for marks between two times, at most about `count`, on round times of day of the host. */
  marks(from: number, to: number, count: number): number[] {
    const step = this.step(from, to, count);
    const marks: number[] = [];
    for (let at = Math.ceil((from + this.offset) / step) * step; at <= to + this.offset; at += step) marks.push(at - this.offset);
    return marks;
  }

  /** What stands at a mark: the day where a new one begins, else the time. */
  mark(at: number, from: number, to: number, count: number): string {
    const step = this.step(from, to, count);
    const iso = new Date(at + this.offset).toISOString();
    if (step >= DAY || iso.slice(11, 23) === "00:00:00.000") return iso.slice(step >= 91 * DAY ? 0 : 5, 10);
    return step >= MINUTE ? iso.slice(11, 16) : step >= SECOND ? iso.slice(11, 19) : iso.slice(14, 23);
  }

  private step(from: number, to: number, count: number): number {
    const least = (to - from) / Math.max(1, count);
    return STEPS.find((step) => step >= least) ?? 364 * DAY;
  }
}
