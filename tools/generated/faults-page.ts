/** docs/faults.md: every choice and every fault of the reference service. */

import { groupOf, PROMISE_GROUPS } from "../../contract/promises.ts";
import { CHOICE_NAMES, CHOICES } from "../../reference/choices.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { tableOf } from "./markdown-table.ts";

export function faultsPage(): string {
  const blocks = [
    "# Choices and faults of the reference service",
    "`npm run generate` writes this page; [reference-service.md](reference-service.md) says how " +
      "to use choices and faults.",
    "## Choices",
    "Each choice decides what the interface leaves open; the first value is the default.",
    tableOf(
      ["choice", "values", "decides"],
      CHOICE_NAMES.map((name) => {
        const { values, about } = CHOICES[name];
        return [`\`${name}\``, values.map((value) => `\`${value}\``).join(" "), about];
      }),
    ),
    "## Faults",
    `${counted(FAULTS)} A near miss deviates as well, but stays within what is promised.`,
    ...PROMISE_GROUPS.flatMap((group) => [
      `### ${group}`,
      tableOf(
        ["fault", "what it does", "variant"],
        FAULTS.filter(({ promise }) => groupOf(promise) === group).map(row),
      ),
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function counted(faults: readonly Fault[]): string {
  const near = faults.filter(({ nearMiss }) => nearMiss).length;
  return `${faults.length - near} faults and ${near} near misses.`;
}

function row({ name, title, variants }: Fault): string[] {
  return [`\`${name}\``, title, variants === undefined ? "A, B" : variants.join(", ")];
}
