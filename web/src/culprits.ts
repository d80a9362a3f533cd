// Culprit and victim: one colour each, in plots, tables and text.

import type { Hue } from "./plot/panels";
import type { Names } from "./terms";

export type Kind = "culprit" | "victim";

/** Who is which, as a diagnosis or the findings of now say. */
export interface Roles {
  culprits: string[];
  victims: string[];
}

const TABLES: Record<string, string> = { process: "process", disk: "disk", cgroup: "cgroup" };

function kinds(roles: Roles | null): [string, Kind][] {
  if (!roles) return [];
  const victims = roles.victims.filter((origin) => !roles.culprits.includes(origin));
  return [...roles.culprits.map((origin): [string, Kind] => [origin, "culprit"]), ...victims.map((origin): [string, Kind] => [origin, "victim"])];
}

/** The names to colour in text. */
export function names(roles: Roles | null): Names {
  return new Map(kinds(roles).map(([origin, kind]) => [origin.slice(origin.indexOf(":") + 1), kind]).filter(([name]) => name) as [string, Kind][]);
}

/** What an entity of a table is; processes are known by the name before their id. */
export function kindOf(roles: Roles | null, table: string, label: string): Kind | null {
  const found = kinds(roles).find(([origin]) => {
    const at = origin.indexOf(":");
    if (TABLES[origin.slice(0, at)] !== table) return false;
    const name = origin.slice(at + 1);
    return table === "process" ? label === name || label.replace(/\s*[[(]\d+.*$/, "") === name : label === name;
  });
  return found ? found[1] : null;
}

/** The colour of what a line is of. */
export function hueOf(roles: Roles | null): (table: string, name: string) => Hue | null {
  return (table, name) => kindOf(roles, table, name);
}
