/**
 * What those on call see of each fault: a probe with its default canaries watches it on virtual
 * time. Prints a row for each fault and variant: what the probe says; "nothing" where it says
 * nothing of what it met; "not met" where all that it was sent is as without the fault.
 *
 * npm run probe:matrix -- [--only REGEX] [--minutes 12] [--seed 21]
 */

import { parseArgs } from "node:util";
import { VARIANTS } from "../../../../contract/states.ts";
import { FAULTS } from "../../../../reference/faults/index.ts";
import type { Watched, Watching } from "./watch.ts";
import { watch } from "./watch.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    minutes: { type: "string", default: "12" },
    seed: { type: "string", default: "21" },
  },
});

function said({ broken, causes, digest }: Watched, without: Watched): string {
  if (digest === without.digest) return "not met";
  const all = [...broken, ...causes];
  return all.length === 0 ? "nothing" : all.join(", ");
}

/** By the variant and the choices that it is seen with. */
const withoutFault = new Map<string, Watched>();
const only = new RegExp(values.only);
const counts = new Map<string, number>();

for (const fault of FAULTS.filter(({ name }) => only.test(name))) {
  for (const variant of fault.variants ?? VARIANTS) {
    const watching: Watching = {
      variant,
      seed: Number(values.seed),
      minutes: Number(values.minutes),
    };
    const key = `${variant} ${JSON.stringify(fault.choices)}`;
    const without = withoutFault.get(key) ?? (await watch([], fault.choices, watching));
    withoutFault.set(key, without);
    const says = said(await watch([fault.name], fault.choices, watching), without);
    process.stdout.write(`${fault.name} | ${variant} | ${says}\n`);
    const kind = ["nothing", "not met"].includes(says) ? says : "said";
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
}
for (const [kind, count] of counts) process.stdout.write(`${kind}: ${count}\n`);
