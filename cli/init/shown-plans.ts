/** The plans of keys as GET /v1/me shows them, where a person said others. */

import type { PlanName } from "../../contract/plans.ts";
import type { Ask } from "../ask.ts";
import type { KeyEntry } from "./keys.ts";

export interface ShownPlans {
  keys: readonly KeyEntry[];
  /** What was changed, a sentence each. */
  corrections: readonly string[];
}

/** `shown`: by name of the key. Whoever is there is asked before a plan is changed. */
export async function withShownPlans(
  keys: readonly KeyEntry[],
  shown: ReadonlyMap<string, PlanName>,
  ask: Ask | null,
): Promise<ShownPlans> {
  const corrections: string[] = [];
  const corrected: KeyEntry[] = [];
  for (const key of keys) {
    const plan = otherPlan(key, shown.get(key.name));
    if (plan === null || !(await isWanted(key, plan, ask))) {
      corrected.push(key);
      continue;
    }
    const { sustained, burst, ...rest } = key;
    corrected.push({ ...rest, plan });
    corrections.push(
      `key "${key.name}" (from ${key.env}): GET /v1/me says plan ${plan}, and so does the file; ` +
        `you said ${key.plan}`,
    );
  }
  return { keys: corrected, corrections };
}

/** null where it is the one that was said, or one whose limits nobody stated. */
function otherPlan({ plan }: KeyEntry, shown: PlanName | undefined): PlanName | null {
  const isWritable = shown === "free" || shown === "pro";
  return plan === undefined || plan === shown || !isWritable ? null : shown;
}

async function isWanted({ name, plan }: KeyEntry, shown: PlanName, ask: Ask | null) {
  if (ask === null) return true;
  const question = `${name}: you said plan ${plan}, GET /v1/me says ${shown}; plan to write`;
  return (await ask(question, shown)) === shown;
}
