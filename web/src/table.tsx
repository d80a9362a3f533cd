// A table of numbers: sorted by a column, filtered by name, with rows in the colours of culprit and victim.

import { useMemo, useState } from "preact/hooks";
import type { Column, Row } from "./api";
import { quantity } from "./quantity";

interface Props {
  caption: string;
  /** The heading of the first column. */
  of: string;
  columns: Column[];
  rows: Row[];
  total?: number | undefined;
  /** The column by which the server sorts; absent if the page sorts the rows. */
  sorted?: string;
  onSort?: (column: string) => void;
  /** The class of a row. */
  kind: (row: Row) => string;
  filter?: boolean;
}

const number = (value: unknown): number => (typeof value === "number" ? value : Number.NEGATIVE_INFINITY);

export function DataTable({ caption, of, columns: all, rows: given, total, sorted, onSort, kind, filter }: Props) {
  const [own, setOwn] = useState<string | null>(null);
  const [words, setWords] = useState("");
  const by = onSort ? sorted : (own ?? sorted);
  // Omit columns without a value.
  const kept = all.map((column, index) => column.name === by || given.some((row) => row.cells[index] !== null));
  const columns = all.filter((_, index) => kept[index]);
  const rows = given.map((row) => ({ ...row, cells: row.cells.filter((_, index) => kept[index]) }));
  const shown = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    const found = wanted ? rows.filter((row) => row.label.toLowerCase().includes(wanted)) : rows;
    const at = columns.findIndex((column) => column.name === by);
    return onSort || at < 0 ? found : [...found].sort((one, other) => number(other.cells[at]) - number(one.cells[at]));
  }, [given, all, words, by, onSort]);
  return (
    <section class="table">
      <header>
        <h3>{caption}</h3>
        <span class="dim">{total !== undefined && total > rows.length ? `the first ${rows.length} of ${total}` : rows.length}</span>
        {filter && <input type="search" placeholder="filter" aria-label={`Filter ${caption}`} value={words} onInput={(event) => setWords(event.currentTarget.value)} />}
      </header>
      <div class="wide" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              {columns.map((column) => (
                <th key={column.name} scope="col" class="num" aria-sort={column.name === by ? "descending" : "none"}>
                  <button type="button" title={column.meaning} onClick={() => (onSort ?? setOwn)(column.name)}>
                    {heading(column)}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.entity} class={kind(row)}>
                <th scope="row" title={row.label}>
                  {row.label}
                </th>
                {columns.map((column, index) => {
                  const cell = row.cells[index];
                  return typeof cell === "string" ? <td key={column.name}>{cell}</td> : <td key={column.name} class={`num${cell ? "" : " zero"}`}>{quantity(cell, column.unit)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && <p class="dim">{words ? `No name contains ${words}.` : "None."}</p>}
    </section>
  );
}

function heading(column: Column) {
  return column.name.replaceAll("_", " ");
}

