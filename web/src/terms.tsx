// Text with glossary terms marked. Their definitions appear under the pointer and on keyboard focus.

import type { ComponentChildren, VNode } from "preact";
import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { Term } from "./api";
import type { Glossary } from "./glossary";
import { EMPTY, glossary } from "./glossary";

const Terms = createContext<Glossary>(EMPTY);

export function GlossaryProvider({ terms, children }: { terms: Term[]; children: ComponentChildren }) {
  const value = useMemo(() => glossary(terms), [terms]);
  return <Terms.Provider value={value}>{children}</Terms.Provider>;
}

/** Names to colour in text, with their classes. */
export type Names = Map<string, string>;

/** A text with the first occurrence of each term marked, and names in their colours. */
export function Prose({ text, names }: { text: string; names?: Names }): VNode {
  const { pattern, definitions } = useContext(Terms);
  return <>{marked(text, pattern, definitions).flatMap((part) => (typeof part === "string" ? namesMarked(part, names) : [part]))}</>;
}

function marked(text: string, pattern: RegExp, definitions: Map<string, Term>): (string | VNode)[] {
  const seen = new Set<Term>();
  const parts: (string | VNode)[] = [];
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    const term = definitions.get(found[0].toLowerCase());
    if (!term || seen.has(term)) continue;
    seen.add(term);
    parts.push(text.slice(from, found.index));
    parts.push(<Defined text={found[0]} meaning={term.definition} />);
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

function namesMarked(text: string, names: Names | undefined): (string | VNode)[] {
  if (!names || names.size === 0) return [text];
  const quoted = [...names.keys()].sort((one, other) => other.length - one.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\w/-])(${quoted.join("|")})(?![\\w/-])`, "g");
  return text.split(pattern).map((part, index) => (index % 2 ? <b class={`name ${names.get(part)}`}>{part}</b> : part));
}

/** A word with its definition. */
export function Defined({ text, meaning }: { text: string; meaning: string }): VNode {
  return meaning ? (
    <abbr tabIndex={0} title={meaning}>
      {text}
    </abbr>
  ) : (
    <>{text}</>
  );
}
