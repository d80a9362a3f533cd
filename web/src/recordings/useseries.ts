// The series of a recording over the visible range: requested again after each zoom and pan, with the old ones shown meanwhile.

import { useEffect, useState } from "preact/hooks";
import type { SeriesAnswer } from "../api";
import { Refused, series } from "../api";
import type { Frame } from "../plot/frame";
import { EMPTY, frame } from "../plot/frame";
import type { Range } from "../plot/range";
import type { Panel } from "../plot/panels";
import { busyIn, busyLine, lineName, many } from "../plot/panels";

/** Series in one request, the limit of the server. */
const MOST = 64;
/** Time for which the range must stay the same before a request, ms. */
const SETTLE = 120;

export interface Shown {
  frame: Frame;
  /** Time between the points in ms, and their source: samples, or a level of the pyramid. */
  step: number;
  source: string;
  busy: boolean;
  error: Refused | null;
}

export function useSeries(id: string, panels: Panel[], range: Range | null, points: number, again: number): Shown {
  const [state, setState] = useState<Shown>({ frame: EMPTY, step: 0, source: "", busy: true, error: null });
  const names = [...new Set(panels.filter((panel) => !panel.own).flatMap((panel) => panel.lines.map(lineName)))].slice(0, MOST);
  const wanted = names.join("\n");
  useEffect(() => {
    if (!range || names.length === 0 || points <= 0) return;
    const abort = new AbortController();
    setState((old) => ({ ...old, busy: true }));
    const show = (answer: SeriesAnswer) => setState({ frame: frame(answer), step: answer.step_ms, source: answer.source, busy: false, error: null });
    const refuse = (error: unknown) => {
      if (!abort.signal.aborted) setState((old) => ({ ...old, busy: false, error: error instanceof Refused ? error : new Refused(0, String(error), "") }));
    };
    const timer = setTimeout(() => series(id, names, range, points, abort.signal).then(show, refuse), SETTLE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, wanted, range?.from, range?.to, points, again]);
  return state;
}

/** Points of the series that only say how busy a disk is: the server's least. */
const FEW = 10;
const NO_DISKS = new Map<string, number>();

/** How busy each disk is in a range; empty until the answer arrives, and where all disks are drawn. */
export function useBusy(id: string, disks: string[], range: Range): Map<string, number> {
  const [busy, setBusy] = useState(NO_DISKS);
  useEffect(() => {
    if (!many(disks)) return;
    const abort = new AbortController();
    const parts = Array.from({ length: Math.ceil(disks.length / MOST) }, (_, nth) => disks.slice(nth * MOST, (nth + 1) * MOST));
    const of = (part: string[]) => series(id, part.map(busyLine), range, FEW, abort.signal).then((answer) => busyIn(frame(answer), part));
    const timer = setTimeout(() => Promise.all(parts.map(of)).then((all) => setBusy(new Map(all.flatMap((part) => [...part]))), () => {}), SETTLE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, disks, range.from, range.to]);
  return busy;
}
