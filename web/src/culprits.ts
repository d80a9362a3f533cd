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

const pidOf = (actor: Actor) => ("pid" in actor ? actor.pid : undefined);

/** Whether both may be one: a process without an id is each of its name. */
function same(one: Actor, other: Actor): boolean {
  const [pid, others] = [pidOf(one), pidOf(other)];
  return TABLES[one.kind] === TABLES[other.kind] && nameOf(one) === nameOf(other) && (pid === undefined || others === undefined || pid === others);
}

function kinds(roles: Roles | null): [Actor, Kind][] {
  if (!roles) return [];
  const victims = roles.victims.filter((victim) => !roles.culprits.some((culprit) => same(culprit, victim)));
  return [...roles.culprits.map((actor): [Actor, Kind] => [actor, "culprit"]), ...victims.map((actor): [Actor, Kind] => [actor, "victim"])];
}

/** The names to colour in text. */
export function names(roles: Roles | null): Names {
  // Of two processes of one name the culprit is the last, which stays.
  return new Map(kinds(roles).reverse().map(([actor, kind]) => [nameOf(actor), kind]).filter(([name]) => name) as [string, Kind][]);
}

/** Whether an entity is a culprit or a victim, by its label: `tar[42]`, `dm-0 (orders)`. */
export function kindOf(roles: Roles | null, table: string, label: string): Kind | null {
  const process = /^(.*?)\s*[[(](\d+).*$/.exec(label);
  const found = kinds(roles).find(([actor]) => {
    if (TABLES[actor.kind] !== table) return false;
    const name = nameOf(actor);
    if (label === name) return true;
    if (table === "disk") return label.startsWith(`${name} (`);
    const pid = pidOf(actor);
    return table === "process" && process?.[1] === name && (pid === undefined || pid === Number(process[2]));
  });
  return found ? found[1] : null;
}

/** The colour of a line's entity. */
export function hueOf(roles: Roles | null): (table: string, name: string) => Hue | null {
  return (table, name) => kindOf(roles, table, name);
}
