/** What the live test saw, as a page of the documents. */

import { tableOf } from "../../../tools/generated/markdown-table.ts";
import type { CaseResult } from "./case-result.ts";
import { SLACK_MS, SPEED } from "./pace.ts";

export function alertsPage(results: readonly CaseResult[], seconds: number): string {
  const rows = results.flatMap(({ case: { fault }, raised, also }) => {
    if (raised.length === 0) return [[fault, "none", "", "", "", ""]];
    return raised.map((each, at) => [
      at === 0 ? fault : "",
      `\`${each.alert}\``,
      each.severity,
      String(each.afterSeconds),
      String(each.withinSeconds),
      `${each.clearedSeconds}${at === 0 && also.length > 0 ? ` (also: ${also.join(", ")})` : ""}`,
    ]);
  });
  const header = ["fault", "alert", "severity", "fired after, s", "bound, s", "gone after, s"];
  const pages = results.flatMap(({ raised }) => raised).length;
  return `# What each fault raises

Written by \`npm run alerts:live\`, which tries every fault on real probes and services and a real
Prometheus. ${results.length} cases, ${pages} alerts, ${seconds} s. Time is compressed: windows, waits and intervals come
from the same rules ${SPEED} times as short, and the seconds below are those of life's pace: what passed, times
${SPEED}. A second of the machine's own lag counts ${SPEED} here; \`npm test\` allows ${SLACK_MS / 1_000} s of it.

A fault is taken away once all its alerts have fired; "gone after" counts from there. Alerts on what
is seldom look back an hour, and stay as long. After a name stands what tells apart several of one
name: the promise, or the long window of a burn rate.

${tableOf(header, rows)}
`;
}
