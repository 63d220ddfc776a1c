/** docs/promises.md: the catalogue of what is judged. */

import type { PromiseEntry } from "../../contract/promises.ts";
import { PROMISE_GROUPS, PROMISES } from "../../contract/promises.ts";
import { tableOf } from "./markdown-table.ts";

const INTRODUCTION = `# The promises

Written by \`npm run generate\` from \`contract/promises.ts\`; \`plumbline promises\` prints the
same.

- **§** is the section of the interface specification that makes the promise.
- **basis**: \`spec\`, the specification says so; \`standard\`, an RFC says so; \`objective\`,
  the operator sets it in the target file, and without one the promise is mostly unobserved.
- **seen by**: \`k6\`, a scenario; \`node\`, a check outside of k6; \`receiver\`, the webhook
  receiver. All of them must have looked before a promise counts as kept.`;

export function promisesPage(): string {
  const entries: readonly PromiseEntry[] = PROMISES;
  const blocks = PROMISE_GROUPS.flatMap((group) => [
    `## ${group}`,
    tableOf(
      ["id", "promise", "§", "basis", "seen by"],
      entries.filter(({ id }) => id.startsWith(`${group}.`)).map(row),
    ),
  ]);
  return `${[INTRODUCTION, ...blocks].join("\n\n")}\n`;
}

function row({ id, title, section, basis, witnesses, variants }: PromiseEntry): string[] {
  const only = variants === undefined ? "" : ` (variant ${variants.join(", ")})`;
  return [`\`${id}\``, title + only, section, basis, witnesses.join(", ")];
}
