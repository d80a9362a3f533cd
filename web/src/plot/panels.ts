// The plots: the series of each, and their colours. The live view, recordings and comparisons draw the same ones.

import type { Account, Diagnosis } from "../api";
import { seriesName } from "../api";
import type { Frame } from "./frame";
import { mean } from "./values";

/** A colour of the palette in page.css. */
export type Hue = "anon" | "other" | "dirty" | "clean" | "free" | "blue" | "red" | "sky" | "amber" | "green" | "pink" | "soft" | "culprit" | "victim";

export interface Line {
  table: string;
  metric: string;
  entity: string;
  name: string;
  hue: Hue;
  /** An area down to zero, a line, or a dashed line for a limit. */
  style: "area" | "line" | "limit";
}

export interface Panel {
  id: string;
  title: string;
  /** Whether the lines are stacked. */
  stacked: boolean;
  lines: Line[];
  /** Where the numbers come from. */
  note: string;
  /** Metrics of evidence that belong on this plot, by the source that the rules name. */
  shows: RegExp;
  /** Its own data, if not the view's. */
  own?: Frame;
}

const host = (metric: string, name: string, hue: Hue, style: Line["style"] = "line"): Line => ({ table: "host", metric, entity: "", name, hue, style });
const memory = (metric: string, name: string, hue: Hue): Line => ({ table: "memory", metric, entity: "", name, hue, style: "area" });

const MEMORY: Panel = {
  id: "memory",
  title: "Memory",
  stacked: true,
  lines: [
    memory("anonymous", "anonymous", "anon"),
    memory("other", "kernel and other", "other"),
    memory("dirty", "dirty and writeback", "dirty"),
    memory("clean", "clean cache", "clean"),
    memory("free", "free", "free"),
  ],
  note: "/proc/meminfo; shared memory counts as anonymous",
  shows: /\b(AnonPages|MemFree|MemAvailable|Cached|Active|Inactive|Slab|SUnreclaim|Shmem|anon|file|slab_\w+|memory\.current|current|rss|Rss\w+|VmRSS|VmSwap|SwapFree|SwapTotal|MemTotal)\b/,
};

const DIRTY: Panel = {
  id: "dirty",
  title: "Dirty memory",
  stacked: false,
  lines: [
    memory("dirty", "dirty and writeback", "dirty"),
    host("nr_dirty_background_threshold", "background threshold", "green", "limit"),
    host("freerun", "freerun", "amber", "limit"),
    host("nr_dirty_threshold", "dirty threshold", "red", "limit"),
  ],
  note: "above freerun the kernel throttles writers",
  shows: /\b(nr_dirty\w*|nr_writeback|nr_dirtied|nr_written|Dirty|Writeback|freerun|dirty_room|throttled\w*)\b/,
};

const CACHE: Panel = {
  id: "cache",
  title: "Cache hits",
  stacked: false,
  lines: [host("host_hit_ratio", "hit ratio of reads, estimated", "green")],
  note: "1 - bytes that processes read from devices / bytes that they requested by read calls, pipes and sockets included",
  shows: /\b(host_hit_ratio|hit_ratio|rchar)\b/,
};

const RECLAIM: Panel = {
  id: "reclaim",
  title: "Reclaim",
  stacked: false,
  lines: [
    host("scanned", "scanned", "blue"),
    host("scanned_direct", "scanned by direct reclaim", "sky"),
    host("stolen", "stolen", "amber"),
    host("refaults_file", "refaults of file pages", "red"),
  ],
  note: "/proc/vmstat",
  shows: /\b(pgscan\w*|pgsteal\w*|workingset_\w+|scanned\w*|stolen\w*|refaults\w*|kswapd\w*|pageoutrun)\b/,
};

const FAULTS: Panel = {
  id: "faults",
  title: "Major faults and direct reclaims",
  stacked: false,
  lines: [host("major_faults", "major faults", "red"), host("direct_reclaims", "direct reclaims", "sky")],
  note: "/proc/vmstat",
  shows: /\b(pgmajfault|majflt|major_faults|allocstall\w*|direct_reclaims)\b/,
};

const SWAP: Panel = {
  id: "swap",
  title: "Swap",
  stacked: false,
  lines: [host("swap_in", "swapped in", "red"), host("swap_out", "swapped out", "amber")],
  note: "/proc/vmstat",
  shows: /\b(pswpin|pswpout|swap_in|swap_out|swap_used)\b/,
};

const PRESSURE: Panel = {
  id: "pressure",
  title: "Pressure (PSI some)",
  stacked: false,
  lines: [host("psi_io_some", "IO", "blue"), host("psi_memory_some", "memory", "red"), host("psi_cpu_some", "CPU", "pink")],
  note: "share of time in which at least one task waited",
  shows: /\bpsi_\w+/,
};

/** Time lost to memory has the colour of memory, to devices that of devices. */
const ACCOUNT_HUES: Record<Account, Hue> = { read_again: "anon", load: "dirty", device: "clean", cpu: "pink", own_work: "other", unexplained: "soft" };

/** The first plot: the lost time of the most affected group, by account. */
export function lostTime(lost: NonNullable<Diagnosis["lost"]>): Panel {
  const lines = lost.accounts.map(({ account, name }): Line => ({ table: "lost", metric: account, entity: "", name, hue: ACCOUNT_HUES[account], style: "area" }));
  const drawn = lost.accounts.map(({ shares }, index) => [lineName(lines[index]!), { unit: "ratio", mean: shares, min: null, max: null }] as const);
  const own = { at: lost.at_ms, lines: new Map(drawn) };
  return { id: "lost", title: lost.title, stacked: true, lines, note: "pressure of the group above its baseline, booked to accounts", shows: /\blost\b/, own };
}

/** Colours of the lines of disks, in turn. A culprit or victim has its own. */
const DISK_HUES: Hue[] = ["blue", "amber", "green", "pink", "sky", "soft"];
/** Disks that are drawn, at most: more lines cannot be told apart. */
const DISKS = DISK_HUES.length;

function disk(id: string, title: string, metric: string, disks: string[], note: string, shows: RegExp): Panel {
  const lines = disks.map((entity, index): Line => ({ table: "disk", metric, entity, name: entity, hue: DISK_HUES[index % DISKS]!, style: "line" }));
  return { id, title, stacked: false, lines, note, shows };
}

/** Disks whose requests go to another disk or to memory, and removable ones. They come last. */
const VIRTUAL = /^(loop|ram|zram|sr|fd|nbd)\d/;

/** Disks in the order in which they are drawn: those of `first`, then the others by name. */
function ordered(disks: string[], first: string[]): string[] {
  const rank = (disk: string) => (first.includes(disk) ? 0 : VIRTUAL.test(disk) ? 2 : 1);
  return [...disks].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** The disks that are drawn: those of `first`, and of the others the busiest. Until it is known how busy they are, by name. */
export function drawnDisks(disks: string[], busy: Map<string, number>, first: string[] = []): string[] {
  const rank = (disk: string) => (first.includes(disk) ? 1 : 0);
  const most = ordered(disks, first).sort((one, other) => rank(other) - rank(one) || (busy.get(other) ?? 0) - (busy.get(one) ?? 0));
  return ordered(most.slice(0, DISKS), first);
}

/** Whether there are more disks than are drawn, so that they must be chosen. */
export const many = (disks: string[]) => disks.length > DISKS;

/** By how much time each disk was busy, which decides whether it is drawn. */
export const busyLine = (disk: string) => seriesName("disk", "busy", disk);

/** The mean of each disk's busy time in a frame. */
export function busyIn(frame: Frame, disks: string[]): Map<string, number> {
  return new Map(disks.map((disk) => [disk, mean(frame.lines.get(busyLine(disk))?.mean ?? []) ?? 0]));
}

/** Reads of the processes that read most. */
export function processReads(rows: { entity: string; label: string }[]): Panel {
  const lines = rows.slice(0, DISKS).map(({ entity, label }, index): Line => ({ table: "process", metric: "read_bytes", entity, name: label, hue: DISK_HUES[index]!, style: "line" }));
  return { id: "process-reads", title: "Reads from devices by process", stacked: false, lines, note: "/proc/PID/io", shows: /\b(read_bytes|syscr)\b/ };
}

/** The plots of a host with these disks, of `all`. `more` follow the plot of the disks' reads. */
export function panels(disks: string[], more: Panel[] = [], all = disks.length): Panel[] {
  const left = all - disks.length;
  const and = left > 0 ? `; ${left} more ${left === 1 ? "disk" : "disks"}, less busy, in the table of disks` : "";
  return [
    MEMORY,
    DIRTY,
    CACHE,
    RECLAIM,
    FAULTS,
    disk("reads", "Disk reads", "read_bandwidth", disks, `/proc/diskstats${and}`, /\b(reads|read_sectors|pgpgin|read_ahead\w*)\b/),
    ...more,
    disk("writes", "Disk writes", "write_bandwidth", disks, `/proc/diskstats${and}`, /\b(writes|write_sectors|write_bytes|pgpgout|syscw|wchar)\b/),
    disk("await", "Disk await", "await", disks, `time from the submission of a request to its completion${and}`, /\b(read_ms|write_ms|await\w*|clat\w*|flush_ms)\b/),
    disk("busy", "Disk busy", "busy", disks, `share of time with a request in flight (iostat's %util)${and}`, /\b(io_ms|util|weighted_io_ms|queue_depth|busy)\b/),
    SWAP,
    PRESSURE,
  ];
}

/** The plot of a measurement, by its source; null if none shows it. */
export function panelOf(panels: Panel[], source: string): Panel | null {
  const at = (panel: Panel): number => {
    const place = source.search(panel.shows);
    return place < 0 ? Number.POSITIVE_INFINITY : place;
  };
  const nearest = [...panels].sort((one, other) => at(one) - at(other))[0];
  return nearest && Number.isFinite(at(nearest)) ? nearest : null;
}

export function lineName(line: Line): string {
  return seriesName(line.table, line.metric, line.entity);
}

/** The plots with the lines of entities in the colour of a culprit or victim. */
export function coloured(panels: Panel[], hueOf: (table: string, name: string) => Hue | null): Panel[] {
  return panels.map((panel) => {
    // Only the first culprit of a plot gets the colour: two processes of one name must remain two lines.
    const taken = new Set<Hue>();
    const lines = panel.lines.map((line) => {
      const hue = (line.entity && hueOf(line.table, line.name)) || null;
      if (hue === null || taken.has(hue)) return line;
      taken.add(hue);
      return { ...line, hue };
    });
    return { ...panel, lines };
  });
}
