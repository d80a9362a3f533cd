// The time axis above the plots: times, the recording's marks, and steps and findings as bands. It stays visible.

import { useEffect, useRef } from "preact/hooks";
import type { Finding, Mark } from "../api";
import type { Clock } from "../clock";
import type { Cursor } from "./cursor";
import { LEFT, RIGHT, SPACE } from "./margins";
import { lanes } from "./lanes";
import type { TimeScale } from "./scale";

const LANE = 12;
/** Width of a character of a step's name in pixels, rounded up. */
const CHARACTER = 5.5;
const LANES = 6;
const AXIS = 20;

interface Props {
  scale: TimeScale;
  clock: Clock;
  cursor: Cursor;
  resolution: number;
  marks: Mark[];
  findings: Finding[];
  selected: number | null;
  onPoint: (finding: Finding | null) => void;
  onSelect: (finding: Finding) => void;
}

/** A step's id and title, or only its id, as the width allows. */
function fitting(text: string, width: number): string {
  return [text, text.split(" ", 1)[0]!].find((name) => name.length * CHARACTER <= width) ?? "";
}

export function Ruler({ scale, clock, cursor, resolution, marks, findings, selected, onPoint, onSelect }: Props) {
  const now = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = (at: number | null) => {
      const label = now.current!;
      label.hidden = at === null || !scale.shows(at);
      if (at === null) return;
      label.textContent = `${clock.text(at, resolution)} ${clock.name}`;
      const half = label.offsetWidth / 2;
      label.style.left = `${Math.min(Math.max(scale.x(at) - half, 0), scale.width - 2 * half)}px`;
    };
    write(cursor.at);
    return cursor.watch(write);
  }, [scale, cursor, clock, resolution]);

  const { from, to } = scale.range;
  const steps = marks.filter((mark) => mark.kind === "step");
  const bands = [...steps.map((mark) => ({ from_ms: mark.at_ms, to_ms: mark.to_ms ?? mark.at_ms, step: mark })), ...findings.map((finding) => ({ from_ms: finding.from_ms, to_ms: finding.to_ms, finding }))];
  const visible = bands.filter((band) => band.to_ms >= from && band.from_ms <= to);
  const rows = lanes(visible, (to - from) / 200, LANES);
  const used = Math.max(0, ...rows.map((row) => (row ?? -1) + 1));
  const height = AXIS + used * LANE + (used ? 4 : 0);
  const count = scale.width / SPACE;
  return (
    <div class="ruler">
      <svg width={scale.width} height={height} role="img" aria-label={`Time from ${clock.text(from)} to ${clock.text(to)} ${clock.name}`}>
        {clock.marks(from, to, count).map((at) => (
          <text key={at} x={scale.x(at)} y={13} text-anchor="middle" class="time">
            {clock.mark(at, from, to, count)}
          </text>
        ))}
        <line class="rule" x1={LEFT} x2={scale.width - RIGHT} y1={AXIS - 1.5} y2={AXIS - 1.5} />
        {visible.map((band, index) => {
          const row = rows[index];
          if (row === null || row === undefined) return null;
          const x = scale.clamped(band.from_ms);
          const width = Math.max(3, scale.clamped(band.to_ms) - x);
          const at = { x, y: AXIS + 1 + row * LANE, width, height: LANE - 3, rx: 1 };
          if ("step" in band) {
            const name = fitting(band.step.text, width - 4);
            return (
              <g key={`step ${index}`}>
                <rect class="step" {...at}>
                  <title>{band.step.text}</title>
                </rect>
                {name && (
                  <text class="step-name" x={x + 2} y={at.y + at.height - 1}>
                    {name}
                  </text>
                )}
              </g>
            );
          }
          const { finding } = band;
          return (
            <rect
              key={finding.id}
              class={`finding ${finding.role}${finding.id === selected ? " selected" : ""}`}
              data-finding={finding.id}
              {...at}
              onPointerEnter={() => onPoint(finding)}
              onPointerLeave={() => onPoint(null)}
              onClick={() => onSelect(finding)}
            >
              <title>{finding.statement}</title>
            </rect>
          );
        })}
        {marks
          .filter((mark) => mark.kind !== "step" && scale.shows(mark.at_ms))
          .map((mark, index) => (
            <path key={index} class={`mark ${mark.kind}`} d={`M${scale.x(mark.at_ms)} ${AXIS - 2}l-4 -6h8z`}>
              <title>{`${clock.text(mark.at_ms, resolution)}: ${mark.text}`}</title>
            </path>
          ))}
      </svg>
      <span class="now" ref={now} hidden />
    </div>
  );
}
