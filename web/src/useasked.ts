// A component's state that is a document of the server.

import { useEffect, useState } from "preact/hooks";
import { ask, Refused } from "./api";

export interface Asked<T> {
  /** The last answer; it stays until the next one arrives. */
  value: T | null;
  error: Refused | null;
  busy: boolean;
}

/** Requests a path whenever it or `again` changes; nothing while it is null. */
export function useAsked<T>(path: string | null, again = 0): Asked<T> {
  const [state, setState] = useState<Asked<T>>({ value: null, error: null, busy: path !== null });
  useEffect(() => {
    if (path === null) {
      setState({ value: null, error: null, busy: false });
      return;
    }
    const abort = new AbortController();
    setState((old) => ({ ...old, busy: true }));
    ask<T>(path, abort.signal).then(
      (value) => setState({ value, error: null, busy: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((old) => ({ ...old, error: error instanceof Refused ? error : new Refused(0, String(error), ""), busy: false }));
      },
    );
    return () => abort.abort();
  }, [path, again]);
  return state;
}
