// A document of the server as the state of a component.

import { useEffect, useState } from "preact/hooks";
import { ask, Refused } from "./api";

export interface Asked<T> {
  /** The last answer; stays while the next one is asked for. */
  value: T | null;
  error: Refused | null;
  busy: boolean;
}

/** Asks for a path whenever it changes, or `again` does. Nothing is asked while it is null. */
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
