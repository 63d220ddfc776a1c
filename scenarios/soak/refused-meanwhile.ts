/**
 * While a load goes on: submissions that are to be refused, so few and so far apart that they are
 * no load, and enough to show in an account that is charged for them later. Spec §4.3.
 */

import { isSuccess } from "../../contract/requests/exchange.ts";
import { countAccepted } from "../client/accepted-by-mistake.ts";
import { CUT_OFF, withViolation } from "../client/inputs/wrong-bodies.ts";
import { askBeside } from "../load/offered/requests.ts";
import type { Soak } from "../load/soak.ts";
import { keyByAccount } from "./key-by-account.ts";
import { isOnAtShare } from "./load-progress.ts";

/** Ours: twice as many as jobs of others on the account may explain. */
const SUBMISSIONS = 10;
/** Ours: no slow key falls behind with its submissions for one more a second. */
const EVERY_MS_MIN = 1_000;
/** Ours: what is charged within 40 s is so before a load of a minute has drained. */
const UNTIL_SHARE = 0.45;

/**
 * With a key of the last account: those of the first are asked for other things as late as a charge
 * would fall into the quiet after the load. To the dearest worker of the mix.
 */
export async function refuseMeanwhile(soak: Soak): Promise<void> {
  const key = [...keyByAccount(soak.keys).values()].at(-1);
  const price = (id: string) => soak.prices.get(id)?.credits ?? soak.prices.get(id)?.usd ?? 0;
  const workers = soak.mix.parts.map(({ worker }) => worker);
  const [worker] = workers.toSorted((a, b) => price(b.id) - price(a.id));
  if (key === undefined || worker === undefined || soak.context.world.shard.index > 0) return;
  if (soak.load.durationMs * UNTIL_SHARE < SUBMISSIONS * EVERY_MS_MIN) return;
  const { id, input } = worker;
  const schema = soak.details.get(id)?.inputSchema ?? {};
  // Where the worker's schema refuses nothing, what is no JSON is refused.
  const body = withViolation(schema, input)[0]?.body ?? CUT_OFF;
  const call = { method: "POST", route: "submit", parameter: id, body } as const;
  for (let nth = 0; nth < SUBMISSIONS; nth += 1) {
    if (!(await isOnAtShare(soak, (nth / SUBMISSIONS) * UNTIL_SHARE))) return;
    const answer = await askBeside(soak, key, call);
    countAccepted(soak.context, answer);
    if (isSuccess(answer)) return;
  }
}
