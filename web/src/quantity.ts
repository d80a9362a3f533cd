// Formats amounts by the same rules as crates/core/src/quantity.rs. A test compares the two.

const grouped = (value: number): string => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, " ");

const plain = (value: number): string => {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 99.95) return grouped(value);
  return size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
};

const scaled = (value: number, base: number, units: string[]): string => {
  let unit = 0;
  // A value that rounds up to the next unit is written in that: 999.7 ms is 1.00 s.
  while (unit < units.length - 1 && value >= base * 0.9995) {
    value /= base;
    unit += 1;
  }
  const digits = Number.isInteger(value) || unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
};

const percent = (value: number): string => {
  const size = Math.abs(value);
  const digits = size >= 99.95 || Number.isInteger(value) ? 0 : size >= 0.9995 ? 1 : 3;
  return `${value.toFixed(digits)} %`;
};

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];
const RATES = ["B/s", "KiB/s", "MiB/s", "GiB/s"];
const TIMES = ["ns", "us", "ms", "s"];
const SCALED = ["bytes", "bytes_per_second", "nanos"];

/** A value in one of the server's units, formatted for people. */
export function quantity(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value < 0) return `-${quantity(-value, unit)}`;
  switch (unit) {
    case "bytes":
      return scaled(Math.round(value), 1024, BYTES);
    case "bytes_per_second":
      return scaled(Math.round(value), 1024, RATES);
    case "nanos":
      return scaled(Math.round(value), 1000, TIMES);
    case "ratio":
      return percent(value * 100);
    case "per_second":
      return `${plain(value)}/s`;
    default:
      return plain(value);
  }
}

/** The text of an axis mark, without needless decimals. */
export function tick(value: number, unit: string): string {
  if (value === 0) return "0";
  if (unit === "ratio") return `${Number((value * 100).toPrecision(3))} %`;
  if (SCALED.includes(unit)) return quantity(value, unit).replace(/\.0+(?= )|(\.\d*?)0+(?= )/, "$1");
  const text = value >= 1e6 ? `${Number((value / 1e6).toPrecision(3))} M` : value >= 1e4 ? `${Number((value / 1e3).toPrecision(3))} k` : String(Number(value.toPrecision(3)));
  return unit === "per_second" ? `${text}/s` : text;
}

/** Distances between marks: powers of two for bytes, 1, 2 and 5 for the rest. */
export function increments(unit: string): number[] {
  if (unit.startsWith("bytes")) return Array.from({ length: 50 }, (_, power) => 2 ** power);
  const steps = Array.from({ length: 20 }, (_, power) => [1, 2, 5].map((step) => Number((step * 10 ** (power - 5)).toPrecision(1)))).flat();
  // Nanoseconds have no fractions.
  return unit === "nanos" ? steps.filter((step) => step >= 1) : steps;
}

const LENGTHS: [number, string][] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]];

/** A duration: `12.5 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 100) / 10;
  if (seconds < 60) return `${seconds} s`;
  for (const [index, [long, name]] of LENGTHS.entries()) {
    const [short, part] = LENGTHS[index + 1] ?? [long, name];
    const parts = Math.round(ms / short);
    const whole = Math.floor((parts * short) / long);
    if (whole === 0) continue;
    const rest = parts - (whole * long) / short;
    return rest > 0 ? `${whole} ${name} ${rest} ${part}` : `${whole} ${name}`;
  }
  return `${seconds} s`;
}
