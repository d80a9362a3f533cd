// Plots below each other on one time axis, with common zoom, pan and crosshair, by pointer, wheel and keys.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Diagnosis, Finding, Mark } from "../api";
import type { Clock } from "../clock";
import type { Names } from "../terms";
import type { Box } from "./chain";
import { Cursor } from "./cursor";
import { Missing, PlotFigure, Quiet } from "./figure";
import type { Frame } from "./frame";
import { blanks, EMPTY, idle, indexAt, present } from "./frame";
import type { Stretch } from "./overlay";
import { Overlay } from "./overlay";
import { magnified } from "./margins";
import type { Panel } from "./panels";
import type { Range } from "./range";
import { changed } from "./range";
import { Ruler } from "./ruler";
import { TimeScale } from "./scale";

interface Props {
  panels: Panel[];
  frame: Frame;
  range: Range;
  whole: Range;
  resolution: number;
  clock: Clock;
  height: number;
  marks: Mark[];
  findings: Finding[];
  diagnosis: Diagnosis | null;
  names: Names;
  stretches: Stretch[];
  pointedStage: number | null;
  selected: number | null;
  onRange: (range: Range | null) => void;
  onPoint: (finding: Finding | null) => void;
  onSelect: (finding: Finding) => void;
  children?: ComponentChildren;
}

/** The shortest range: a few samples. */
const LEAST = 5;

export function LinkedPlots(props: Props) {
  const { frame, range, whole, resolution, clock, marks, findings, diagnosis, names, stretches, pointedStage, selected } = props;
  const root = useRef<HTMLDivElement>(null);
  const stack = useRef<HTMLDivElement>(null);
  const cursor = useMemo(() => new Cursor(), []);
  const [layout, setLayout] = useState<{ width: number; height: number; boxes: Map<string, Box> }>({ width: 0, height: 0, boxes: new Map() });
  const drawable = present(frame, props.panels);
  const panels = drawable.filter((panel) => !idle(frame, panel));
  const gaps = useMemo(() => blanks(frame), [frame]);
  const missing = frame === EMPTY ? [] : props.panels.filter((panel) => !drawable.includes(panel));
  const quiet = drawable.filter((panel) => idle(frame, panel));
  const drawn = panels.map((panel) => panel.id).join(" ");

  useLayoutEffect(() => {
    const measure = () => {
      const boxes = new Map<string, Box>();
      const top = stack.current!.getBoundingClientRect().top;
      for (const figure of stack.current!.querySelectorAll<HTMLElement>("figure.plot")) {
        const box = figure.querySelector(".canvas")!.getBoundingClientRect();
        boxes.set(figure.dataset.panel ?? "", { top: box.top - top, height: props.height * magnified() });
      }
      setLayout({ width: stack.current!.clientWidth, height: stack.current!.clientHeight, boxes });
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(stack.current!);
    return () => sizes.disconnect();
  }, [drawn, props.height]);

  const scale = useMemo(() => new TimeScale(range, layout.width), [range.from, range.to, layout.width]);
  const least = Math.max(1, resolution) * LEAST;
  const change = (factor: number, about: number, shift: number) => props.onRange(changed(range, whole, factor, about, shift, least));

  const wheel = useRef<(event: WheelEvent) => void>(() => {});
  wheel.current = (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const about = scale.at(event.clientX - stack.current!.getBoundingClientRect().left);
    const turn = event.deltaY || event.deltaX;
    if (event.ctrlKey) change(turn > 0 ? 1.25 : 0.8, Math.min(Math.max(about, range.from), range.to), 0);
    else change(1, range.from, turn > 0 ? 0.1 : -0.1);
  };
  useLayoutEffect(() => {
    const turned = (event: WheelEvent) => wheel.current(event);
    // Not passive: it must keep the browser from zooming the page.
    root.current!.addEventListener("wheel", turned, { passive: false });
    return () => root.current?.removeEventListener("wheel", turned);
  }, []);

  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const middle = cursor.at ?? (range.from + range.to) / 2;
    const step = (count: number) => {
      const now = cursor.at === null ? (count > 0 ? -1 : frame.at.length) : indexAt(frame.at, cursor.at);
      const at = frame.at[Math.min(Math.max(now + count, 0), frame.at.length - 1)];
      if (at !== undefined) cursor.set(Math.min(Math.max(at, range.from), range.to));
    };
    const acts: Record<string, () => void> = {
      "+": () => change(0.5, middle, 0),
      "=": () => change(0.5, middle, 0),
      "-": () => change(2, middle, 0),
      "0": () => props.onRange(null),
      ArrowLeft: () => (event.shiftKey ? change(1, range.from, -0.25) : step(-1)),
      ArrowRight: () => (event.shiftKey ? change(1, range.from, 0.25) : step(1)),
      PageUp: () => change(1, range.from, -1),
      PageDown: () => change(1, range.from, 1),
      Home: () => cursor.set(range.from),
      End: () => cursor.set(range.to),
      Escape: () => cursor.set(null),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  const resting = findings.length || marks.some((mark) => mark.kind === "step");
  return (
    <div
      class="linked"
      ref={root}
      tabIndex={0}
      role="group"
      aria-label="Plots on one time axis. Arrow keys move the crosshair, plus and minus zoom, shift and arrow pan, 0 shows all."
      onKeyDown={key}
      onPointerLeave={() => cursor.set(null)}
    >
      {layout.width > 0 && (
        <Ruler {...{ scale, clock, cursor, resolution, marks, findings, selected }} onPoint={props.onPoint} onSelect={props.onSelect} key={resting ? "bands" : "plain"} />
      )}
      <div class="stack" ref={stack}>
        {panels.map((panel) => (
          <PlotFigure key={panel.id} {...{ panel, frame, range, clock, cursor }} height={props.height} onRange={props.onRange} />
        ))}
        <Quiet panels={quiet} when="in the whole range" />
        <Missing panels={missing} />
        {layout.width > 0 && <Overlay {...{ scale, panels, gaps, stretches, diagnosis, names }} height={layout.height} boxes={layout.boxes} pointed={pointedStage} />}
      </div>
    </div>
  );
}
