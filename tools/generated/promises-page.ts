/** docs/promises.md: the catalogue of what is judged. */

import type { PromiseEntry } from "../../contract/promises.ts";
import { PROMISE_GROUPS, PROMISES } from "../../contract/promises.ts";
import { tableOf } from "./markdown-table.ts";
import type { Strengths } from "./strengths.ts";
import { measuredStrengths } from "./strengths.ts";

const INTRODUCTION = `# The promises

Written by \`npm run generate\` from \`contract/promises.ts\`; \`plumbline promises\` prints the
same, and \`plumbline explain ID\` tells how one of them is judged and what usually breaks it, as
[the explanations](explanations.md) do of all.

- **§** is the section of [the interface](interface.md) that makes the promise.
- **basis**: \`spec\`, the specification says so; \`standard\`, an RFC says so; \`objective\`,
  the operator sets it in the target file, and without one the promise is mostly unobserved.
- **seen by**: \`k6\`, a scenario; \`node\`, a check outside of k6; \`receiver\`, the webhook
  receiver. All of them must have checked before a promise counts as kept.

The last two columns say what \`kept\` rules out after one run of the profile against the
embedded service, variant B: faults in more than that share of the samples, with 95 %
confidence. Samples say nothing of what they do not cover: 98 jobs of five workers say
little of a sixth. Other targets have other workers, keys and budgets:
\`plumbline promises --target plumbline.yaml --profile standard\` rehearses a gate of yours and
says what it would rule out, without sending anything; \`gate --verbose\`, report.json and the page
say what a run ruled out, which intervals it measured, and what it did not try.`;

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
