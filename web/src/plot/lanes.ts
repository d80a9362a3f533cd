// Places stretches of time in rows, so that none overlap.

export interface Stretch {
  from_ms: number;
  to_ms: number;
}

/** The row of each stretch: the first whose last stretch ended before it begins; null beyond `most` rows. */
export function lanes(stretches: Stretch[], apart: number, most: number): (number | null)[] {
  const free: number[] = [];
  const order = stretches.map((_, index) => index).sort((one, other) => stretches[one]!.from_ms - stretches[other]!.from_ms);
  const rows: (number | null)[] = stretches.map(() => null);
  for (const index of order) {
    const stretch = stretches[index]!;
    let row = free.findIndex((end) => end <= stretch.from_ms);
    if (row < 0) row = free.length < most ? free.push(0) - 1 : -1;
    if (row < 0) continue;
    free[row] = stretch.to_ms + apart;
    rows[index] = row;
  }
  return rows;
}
