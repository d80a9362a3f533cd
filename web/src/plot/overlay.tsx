// The layer over all plots: gaps, the stretches under the pointer, and the causal chain.

import type { Diagnosis } from "../api";
import type { Names } from "../terms";
import type { Box } from "./chain";
import { arrows, nodes, panelsOf } from "./chain";
import type { Panel } from "./panels";
import type { Range } from "./range";
import type { TimeScale } from "./scale";

export interface Stretch {
  from_ms: number;
  to_ms: number;
  kind: "incident" | "pointed";
  /** The plot that it belongs to; all if absent. */
  panel?: string;
}

interface Props {
  scale: TimeScale;
  height: number;
  boxes: Map<string, Box>;
  panels: Panel[];
  gaps: Range[];
  stretches: Stretch[];
  diagnosis: Diagnosis | null;
  names: Names;
  pointed: number | null;
}

export function Overlay({ scale, height, boxes, panels, gaps, stretches, diagnosis, names, pointed }: Props) {
  const placed = diagnosis ? nodes(diagnosis, panelsOf(diagnosis, panels), boxes, scale) : [];
  const span = (from: number, to: number) => {
    const x = scale.clamped(from);
    return { x, width: Math.max(2, scale.clamped(to) - x) };
  };
  const inSight = (stretch: { from_ms: number; to_ms: number }) => stretch.to_ms >= scale.range.from && stretch.from_ms <= scale.range.to;
  return (
    <svg class="overlay" width={scale.width} height={height} aria-hidden="true">
      {gaps
        .filter((gap) => inSight({ from_ms: gap.from, to_ms: gap.to }))
        .map((gap, index) => (
          <rect key={`gap ${index}`} class="gap" y={0} height={height} {...span(gap.from, gap.to)} />
        ))}
      {stretches.filter(inSight).map((stretch, index) => {
        const box = stretch.panel ? boxes.get(stretch.panel) : undefined;
        return <rect key={`stretch ${index}`} class={`stretch ${stretch.kind}`} y={box?.top ?? 0} height={box?.height ?? height} {...span(stretch.from_ms, stretch.to_ms)} />;
      })}
      {arrows(placed).map((arrow) => (
        <g key={`arrow ${arrow.to}`} class={`arrow${arrow.to === pointed ? " pointed" : ""}`}>
          <path d={arrow.path} />
          <path class="tip" d={arrow.tip} />
        </g>
      ))}
      {placed.map((node) => (
        <g key={`node ${node.index}`} class={`node ${node.stage.role}${node.index === pointed ? " pointed" : ""} ${named(node.stage.words, names)}`}>
          <circle cx={node.x} cy={node.y} r={7} />
          <text class="number" x={node.x} y={node.y + 3.5} text-anchor="middle">
            {node.index + 1}
          </text>
          {node.text && (
            <text class="words" x={node.x + (node.side === "right" ? 11 : -11)} y={node.y + 4} text-anchor={node.side === "right" ? "start" : "end"}>
              {node.text}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** The class of the first culprit or victim that a text names. */
function named(text: string, names: Names): string {
  for (const [name, kind] of names) if (text.includes(name)) return kind;
  return "";
}
