// Culprit and victim: one colour each, in plots, tables and text.

import type { Diagnosis } from "./api";
import type { Hue } from "./plot/panels";
import type { Names } from "./terms";

export type Kind = "culprit" | "victim";

const TABLES: Record<string, string> = { process: "process", disk: "disk", cgroup: "cgroup" };

function kinds(diagnosis: Pick<Diagnosis, "culprits" | "victims"> | null): [string, Kind][] {
  if (!diagnosis) return [];
  const victims = diagnosis.victims.filter((origin) => !diagnosis.culprits.includes(origin));
  return [...diagnosis.culprits.map((origin): [string, Kind] => [origin, "culprit"]), ...victims.map((origin): [string, Kind] => [origin, "victim"])];
}

/** The names to colour in text. */
export function names(diagnosis: Pick<Diagnosis, "culprits" | "victims"> | null): Names {
  return new Map(kinds(diagnosis).map(([origin, kind]) => [origin.slice(origin.indexOf(":") + 1), kind]).filter(([name]) => name) as [string, Kind][]);
}

/** What an entity of a table is; processes are known by the name before their id. */
export function kindOf(diagnosis: Pick<Diagnosis, "culprits" | "victims"> | null, table: string, label: string): Kind | null {
  const found = kinds(diagnosis).find(([origin]) => {
    const at = origin.indexOf(":");
    if (TABLES[origin.slice(0, at)] !== table) return false;
    const name = origin.slice(at + 1);
    return table === "process" ? label === name || label.replace(/\s*[[(]\d+.*$/, "") === name : label === name;
  });
  return found ? found[1] : null;
}

export function hueOf(diagnosis: Diagnosis | null): (table: string, entity: string) => Hue | null {
  return (table, entity) => kindOf(diagnosis, table, entity);
}
