// The stream of the live view: open while the tab is visible, reopened when it breaks.

import type { Hello, LiveFinding, Problem, Sample } from "../api";
import { parsed } from "../printable";

export interface Listener {
  hello: (hello: Hello) => void;
  sample: (sample: Sample) => void;
  finding: (finding: LiveFinding) => void;
  problem: (problem: Problem) => void;
  /** Whether it is connected now. */
  state: (connected: boolean) => void;
}

/** Listens until the function that it returns is called. */
export function listen(listener: Listener): () => void {
  let source: EventSource | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
  };
  const open = () => {
    if (source || document.hidden) return;
    const opened = new EventSource("/api/live/stream");
    source = opened;
    const on = <T,>(kind: string, take: (value: T) => void) =>
      opened.addEventListener(kind, (event) => take(parsed<T>((event as MessageEvent<string>).data)));
    on<Hello>("hello", (hello) => {
      listener.state(true);
      listener.hello(hello);
    });
    on<Sample>("sample", listener.sample);
    on<LiveFinding>("finding", listener.finding);
    on<Problem>("problem", listener.problem);
    opened.addEventListener("error", () => {
      listener.state(false);
      // The browser reconnects, except after an answer that is not a stream.
      if (opened.readyState !== EventSource.CLOSED) return;
      close();
      again = setTimeout(open, 2000);
    });
  };
  // A hidden tab keeps no connection: a browser has six per server.
  const sight = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", sight);
  open();
  return () => {
    document.removeEventListener("visibilitychange", sight);
    close();
  };
}
