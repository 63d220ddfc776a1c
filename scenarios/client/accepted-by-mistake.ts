/** Jobs that a service starts though it should have refused them. */

import { issuedIdIn } from "../../contract/decode/accepted.ts";
import type { Asked } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { Context } from "./context.ts";
import type { Call } from "./send.ts";

/** A wrong body that is accepted has started a job: it is the suite's own and counts. */
export function countAccepted(context: Context, exchange: Exchange): void {
  if (!isSuccess(exchange)) return;
  context.spending.surprise(exchange);
  const id = issuedIdIn(exchange);
  if (id !== null) context.ownIds.add(id);
}

/** Asks for what is to be refused. */
export async function askRefused(context: Context, call: Call): Promise<Asked> {
  const asked = await context.askAgain(call);
  for (const attempt of asked.attempts) countAccepted(context, attempt);
  return asked;
}
