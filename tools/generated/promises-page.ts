/** docs/promises.md: the catalogue of what is judged. */

import type { PromiseEntry } from "../../contract/promises.ts";
import { PROMISE_GROUPS, PROMISES } from "../../contract/promises.ts";
import { tableOf } from "./markdown-table.ts";
import type { Strengths } from "./strengths.ts";
import { measuredStrengths } from "./strengths.ts";

const INTRODUCTION = `# The promises

\`npm run generate\` writes this page from \`contract/promises.ts\`; \`plumbline promises\`
prints the same list. \`plumbline explain ID\` says how a promise is judged and what usually
breaks it; [the explanations](explanations.md) say it for all promises.

- **§** is the section of [the interface](interface.md) that makes the promise.
- **basis**: \`spec\`, the specification; \`standard\`, an RFC; \`objective\`, a bound that the
  operator sets in the target file. Without a bound, most of these promises are unobserved.
- **seen by** lists the witnesses: \`k6\`, a scenario; \`node\`, a check beside the scenarios;
  \`receiver\`, the webhook receiver. A promise is kept only if each of them has checked it.

The last two columns say what \`kept\` rules out after one run of the profile against the
embedded service, variant B: faults in more than this share of the samples, with 95 %
confidence. Samples prove nothing about what they do not cover: 98 jobs of five workers say
little about a sixth worker. Your target has other workers, keys and budgets.
\`plumbline promises --target plumbline.yaml --profile standard\` simulates your gate, without
sending anything, and says what it would rule out. \`gate --verbose\`, \`report.json\` and the
report page say what a run ruled out, which intervals it measured, and what it did not try.`;

export async function promisesPage(): Promise<string> {
  const strengths = await measuredStrengths(["quick", "standard"]);
  const entries: readonly PromiseEntry[] = PROMISES;
  const blocks = PROMISE_GROUPS.flatMap((group) => [
    `## ${group}`,
    tableOf(
      ["id", "promise", "§", "basis", "seen by", "quick", "standard"],
      entries.filter(({ id }) => id.startsWith(`${group}.`)).map((entry) => row(entry, strengths)),
    ),
  ]);
  return `${[INTRODUCTION, ...blocks].join("\n\n")}\n`;
}

function row(entry: PromiseEntry, strengths: readonly Strengths[]): string[] {
  const { id, title, section, basis, witnesses, variants } = entry;
  const only = variants === undefined ? "" : ` (variant ${variants.join(", ")})`;
  return [
    `\`${id}\``,
    title + only,
    `[${section}](interface.md#s${section})`,
    basis,
    witnesses.join(", "),
    ...strengths.map((each) => each(id)),
  ];
}
