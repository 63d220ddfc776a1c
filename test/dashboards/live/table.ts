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
  const header = [
    "fault",
    "alert",
    "severity",
    "fired, s",
    "bound, s",
    "resolved, s",
    "also fired",
  ];
  return `# What each fault raises

\`npm run alerts:live\` writes this page. It tries every fault with real probes, real services and a
real Prometheus: ${cases.length} cases with ${alerts} expected alerts. \`npm run test:all\` does the
same, and also checks every panel of every board.

Time is compressed: all windows, waits and intervals are ${SPEED} times shorter. The rules come from
the code that generates the shipped ones. Canaries run every ${60 / SPEED} s, not every minute.
The table shows times at normal pace: the measured time, times ${SPEED}. So a delay of the test
machine by one second counts as ${SPEED} s; the test allows ${SLACK_MS / 1_000} s of delay beyond
each bound.

The fault is removed once all its alerts have fired; "resolved" counts from then. Alerts on rare
events look back an hour, so they stay active for an hour. If several alerts share a name, the
promise or the long window of the burn rate follows the name. "Also fired" lists consequences of the
same fault; no other alert fired. Bold text marks an unexpected, unresolved result. Each run
replaces the table, and other load on the machine affects the times.

${tableOf(header, rows)}
`;
}
