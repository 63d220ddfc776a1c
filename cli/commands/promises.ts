/** `plumbline promises`: the catalogue of what is judged. */

import type { PromiseEntry } from "../../contract/promises.ts";
import { PROMISE_GROUPS, PROMISES } from "../../contract/promises.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";

export async function promisesCommand(
  flags: { json: boolean },
  { output }: Context,
): Promise<ExitCode> {
  output.result(flags.json ? `${JSON.stringify(PROMISES, null, 2)}\n` : table(PROMISES));
  return EXIT.ok;
}

function table(promises: readonly PromiseEntry[]): string {
  const idWidth = Math.max(...promises.map(({ id }) => id.length));
  const blocks = PROMISE_GROUPS.map((group) => {
    const rows = promises
      .filter(({ id }) => id.startsWith(`${group}.`))
      .map(({ id, section, basis, title }) => {
        return `  ${id.padEnd(idWidth)}  §${section.padEnd(4)} ${basis.padEnd(9)}  ${title}`;
      });
    return [group, ...rows].join("\n");
  });
  return `${blocks.join("\n\n")}\n\n${promises.length} promises\n`;
}
