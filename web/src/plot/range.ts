// Zooms and pans a range of time.

export interface Range {
  from: number;
  to: number;
}

/** A range scaled about a point and shifted, within the whole. */
export function changed(range: Range, whole: Range, factor: number, about: number, shift: number, least: number): Range {
  const length = Math.min(Math.max((range.to - range.from) * factor, least), whole.to - whole.from);
  const part = (about - range.from) / (range.to - range.from);
  const from = about - part * length + shift * length;
  const kept = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: kept, to: kept + length };
}

/** Samples further apart than this, in ms, are from separate occasions: half a day. */
const APART = 12 * 3_600_000;
/** A recording that has samples for less than this share of its time is shown one occasion at a time. */
const SPARSE = 0.1;
/** Times before this are placeholders: imports put unknown days there. */
const KNOWN = Date.UTC(2000, 0, 1);

/** The time in a range without the gaps. */
export function sampled(range: Range, gaps: Range[]): number {
  const within = (gap: Range) => Math.max(0, Math.min(gap.to, range.to) - Math.max(gap.from, range.from));
  return gaps.reduce((left, gap) => left - within(gap), range.to - range.from);
}

/** The occasions of a recording: files days or years apart, or all of it as one. */
export function occasions(whole: Range, gaps: Range[]): Range[] {
  const long = gaps.filter((gap) => gap.to - gap.from > APART).sort((one, other) => one.from - other.from);
  if (sampled(whole, long) > SPARSE * (whole.to - whole.from)) return [whole];
  const ends = [whole.from, ...long.flatMap((gap) => [gap.from, gap.to]), whole.to];
  return Array.from({ length: ends.length / 2 }, (_, nth) => ({ from: ends[2 * nth]!, to: Math.max(ends[2 * nth + 1]!, ends[2 * nth]! + 1) }));
}

/** Whether the day of a time is known. */
export const dated = (at: number) => at >= KNOWN;

/** The occasion that is shown first: that of a moment if there is one, else the longest one with a known day. */
export function first(all: Range[], moment?: number): Range {
  const there = all.find((one) => moment !== undefined && one.from <= moment && moment <= one.to);
  if (there) return there;
  const known = all.filter((one) => dated(one.from));
  const length = (range: Range) => range.to - range.from;
  return (known.length ? known : all).reduce((most, one) => (length(one) > length(most) ? one : most));
}
