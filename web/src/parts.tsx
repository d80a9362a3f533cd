// Small parts that several views show.

import type { ComponentChildren } from "preact";
import type { Refused } from "./api";

/** What went wrong and what to do about it. */
export function Fault({ error }: { error: Refused | { what: string; hint?: string } }) {
  const what = "what" in error ? error.what : error.message;
  return (
    <p class="fault" role="alert">
      {what} {error.hint && <span class="hint">hint: {error.hint}</span>}
    </p>
  );
}

/** Shows that the server is working. */
export function Busy({ what }: { what: string }) {
  return (
    <p class="busy" role="status">
      {what} …
    </p>
  );
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
