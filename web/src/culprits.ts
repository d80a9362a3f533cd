// Culprits and victims have one colour each, in plots, tables and text.

import type { Actor } from "./api";
import type { Hue } from "./plot/panels";
import type { Names } from "./terms";

export type Kind = "culprit" | "victim";

/** Culprits and victims of a diagnosis or of the current findings. */
export interface Roles {
  culprits: Actor[];
  victims: Actor[];
}

/** The table of an actor's rows. */
const TABLES = { process: "process", kernel_thread: "process", group: "cgroup", disk: "disk", host: "host" };

/** Its name; empty of the host. */
export function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case "process":
    case "kernel_thread":
      return actor.command;
    case "group":
      return actor.path;
    case "disk":
      return actor.name;
    case "host":
      return "";
  }
}

function same(one: Actor, other: Actor): boolean {
  return TABLES[one.kind] === TABLES[other.kind] && nameOf(one) === nameOf(other);
}

function kinds(roles: Roles | null): [Actor, Kind][] {
  if (!roles) return [];
  const victims = roles.victims.filter((victim) => !roles.culprits.some((culprit) => same(culprit, victim)));
  return [...roles.culprits.map((actor): [Actor, Kind] => [actor, "culprit"]), ...victims.map((actor): [Actor, Kind] => [actor, "victim"])];
}

/** The names to colour in text. */
export function names(roles: Roles | null): Names {
  return new Map(kinds(roles).map(([actor, kind]) => [nameOf(actor), kind]).filter(([name]) => name) as [string, Kind][]);
}

/** Whether an entity is a culprit or a victim. Processes match by the name before their id. */
export function kindOf(roles: Roles | null, table: string, label: string): Kind | null {
  const found = kinds(roles).find(([actor]) => {
    if (TABLES[actor.kind] !== table) return false;
    const name = nameOf(actor);
    return table === "process" ? label === name || label.replace(/\s*[[(]\d+.*$/, "") === name : label === name;
  });
  return found ? found[1] : null;
}

/** The colour of a line's entity. */
export function hueOf(roles: Roles | null): (table: string, name: string) => Hue | null {
  return (table, name) => kindOf(roles, table, name);
}
