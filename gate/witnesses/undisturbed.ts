/** Asks again where the answer says nothing about the question: a 429, a 5xx, or none at all. */

import type { Exchange } from "../../contract/exchange.ts";
import { isDisturbed } from "../../contract/exchange.ts";
import { retryAfterOf } from "../../contract/retry-after.ts";
import type { WitnessContext } from "./witness.ts";

/** Ours: three disturbed answers in a row are a finding of their own, which others make. */
const ATTEMPTS_MAX = 3;
/** Ours: pause where the service names none; its own plans forget within 2 s. Spec §8. */
const DEFAULT_WAIT_MS = 1_000;
/** Ours: whoever asks for more is not waited for. */
const WAIT_MS_MAX = 10_000;

/** The first answer that says something, or the last disturbed one. */
export async function undisturbed(
  send: () => Promise<Exchange>,
  { net, signal }: WitnessContext,
): Promise<Exchange> {
  for (let attempt = 1; ; attempt += 1) {
    const exchange = await send();
    if (!isDisturbed(exchange) || attempt === ATTEMPTS_MAX) return exchange;
    const waitMs = waitAskedFor(exchange);
    if (waitMs > WAIT_MS_MAX) return exchange;
    await net.sleep(waitMs, signal);
  }
}

function waitAskedFor(exchange: Exchange): number {
  const asked = retryAfterOf(exchange);
  return asked.form === "seconds" || asked.form === "date" ? asked.waitMs : DEFAULT_WAIT_MS;
}
