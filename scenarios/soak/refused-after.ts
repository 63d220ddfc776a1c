/**
 * After a load: all that is to be refused, and whether it has cost anything. A load has none of it,
 * so that a charge for what was answered 4xx is not in its ledger. Spec §4.3, §7.
 */

import type { AnswersAfter, OverloadSeen } from "../../contract/judges/steps.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isClientError } from "../../contract/requests/exchange.ts";
import type { Catalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { Traces } from "../client/traces.ts";
import { NO_TRACES, readAccounts, spanSince, tracesOf } from "../client/traces.ts";
import type { Soak } from "../load/soak.ts";
import { askEach } from "./answers-after.ts";
import { overloadAfterLoad } from "./overloads.ts";

export interface RefusedAfter {
  answers: AnswersAfter;
  overloads: readonly OverloadSeen[];
}

export async function refusedAfterLoad(
  context: Context,
  soak: Soak,
  catalogue: Catalogue,
): Promise<RefusedAfter> {
  const answers = await askEach(context, soak, catalogue, soak.keys);
  return { answers, overloads: await overloadAfterLoad(context) };
}

/**
 * The same between two readings of the balances, which nothing else should move by now. Nothing is
 * told of them where something was accepted, which costs with every right.
 */
export async function tracesAfterLoad(
  context: Context,
  soak: Soak,
  catalogue: Catalogue,
): Promise<RefusedAfter & { traces: Traces }> {
  let isSound = true;
  const refuse = async () => {
    const { size } = context.ownIds;
    const seen = await refusedAfterLoad(context, soak, catalogue);
    isSound &&= context.ownIds.size === size;
    return seen;
  };
  const before = await readAccounts(context, PARTS_READ);
  const seen = await refuse();
  const span = await spanSince(context, before, refusalsIn(seen), PARTS_READ);
  if (!isSound) return { ...seen, traces: NO_TRACES };
  const traces = await tracesOf(context, {
    ...{ span, isSound, at: PARTS_READ, catalogue },
    sendAgain: async () => refusalsIn(await refuse()),
  });
  return { ...seen, traces: isSound ? traces : NO_TRACES };
}

/** A list of recent jobs moves by itself, as jobs of the load are told of. */
const PARTS_READ = "balances";

function refusalsIn({ answers, overloads }: RefusedAfter): readonly Exchange[] {
  const cases = Object.values(answers).flat();
  const overloaded = overloads.flatMap(({ within, shots, beyond }) => [
    ...within,
    ...shots,
    ...beyond,
  ]);
  const all = [...cases.flatMap(({ attempts }) => attempts), ...overloaded];
  return all.filter(isClientError);
}
