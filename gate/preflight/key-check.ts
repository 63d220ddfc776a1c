/** Asks with each active key whether the service accepts it; names keys, never shows them. */

import type { Exchange } from "../../contract/requests/exchange.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { CarefulSend } from "../careful-send.ts";
import type { PreflightProblem } from "./problems.ts";

/** The header as most clients write it; a service that knows only this one is not misconfigured. */
const CANONICAL_KEY_HEADER = "X-Api-Key";

/** Null when the key is accepted, or when the answer says nothing about the key. */
export async function keyProblem(
  send: CarefulSend,
  key: PlanKey,
  answer: Exchange,
): Promise<PreflightProblem | null> {
  if (answer.status === 429) return rateLimited(key, answer);
  if (!refusesKey(answer)) return null;
  const again = await send(key, { route: "me", keyHeader: CANONICAL_KEY_HEADER });
  return refusesKey(again) ? refused(key, again) : null;
}

function refusesKey(answer: Exchange): boolean {
  return answer.status === 401 || answer.status === 403;
}

function refused(key: PlanKey, answer: Exchange): PreflightProblem {
  return {
    code: "key-refused",
    message:
      `key "${key.name}" (from ${key.env}): GET /v1/me was answered ${answer.status}; ` +
      `expected a key that the service accepts, or state: revoked (init: ${key.env}:revoked)`,
  };
}

function rateLimited(key: PlanKey, answer: Exchange): PreflightProblem {
  const after = answer.headers["retry-after"];
  const asked = after === undefined ? "without a Retry-After" : `with Retry-After "${after}"`;
  return {
    code: "key-rate-limited",
    message:
      `key "${key.name}" (from ${key.env}): still answered 429 ${asked} after a wait; ` +
      "expected a rested key that nobody else uses during the run",
  };
}
