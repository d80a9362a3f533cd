// The findings that began while the page was open.

import type { LiveFinding } from "../api";

/** Findings that are listed; older ones are dropped. */
const FINDINGS = 100;

/** The list with a finding that began or ended, newest first. */
export function noted(old: LiveFinding[], finding: LiveFinding): LiveFinding[] {
  const rest = old.filter((other) => !(other.rule === finding.rule && other.onset_ms === finding.onset_ms && other.origins.join() === finding.origins.join()));
  return [{ ...finding, end_ms: finding.event === "ended" ? (finding.end_ms ?? finding.onset_ms) : null }, ...rest].slice(0, FINDINGS);
}
