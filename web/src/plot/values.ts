// Arithmetic on values that may be absent.

import type { Values } from "../api";

export function mean(values: Values): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}
