// The palette of page.css for canvases, which cannot use the colours of style sheets.

import { useEffect, useState } from "preact/hooks";

const queries = ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query));

/** The current value of a colour of the palette. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls `changed` when the palette changes: light, dark, print. Returns the function that stops it. */
export function watchPalette(changed: () => void): () => void {
  for (const query of queries) query.addEventListener("change", changed);
  return () => queries.forEach((query) => query.removeEventListener("change", changed));
}

/** A number that changes with the palette. */
export function usePalette(): number {
  const [count, setCount] = useState(0);
  useEffect(() => watchPalette(() => setCount((count) => count + 1)), []);
  return count;
}
