// A range of time, zoomed and panned.

export interface Range {
  from: number;
  to: number;
}

/** A range moved and stretched about a point, kept within the whole. */
export function changed(range: Range, whole: Range, factor: number, about: number, shift: number, least: number): Range {
  const length = Math.min(Math.max((range.to - range.from) * factor, least), whole.to - whole.from);
  const part = (about - range.from) / (range.to - range.from);
  const from = about - part * length + shift * length;
  const kept = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: kept, to: kept + length };
}
