// The diagnosis beside the plots: verdict, chain, findings with evidence. Pointing at evidence marks its stretch in the plots.

import type { Advice, Diagnosis, Evidence, Finding, Mark } from "../api";
import type { Clock } from "../clock";
import type { Panel } from "../plot/panels";
import { panelOf } from "../plot/panels";
import { opened } from "../print";
import type { Names } from "../terms";
import { Prose } from "../terms";

/** What the pointer is at: a stretch, with its plot and its stage of the chain. */
export interface Pointed {
  from_ms: number;
  to_ms: number;
  panel?: string;
  stage?: number;
}

interface Props {
  diagnosis: Diagnosis;
  marks: Mark[];
  panels: Panel[];
  names: Names;
  clock: Clock;
  selected: number | null;
  onPoint: (pointed: Pointed | null) => void;
  onSelect: (finding: Finding) => void;
  onShow: (from: number, to: number) => void;
}

const VERDICTS: Record<Diagnosis["verdict"], string> = {
  incident: "Incident",
  forecast: "Forecast",
  healthy: "Healthy",
  cannot_tell: "Cannot tell",
  experiment: "Experiment",
};

/** The verdict: what was lost and the cause as the heading of the view, and the rest of the summary. */
export function Verdict({ diagnosis, names }: { diagnosis: Diagnosis; names: Names }) {
  const [heading, rest] = headed(diagnosis);
  return (
    <div class={`verdict ${diagnosis.verdict}`}>
      <h1>
        <span class="kind">{VERDICTS[diagnosis.verdict]}</span> <Prose text={heading} names={names} />
      </h1>
      {rest && (
        <p>
          <Prose text={rest} names={names} />
        </p>
      )}
      {diagnosis.cut_diagnosis && <InFile diagnosis={diagnosis.cut_diagnosis} />}
      {diagnosis.unknown.length > 0 && (
        <details class="dim">
          <summary>What the recording does not show: {diagnosis.unknown.length}</summary>
          {diagnosis.unknown.map((text) => (
            <p key={text}>
              <Prose text={text} />
            </p>
          ))}
        </details>
      )}
    </div>
  );
}

/** The diagnosis in a file of `pagetide cut`. The page is computed from the samples, so this is only shown beside it. */
function InFile({ diagnosis }: { diagnosis: NonNullable<Diagnosis["cut_diagnosis"]> }) {
  const version = diagnosis.tool_version;
  if (diagnosis.same) return <p class="dim in-file">pagetide {version} made the same diagnosis when it cut this recording.</p>;
  return (
    <details class="in-file">
      <summary>According to the file, pagetide {version} diagnosed something else when it cut the recording</summary>
      {[diagnosis.summary, ...diagnosis.chain, ...diagnosis.findings].map((text, index) => (
        <p key={index}>
          <Prose text={text} />
        </p>
      ))}
    </details>
  );
}

/** The summary in two: its first sentence with that of the cause, and the others. */
function headed({ verdict, summary, findings }: Diagnosis): [string, string] {
  const [first, others] = split(summary);
  const [cause] = split((verdict === "incident" && findings[0]?.statement) || "");
  if (!cause || !others.includes(cause)) return [first, others];
  return [`${first} ${cause}`, others.replace(cause, "").replace(/\s+/g, " ").trim()];
}

/** The first sentence, and the others. */
function split(text: string): [string, string] {
  const end = /[.!?](?=\s+[A-Z])/.exec(text);
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 1).trim()] : [text, ""];
}

export function DiagnosisPane(props: Props) {
  const { diagnosis, panels, names, clock, onPoint, onShow } = props;
  const pointing = (pointed: Pointed) => ({
    onPointerEnter: () => onPoint(pointed),
    onPointerLeave: () => onPoint(null),
    onFocusIn: () => onPoint(pointed),
    onFocusOut: () => onPoint(null),
  });
  const evidence = (items: Evidence[], stage?: number) => (
    <table class="evidence">
      <tbody>
        {items.map((item, index) => {
          const panel = panelOf(panels, item.source)?.id;
          const pointed: Pointed = { from_ms: item.from_ms, to_ms: item.to_ms, ...(panel !== undefined && { panel }), ...(stage !== undefined && { stage }) };
          return (
            <tr key={index} tabIndex={0} {...pointing(pointed)}>
              <td>
                <Prose text={item.what} />
                <span class="source">{item.source}</span>
              </td>
              <td class="num">
                <b>{item.value}</b>
                {item.against && <span class="source">{item.against}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
  return (
    <aside class="diagnosis" aria-label="Diagnosis">
      {diagnosis.incidents.length > 1 && (
        <section>
          <h2>Incidents</h2>
          <ol class="incidents">
            {diagnosis.incidents.map((incident, index) => (
              <li key={index} {...pointing({ from_ms: incident.from_ms, to_ms: incident.to_ms })}>
                <button type="button" class="link" onClick={() => onShow(incident.from_ms, incident.to_ms)}>
                  {clock.time(incident.from_ms)} – {incident.ongoing ? "the end" : clock.time(incident.to_ms)}
                </button>{" "}
                <Prose text={incident.statement} names={names} />
              </li>
            ))}
          </ol>
        </section>
      )}
      {diagnosis.chain.length > 0 && (
        <section>
          <h2>From cause to effects</h2>
          <ol class="chain">
            {diagnosis.chain.map((stage, index) => (
              <li key={index} class={stage.role} tabIndex={0} {...pointing({ from_ms: stage.from_ms, to_ms: stage.to_ms, stage: index })}>
                <span class="words">
                  <Prose text={stage.words} names={names} />
                </span>
                <span class="dim when">
                  {clock.time(stage.from_ms, 100)}
                  {stage.after !== null && `, from ${stage.after + 1}`}
                  {stage.lag && `, ${stage.lag}`}
                </span>
                <details>
                  <summary>how</summary>
                  <p>
                    <Prose text={stage.how} />
                    {stage.kernel && <code class="dim"> {stage.kernel}</code>}
                  </p>
                  {stage.evidence.length > 0 && evidence(stage.evidence, index)}
                </details>
              </li>
            ))}
          </ol>
        </section>
      )}
      {diagnosis.findings.length > 0 && (
        <section>
          <h2>Findings</h2>
          {byStep(diagnosis.findings, props.marks).map(([step, findings]) => (
            <div key={step}>
              {step && <h3>{step}</h3>}
              {findings.map((finding) => (
                <FindingPart key={finding.id} finding={finding} {...props} evidence={evidence} pointing={pointing} />
              ))}
            </div>
          ))}
        </section>
      )}
    </aside>
  );
}

/** The findings of each step of an experiment, in the order of its steps, below what a mark says of the step; those of no step first. */
export function byStep(findings: Finding[], marks: Mark[]): [string, Finding[]][] {
  const steps = marks.filter((mark) => mark.kind === "step").map((mark) => mark.text);
  const groups = new Map<string, Finding[]>([["", []], ...steps.map((step): [string, Finding[]] => [step, []])]);
  for (const finding of findings) {
    const step = finding.step === null ? "" : (steps.find((text) => text.split(" ", 1)[0] === finding.step) ?? finding.step);
    groups.set(step, [...(groups.get(step) ?? []), finding]);
  }
  return [...groups].filter(([, findings]) => findings.length > 0);
}

interface FindingProps extends Props {
  finding: Finding;
  evidence: (items: Evidence[]) => preact.JSX.Element;
  pointing: (pointed: Pointed) => object;
}

function FindingPart({ finding, names, clock, selected, onSelect, onShow, evidence, pointing }: FindingProps) {
  return (
    <article class={`finding ${finding.role}`} id={`finding-${finding.id}`} {...pointing({ from_ms: finding.from_ms, to_ms: finding.to_ms })}>
      <details open={selected === finding.id} onToggle={(event) => opened(event.currentTarget) && selected !== finding.id && onSelect(finding)}>
        <summary>
          <span class="words">
            <Prose text={finding.statement} names={names} />
          </span>
          <span class="meta dim">
            {finding.rule}, {finding.sureness}
          </span>
        </summary>
        <p class="meta">
          <button type="button" class="link" onClick={() => onShow(finding.from_ms, finding.to_ms)}>
            {clock.text(finding.from_ms)} – {clock.time(finding.to_ms)}
          </button>
        </p>
        {evidence(finding.evidence)}
        {finding.contradictions.length > 0 && (
          <>
            <h3>Against it</h3>
            {evidence(finding.contradictions)}
          </>
        )}
        {finding.advice.map((advice, index) => (
          <AdvicePart key={index} advice={advice} />
        ))}
      </details>
    </article>
  );
}

function AdvicePart({ advice }: { advice: Advice }) {
  return (
    <div class="advice">
      <p class="strong">
        <Prose text={advice.action} />
      </p>
      {advice.command && <pre tabIndex={0}>{advice.command}</pre>}
      <p>
        <Prose text={advice.effect} />
      </p>
      {advice.undo && (
        <p class="dim">
          undo: <code>{advice.undo}</code>
        </p>
      )}
      {advice.scenario && (
        <p class="dim">
          reproduce: <code>{advice.scenario}</code>
        </p>
      )}
    </div>
  );
}
