// The terms of the glossary as one pattern that finds them in text.

import type { Term } from "./api";

export interface Glossary {
  pattern: RegExp;
  definitions: Map<string, Term>;
}

export const EMPTY: Glossary = { pattern: /(?!)/g, definitions: new Map() };

export function glossary(terms: Term[]): Glossary {
  const definitions = new Map<string, Term>();
  for (const term of terms) for (const name of [term.name, ...term.forms]) definitions.set(name.toLowerCase(), term);
  const names = [...definitions.keys()].sort((one, other) => other.length - one.length);
  if (names.length === 0) return EMPTY;
  const quoted = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { pattern: new RegExp(`(?<![\\w-])(?:${quoted.join("|")})(?![\\w-])`, "gi"), definitions };
}
