// Times in the zone of the recorded host, in UTC or in the reader's own zone, and the marks of a time axis.

import type { Zone } from "./api";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distances between marks in ms, ascending. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE,
  10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 364 * DAY,
];

/** Whose times are shown. */
export type Whose = "host" | "utc" | "reader";

export const WHOSE: [Whose, string][] = [
  ["host", "host's time"],
  ["utc", "UTC"],
  ["reader", "your time"],
];

const KEPT = "pagetide.times";

/** Whose times the reader chose; the host's at first. */
export function chosenTimes(): Whose {
  const kept = globalThis.localStorage?.getItem(KEPT);
  return kept === "utc" || kept === "reader" ? kept : "host";
}

export function chooseTimes(whose: Whose): void {
  globalThis.localStorage?.setItem(KEPT, whose);
}

/** The offset of a named zone from UTC at a time, ms; null if the browser does not know the zone. */
function ahead(zone: string | undefined): ((at: number) => number) | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
  // Cache by quarter of an hour: zones change offset only at these.
  const known = new Map<number, number>();
  return (at) => {
    const quarter = Math.floor(at / (15 * MINUTE));
    const offset = known.get(quarter);
    if (offset !== undefined) return offset;
    const parts = new Map(format.formatToParts(quarter * 15 * MINUTE).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const there = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    known.set(quarter, there - quarter * 15 * MINUTE);
    return there - quarter * 15 * MINUTE;
  };
}

/** `+02` or `+05:30`, as the commands name a zone that has only an offset. */
function offsetName(offset: number): string {
  const minutes = Math.abs(Math.round(offset / MINUTE));
  const two = (part: number) => String(part).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${minutes % 60 ? `:${two(minutes % 60)}` : ""}`;
}

/** The clock of a recording's host, or the one that the reader chose instead. */
export class Clock {
  private readonly offset: (at: number) => number;
  readonly name: string;

  constructor(zone: Zone | null, whose: Whose = chosenTimes()) {
    const fixed = (zone?.utc_offset_s ?? 0) * SECOND;
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const hosts = zone?.name || (fixed ? offsetName(fixed) : "UTC");
    this.name = (whose === "host" ? hosts : whose === "reader" ? own : "UTC").replace(/^Etc\//, "");
    if (whose === "utc") this.offset = () => 0;
    else if (whose === "reader") this.offset = ahead(undefined) ?? (() => 0);
    // A named zone includes summer time. If the browser does not know it, use the offset at the beginning.
    else this.offset = (zone?.name?.includes("/") && ahead(zone.name)) || (() => fixed);
  }

  /** The host's, or the reader's, times of day as if they were UTC. */
  private iso(at: number): string {
    return new Date(at + this.offset(at)).toISOString();
  }

  /** `2026-11-22 06:05:12.5` with as many decimals as `resolution` (ms) needs. */
  text(at: number, resolution = SECOND): string {
    const iso = this.iso(at);
    const decimals = resolution >= SECOND ? 0 : resolution >= 100 ? 1 : 3;
    return `${iso.slice(0, 10)} ${iso.slice(11, 19)}${decimals ? iso.slice(19, 20 + decimals) : ""}`;
  }

  /** Only the time of day. */
  time(at: number, resolution = SECOND): string {
    return this.text(at, resolution).slice(11);
  }

  /** Parses a time in the format of `text`, or null. */
  parse(text: string): number | null {
    const found = /^\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(:\d{2}(\.\d{1,3})?)?\s*$/.exec(text);
    if (!found) return null;
    const at = Date.parse(`${found[1]}T${found[2]}${found[3] ?? ":00"}Z`);
    if (Number.isNaN(at)) return null;
    // Look up the offset again: within an hour of a change the first guess may have the other one.
    const guess = at - this.offset(at);
    return at - this.offset(guess);
  }

  /** Times of marks between two times, about `count` at most, at round times of day of the host. */
  marks(from: number, to: number, count: number): number[] {
    const step = this.step(from, to, count);
    const marks: number[] = [];
    const first = from + this.offset(from);
    for (let at = Math.ceil(first / step) * step; at <= to + this.offset(to); at += step) {
      const guess = at - this.offset(at - this.offset(from));
      if (guess >= from && guess <= to && guess !== marks.at(-1)) marks.push(guess);
    }
    return marks;
  }

  /** The text of a mark: the day where a new one begins, else the time. */
  mark(at: number, from: number, to: number, count: number): string {
    const step = this.step(from, to, count);
    const iso = this.iso(at);
    if (step >= DAY || iso.slice(11, 23) === "00:00:00.000") return iso.slice(step >= 91 * DAY ? 0 : 5, 10);
    return step >= MINUTE ? iso.slice(11, 16) : step >= SECOND ? iso.slice(11, 19) : iso.slice(14, 23);
  }

  private step(from: number, to: number, count: number): number {
    const least = (to - from) / Math.max(1, count);
    return STEPS.find((step) => step >= least) ?? 364 * DAY;
  }
}
