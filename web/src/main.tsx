// The page: its heading, and the view that the address names.

import type { ComponentChildren } from "preact";
import { render } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import type { About } from "./api";
import { chooseTimes, chosenTimes, WHOSE } from "./clock";
import { LiveView } from "./live/view";
import { Busy, Fault } from "./parts";
import { openForPrint } from "./print";
import { ComparisonView } from "./recordings/comparison";
import { RecordingList } from "./recordings/list";
import { RecordingView } from "./recordings/view";
import type { Route } from "./route";
import { address, parse } from "./route";
import { RunComparison, RunList, RunView } from "./runs/views";
import { GlossaryProvider } from "./terms";
import { useAsked } from "./useasked";

const VIEWS: [string, string][] = [
  ["live", "Live"],
  ["recordings", "Recordings"],
  ["runs", "Runs"],
];
/** The heading to which the view of a single entry belongs. */
const UNDER: Record<string, string> = { recording: "recordings", compare: "recordings", run: "runs", "compare-runs": "runs" };

function useRoute(): Route {
  const first = useRef(location.hash);
  const [route, setRoute] = useState(() => parse(first.current));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    addEventListener("hashchange", changed);
    // The address may have changed after the first render, before this listener was there.
    if (location.hash !== first.current) changed();
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

function Page() {
  const about = useAsked<About>("/api/about");
  const [times, setTimes] = useState(chosenTimes);
  const route = useRoute();
  const [first = about.value?.live.available === false ? "recordings" : "live", second = ""] = route.path;
  const view = UNDER[first] ?? first;
  useEffect(openForPrint, []);
  useEffect(() => {
    document.title = `pagetide: ${VIEWS.find(([name]) => name === view)?.[1] ?? "not found"}`;
  }, [view]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the view
      </a>
      <header class="top">
        <span class="mark">pagetide</span>
        <nav aria-label="Views">
          {VIEWS.map(([name, title]) => (
            <a key={name} href={address([name])} aria-current={view === name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="choices times" role="group" aria-label="Times">
          {WHOSE.map(([whose, name]) => (
            <button
              type="button"
              key={whose}
              aria-pressed={times === whose}
              onClick={() => {
                chooseTimes(whose);
                setTimes(whose);
              }}
            >
              {name}
            </button>
          ))}
        </span>
        {about.value && (
          <span class="about">
            {about.value.host} <span class="dim">{about.value.version}</span>
          </span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {about.error ? <Fault error={about.error} /> : !about.value ? <Busy what="Connecting" /> : <View key={times} about={about.value} name={first} id={second} route={route} />}
      </main>
    </>
  );
}

function View({ about, name, id, route }: { about: About; name: string; id: string; route: Route }) {
  const view = () => {
    switch (name) {
      case "live":
        return <LiveView about={about} />;
      case "recordings":
        return <RecordingList />;
      case "recording":
        return <RecordingView key={id} id={id} query={route.query} />;
      case "compare":
        return <ComparisonView query={route.query} />;
      case "runs":
        return <RunList />;
      case "run":
        return <RunView key={id} id={id} />;
      case "compare-runs":
        return <RunComparison ids={route.query.getAll("run")} />;
      default:
        return <Fault error={{ what: `There is no view called ${name}.`, hint: "choose Live, Recordings or Runs above" }} />;
    }
  };
  return (
    <GlossaryProvider terms={about.terms}>
      <Guarded key={`${name} ${id}`}>{view()}</Guarded>
    </GlossaryProvider>
  );
}

/** A view, or in words why it failed; the others still work. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((error) => console.error(error));
  if (!error) return <>{children}</>;
  const what = error instanceof Error ? error.message : String(error);
  return <Fault error={{ what: `This view failed: ${what}.`, hint: "this is a bug of pagetide: report it with `pagetide --version` and what the recording was made with" }} />;
}

render(<Page />, document.getElementById("page")!);
