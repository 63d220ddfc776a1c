/** A submission refused for want of credits: no webhook must tell of a job. Spec §4.3, §6. */

import { ANSWER_OK, deliveryUrl } from "../../contract/jobs/delivery.ts";
import { MARK_CHARS, markedInput, markOf } from "../../contract/jobs/marks.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { askRefused } from "../client/accepted-by-mistake.ts";
import { needsCredits } from "../client/catalogue.ts";
import { planKey } from "../client/plan.ts";
import { newToken } from "../client/token.ts";
import type { Session } from "./submitting.ts";

export interface UnpaidSubmission {
  token: string;
  attempts: readonly Exchange[];
}

/** Ours: others send with the key at its pace, who must not be refused for three requests more. */
const BURST_MIN = 20;

/** Null where the plan has no key of an account without credits, or no worker that takes any. */
export async function submitUnpaid({
  context,
  access,
  catalogue,
}: Session): Promise<UnpaidSubmission | null> {
  const { plan, world, random } = context;
  const { exhausted: key } = plan.roles;
  const worker = Object.values(plan.workers).find(({ id }) => needsCredits(catalogue, id));
  if (key === null || worker === undefined) return null;
  if ((planKey(plan, key).burst ?? BURST_MIN) < BURST_MIN) return null;
  const token = access.tokenPrefix + newToken(world);
  const webhook = deliveryUrl(access.publicUrl, token, [ANSWER_OK]);
  const input = markedInput(worker, markOf(random.token(MARK_CHARS)));
  const body = JSON.stringify({ ...input, webhook });
  const call = { method: "POST", route: "submit", parameter: worker.id, key, body } as const;
  return { token, attempts: (await askRefused(context, call)).attempts };
}
