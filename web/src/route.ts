// The address: the view, its subject and its range. All of it is in the fragment, so a copied address shows the same view.

export interface Route {
  /** The parts of the path: `["recording", ID]`. */
  path: string[];
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const text = hash.replace(/^#\/?/, "");
  const [before = "", after = ""] = text.split("?", 2);
  const path = before.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { path, query: new URLSearchParams(after) };
}

export function address(path: string[], query: Record<string, string | number | string[] | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) search.append(key, one);
    else if (value !== null && value !== undefined && value !== "") search.set(key, String(value));
  }
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/** Goes to an address; with `replace` the back key does not return to the one before. */
export function go(to: string, replace = false): void {
  if (to === location.hash) return;
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  // At once, so that the next key that zooms starts from this range.
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** A time range of a query, or null. */
export function range(query: URLSearchParams): { from: number; to: number } | null {
  const from = Number(query.get("from") ?? Number.NaN);
  const to = Number(query.get("to") ?? Number.NaN);
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? { from, to } : null;
}
