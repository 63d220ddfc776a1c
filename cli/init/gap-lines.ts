/** Says what a target leaves out, and which promises stay unobserved for it. */

import type { PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_GROUPS, PROMISE_IDS } from "../../contract/promises.ts";
import type { Target } from "../../contract/target.ts";
import { gapsOf } from "./gaps.ts";

export function gapLines(target: Target): readonly string[] {
  const gaps = gapsOf(target);
  const missed = new Set(gaps.flatMap(({ promises }) => promises));
  const total = PROMISE_IDS.length;
  if (gaps.length === 0) return [`all ${total} promises can be judged with it`];
  return [
    `${total - missed.size} of ${total} promises can be judged with it; the others need more:`,
    ...gaps.flatMap(({ add, promises }) => [`  + ${add}`, `      ${shortNames(promises)}`]),
  ];
}

/** Whole groups by their name: "cancel.* (3), load.webhooks". */
function shortNames(ids: readonly PromiseId[]): string {
  return PROMISE_GROUPS.flatMap((group) => {
    const members = ids.filter((id) => groupOf(id) === group);
    const all = PROMISE_IDS.filter((id) => groupOf(id) === group);
    const isWhole = members.length > 1 && members.length === all.length;
    return isWhole ? [`${group}.* (${all.length})`] : members;
  }).join(", ");
}
