/**
 * The price of a run in credits, where a worker's detail has something that looks like it. Its
 * field name is open (Spec §2.3): it serves a budget's forecast, and nothing is judged by it.
 */

import { isAmount, isObject } from "./decoded.ts";

/** Ours: names such as `price_credits`, `credits_per_run` and `credit_cost`. */
const OF_A_RUN = /(price|cost|per_run|per_job).*credit|credit.*(price|cost|per_run|per_job)/i;
/** Ours: what a credit costs, or what a second does, is not what a run costs. */
const OF_SOMETHING_ELSE = /usd|eur|per_credit|per_second|per_minute|per_event/i;
/** Ours: objects that prices are grouped in. */
const GROUPS = /^(price|pricing|cost|costs)$/i;

/** Credits a run; null where the detail tells none, or several that differ. */
export function creditsPerRun(detail: unknown): number | null {
  const found = new Set(amountsIn(detail, ""));
  return found.size === 1 ? ([...found][0] ?? null) : null;
}

function amountsIn(value: unknown, group: string): readonly number[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (isObject(member) && group === "" && GROUPS.test(name)) {
      return amountsIn(member, "price_");
    }
    const path = group + name;
    const isPrice = OF_A_RUN.test(path) && !OF_SOMETHING_ELSE.test(path);
    return isPrice && isAmount(member) ? [member] : [];
  });
}
