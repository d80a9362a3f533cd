// The server's answers, and how to ask for them. docs/SERVE.md describes each path.

import { parsed } from "./printable";

export type Values = (number | null)[];

export interface Series {
  table: string;
  entity: string;
  metric: string;
  unit: string;
  mean: Values | null;
  min: Values | null;
  max: Values | null;
  missing?: string;
}

export interface SeriesAnswer {
  from_ms: number;
  to_ms: number;
  step_ms: number;
  source: string;
  at_ms: number[];
  series: Series[];
}

export interface Column {
  name: string;
  unit: string;
  meaning: string;
}

export type Cell = number | string | null;

export interface Row {
  entity: string;
  label: string;
  cells: Cell[];
}

export interface TopAnswer {
  columns: Column[];
  rows: Row[];
  total: number;
  sort: string;
}

export interface Term {
  name: string;
  forms: string[];
  definition: string;
}

export interface About {
  version: string;
  host: string;
  now_ms: number;
  live: { available?: boolean; why?: string; source: string; interval_ms: number };
  terms: Term[];
}

export interface Zone {
  /** Null of an import whose zone was given as an offset. */
  name: string | null;
  utc_offset_s: number;
}

export interface Problem {
  what: string;
  hint?: string;
}

export interface RecordingEntry {
  id: string;
  name: string;
  folder: string;
  host: string | null;
  kernel: string | null;
  origin: string | null;
  from_ms?: number;
  to_ms?: number;
  interval_ms?: number;
  growing?: boolean;
  problem?: Problem;
}

export interface Mark {
  at_ms: number;
  to_ms?: number;
  kind: "note" | "step";
  text: string;
}

export interface MarksAnswer {
  /** What is damaged, as far as reading the marks shows. */
  damaged: string[];
  marks: Mark[];
}

export interface Info {
  id: string;
  name: string;
  host: string | null;
  kernel: string | null;
  cpus: number | null;
  memory_bytes: number | null;
  origin: string | null;
  time_zone: Zone | null;
  from_ms: number;
  to_ms: number;
  interval_ms: number;
  growing: boolean;
  /** Of which there are rows at the end of the recording, or of an occasion in it. */
  entities: { disk: { entity: string; label: string }[] };
  /** Half a day or more without samples. */
  gaps: { from_ms: number; to_ms: number }[];
}

export interface Evidence {
  what: string;
  source: string;
  value: string;
  against?: string | null;
  from_ms: number;
  to_ms: number;
}

export interface Advice {
  action: string;
  command: string | null;
  effect: string;
  undo?: string | null;
  scenario?: string | null;
}

/** The account of lost time. */
export type Account = "read_again" | "load" | "device" | "cpu" | "own_work" | "unexplained";

/** A culprit or a victim. */
export type Actor = { kind: "process" | "kernel_thread"; command: string; pid?: number } | { kind: "group"; path: string } | { kind: "disk"; name: string } | { kind: "host" };

export interface Finding {
  id: number;
  rule: string;
  statement: string;
  origins: string[];
  actors: Actor[];
  from_ms: number;
  to_ms: number;
  confidence: number;
  sureness: string;
  role: "cause" | "effect" | "other";
  /** The id of the step that it is about, in an experiment. */
  step: string | null;
  evidence: Evidence[];
  contradictions: Evidence[];
  advice: Advice[];
}

export interface Stage {
  words: string;
  after: number | null;
  how: string;
  kernel: string;
  lag: string;
  finding: number | null;
  from_ms: number;
  to_ms: number;
  origins: string[];
  actors: Actor[];
  role: "cause" | "effect";
  evidence: Evidence[];
}

export interface Incident {
  from_ms: number;
  to_ms: number;
  ongoing: boolean;
  statement: string;
  cause: { rule: string; origins: string[]; actors: Actor[]; onset_ms: number; confidence: number } | null;
}

export interface Diagnosis {
  from_ms: number;
  to_ms: number;
  verdict: "incident" | "forecast" | "healthy" | "cannot_tell" | "experiment";
  /** What could not be read; the verdict is about the rest. */
  damaged: string[];
  summary: string;
  unknown: string[];
  /** Time that the most affected group lost in its worst stretch; absent if no group lost any or it was not recorded. */
  lost_ms?: number;
  /** The same over the range, as shares of the intervals that end at these times. */
  lost?: { title: string; at_ms: number[]; accounts: { account: Account; name: string; shares: Values }[] };
  /** For a file of `pagetide cut`: the diagnosis in the file, made when it was cut. */
  cut_diagnosis?: { tool_version: string; summary: string; chain: string[]; findings: string[]; same: boolean };
  incidents: Incident[];
  chain: Stage[];
  findings: Finding[];
  culprits: Actor[];
  victims: Actor[];
}

export interface Hello {
  id: string;
  host: string;
  kernel: string;
  cpus: number;
  memory_bytes: number;
  interval_ms: number;
  source: string;
  time_zone: Zone | null;
  units?: Record<string, string>;
}

export interface LiveTable {
  columns?: Column[];
  rows: Row[];
  total?: number;
}

export interface Sample {
  at_ms: number;
  span_ms: number;
  memory: { name: string; title: string; bytes: number | null }[];
  total_bytes: number | null;
  host: Record<string, number | null>;
  units?: Record<string, string>;
  disks: LiveTable;
  processes: LiveTable;
  cgroups: LiveTable;
}

export interface LiveFinding {
  event: "began" | "ended";
  rule: string;
  statement: string;
  origins: string[];
  actors: Actor[];
  cause: boolean;
  confidence: number;
  onset_ms: number;
  end_ms: number | null;
}

export interface RunEntry {
  id: string;
  folder: string;
  recording_id: string | null;
  /** Why it cannot be read; the fields below are absent then. */
  problem?: Problem;
  scenario?: string;
  title?: string;
  backend?: string;
  scale?: string;
  kernel?: string;
  started_ms?: number;
  took_ms?: number;
  claims?: { yes: number; no: number; disturbed: number; unknown: number };
  findings?: number;
}

/** A request that the server refused or that did not reach it. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    what: string,
    readonly hint: string,
  ) {
    super(what);
  }
}

/** Asks the server for one document. */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...(signal && { signal }), credentials: "same-origin", headers: { accept: "application/json" } });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused(0, "The server does not answer.", "Check that pagetide serve is still running, then reload the page.");
  }
  const body = await answer.text().then((text) => parsed<unknown>(text)).catch(() => null);
  if (!answer.ok) {
    const error = (body as { error?: Problem } | null)?.error;
    throw new Refused(answer.status, error?.what ?? `The server answered ${answer.status}.`, error?.hint ?? "");
  }
  if (body === null) throw new Refused(answer.status, "The server's answer is not JSON.", "Reload the page; it may not be the server's version.");
  return body as T;
}

/** A path with its query. Absent values are omitted, arrays repeat the key. */
export function path(base: string, query: Record<string, string | number | string[] | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) search.append(key, one);
    else if (value !== null && value !== undefined) search.set(key, String(value));
  }
  const text = search.toString();
  return text ? `${base}?${text}` : base;
}

/** The name of a series in a query: TABLE/METRIC/ENTITY. */
export function seriesName(table: string, metric: string, entity = ""): string {
  return entity ? `${table}/${metric}/${entity}` : `${table}/${metric}`;
}

/** The series of a recording, by `names`, over the range, with at most `points` points each. */
export function series(id: string, names: string[], range: { from: number; to: number } | null, points: number, signal?: AbortSignal): Promise<SeriesAnswer> {
  const query = { s: names, from: range && Math.round(range.from), to: range && Math.round(range.to), points };
  return ask(path(`/api/recording/${id}/series`, query), signal);
}
