// The stages of a causal chain on the plots, and the arrows between them.

import { nameOf } from "../culprits";
import type { Diagnosis, Evidence, Stage } from "../api";
import type { Panel } from "./panels";
import { panelOf } from "./panels";
import { LEFT } from "./margins";
import type { TimeScale } from "./scale";

const ROW = 17;
/** Width of a character of a label in pixels, rounded up. */
const CHARACTER = 6.1;

export interface Node {
  index: number;
  stage: Stage;
  panel: string;
  x: number;
  y: number;
  /** The side of the label, so that it ends before the margin. */
  side: "left" | "right";
  text: string;
}

export interface Arrow {
  path: string;
  tip: string;
  to: number;
}

export interface Box {
  top: number;
  height: number;
}

/** The plot of each stage: the one with its measurement. For the cause it is that of its finding's evidence, the origin's first. */
export function panelsOf(diagnosis: Diagnosis, panels: Panel[]): (string | null)[] {
  return diagnosis.chain.map((stage) => {
    const finding = diagnosis.findings.find((finding) => (stage.after === null ? finding.role === "cause" : finding.id === stage.finding));
    const names = (finding?.actors ?? []).map(nameOf);
    const ofOrigin = (evidence: Evidence) => stage.after === null && names.some((name) => evidence.source.endsWith(` of ${name}`));
    const measured = [...stage.evidence, ...(finding?.evidence ?? [])];
    for (const { source } of [...measured.filter(ofOrigin), ...measured]) {
      const panel = panelOf(panels, source);
      if (panel) return panel.id;
    }
    return null;
  });
}

/** The visible nodes: each at the onset of its stage, those of one plot below each other. */
export function nodes(diagnosis: Diagnosis, places: (string | null)[], boxes: Map<string, Box>, scale: TimeScale): Node[] {
  const used = new Map<string, number>();
  const seen: Node[] = [];
  const middle = scale.x((scale.range.from + scale.range.to) / 2);
  const inSight = diagnosis.chain.filter((stage) => scale.shows(stage.from_ms));
  const mean = inSight.reduce((sum, stage) => sum + scale.x(stage.from_ms), 0) / Math.max(1, inSight.length);
  diagnosis.chain.forEach((stage, index) => {
    const panel = places[index];
    const box = panel && boxes.get(panel);
    if (!panel || !box || !scale.shows(stage.from_ms)) return;
    const row = used.get(panel) ?? 0;
    used.set(panel, row + 1);
    const rows = Math.max(1, Math.floor((box.height - 14) / ROW));
    const x = scale.x(stage.from_ms);
    const side = mean > middle ? "left" : "right";
    const room = (side === "right" ? scale.width - x : x - LEFT) - 24;
    const most = Math.max(0, Math.floor(room / CHARACTER));
    const text = stage.words.length <= most ? stage.words : most > 12 ? `${stage.words.slice(0, most - 1)}…` : "";
    seen.push({ index, stage, panel, x, y: box.top + 15 + (row % rows) * ROW, side, text });
  });
  return seen;
}

/** An arrow from each visible cause to its effect, bent to the side without labels. */
export function arrows(nodes: Node[]): Arrow[] {
  const at = new Map(nodes.map((node) => [node.index, node]));
  return nodes.flatMap((node) => {
    const cause = node.stage.after === null ? undefined : at.get(node.stage.after);
    if (!cause) return [];
    const away = node.side === "right" ? -1 : 1;
    const bend = away * Math.min(60, 16 + Math.abs(node.y - cause.y) / 5);
    const [x0, x1] = [cause.x + away * 8, node.x + away * 9];
    const out = Math.min(x0, x1) + bend;
    const turn = away < 0 ? Math.min(out, x0 - 10) : Math.max(Math.max(x0, x1) + bend, x0 + 10);
    const path = `M${x0} ${cause.y}C${turn} ${cause.y} ${turn} ${node.y} ${x1} ${node.y}`;
    const tip = `M${x1} ${node.y}l${away * 6} -3.5v7z`;
    return [{ path, tip, to: node.index }];
  });
}
