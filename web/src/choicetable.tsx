// A list of entries to open, or to choose for a comparison.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Entry {
  id: string;
  folder: string;
  problem?: unknown;
}

/** The chosen entries; if there may be only `most`, the latest ones. */
export function useChosen(most = Number.POSITIVE_INFINITY) {
  const [chosen, setChosen] = useState<string[]>([]);
  const choose = (id: string, on: boolean) => setChosen(on ? [...chosen, id].slice(-most) : chosen.filter((one) => one !== id));
  return { chosen, choose };
}

interface Props<E> {
  caption: string;
  /** The headings of the name and of the cells: `num` for numbers, `more` for columns that a phone does not show. */
  headings: { text: string; num?: boolean; more?: boolean }[];
  entries: E[];
  name: (entry: E) => string;
  /** The address of a readable entry. */
  href: (entry: E) => string;
  /** The label of the checkbox for screen readers. */
  label: (entry: E) => string;
  /** The cells between the name and the folder. */
  cells: (entry: E) => ComponentChildren;
  chosen: string[];
  choose: (id: string, on: boolean) => void;
}

export function ChoiceTable<E extends Entry>({ caption, headings, entries, name, href, label, cells, chosen, choose }: Props<E>) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={caption}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">compare</span>
            </th>
            {headings.map(({ text, num, more }) => (
              <th key={text} scope="col" class={[num && "num", more && "more"].filter(Boolean).join(" ") || undefined}>
                {text}
              </th>
            ))}
            <th scope="col" class="more">
              folder
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>
                {!entry.problem && <input type="checkbox" aria-label={`Compare ${label(entry)}`} checked={chosen.includes(entry.id)} onChange={(event) => choose(entry.id, event.currentTarget.checked)} />}
              </td>
              <th scope="row">{entry.problem ? name(entry) : <a href={href(entry)}>{name(entry)}</a>}</th>
              {cells(entry)}
              <td class="dim path more">{entry.folder}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
