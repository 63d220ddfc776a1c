/** What the live test saw, as a page of the documents. */

import { tableOf } from "../../../tools/generated/markdown-table.ts";
import type { CaseResult, Raised } from "./case-result.ts";
import { faultsOf } from "./case-result.ts";
import type { FaultCase } from "./fault-case.ts";
import { SLACK_MS, SPEED } from "./pace.ts";

/** What is kept of a case's result. */
export interface Kept {
  raised: readonly Raised[];
  also: readonly string[];
  /** What was not as it should be. */
  faults: readonly string[];
}

export function keptOf(result: CaseResult): Kept {
  return { raised: result.raised, also: result.also, faults: faultsOf(result) };
}

export function alertsPage(
  cases: readonly FaultCase[],
  known: Readonly<Record<string, Kept>>,
): string {
  const rows = cases.flatMap(({ id, fault }) => {
    const kept = known[id];
    if (kept === undefined) return [[fault, "no result yet", "", "", "", "", ""]];
    const { raised, also, faults } = kept;
    const note = [...faults.map((each) => `**${each}**`), ...also.map((each) => `\`${each}\``)];
    if (raised.length === 0) return [[fault, "none", "", "", "", "", note.join(", ")]];
    return raised.map(({ alert, severity, afterSeconds, withinSeconds, clearedSeconds }, at) => [
      at === 0 ? fault : "",
      `\`${alert}\``,
      severity,
      String(afterSeconds ?? "never"),
      String(withinSeconds),
      String(clearedSeconds ?? "never"),
      at === 0 ? note.join(", ") : "",
    ]);
  });
  const alerts = cases.flatMap(({ raises }) => raises).length;
  const header = ["fault", "alert", "severity", "fired, s", "bound, s", "gone, s", "with it"];
  return `# What each fault raises

Written by \`npm run alerts:live\`, which tries every fault on real probes, services and a real
Prometheus: ${cases.length} cases, ${alerts} alerts that have to come. \`npm run test:all\` tries
the same, and looks at every panel of every board meanwhile.

Time is compressed: windows, waits and intervals are ${SPEED} times as short, and come from the code
that makes the rules as they are shipped. Canaries are ${60 / SPEED} s apart, for a minute in life.
Seconds below are those of life's pace: what passed, times ${SPEED}. A second for which the machine
itself was late counts ${SPEED} here; the test allows ${SLACK_MS / 1_000} s of it beyond each bound.

A fault is taken away once all its alerts have fired; "gone" counts from there. Alerts on what is
seldom look back an hour, and stay as long. After a name stands what tells apart several of one
name: the promise, or the long window of a burn rate. "With it" came what follows from the same
fault where it lasts; no other alert fired. In bold stands what was not as expected, and is open:
the table is made anew by each run, and a machine that is busy with other work leaves its marks.

${tableOf(header, rows)}
`;
}
