/** How the gate's own requests keep to the plan of a key, beside the scenarios and before them. */

import { UNDECLARED_PER_SECOND } from "../contract/plans.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isDisturbed } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import { Secret, type Secrets } from "../contract/text/secret.ts";
import type { Care, WaitingTime } from "../http/careful.ts";
import { careful } from "../http/careful.ts";
import type { Client } from "../http/client.ts";
import type { ClientRequest } from "../http/request.ts";

/** Ours: before a run the keys are nobody else's; a 429 is honoured once, and then told. */
export const BEFORE_THE_RUN: CareOfKeys = {
  rateShare: 0.8,
  attemptsMax: 2,
  saysNothing: ({ status }) => status === 429,
  waitMs: 2_000,
  waitMsMax: 30_000,
};

/**
 * Ours: careful scenarios take 60 % of the rate; this stays below the rest. Three disturbed answers
 * in a row are a finding of their own, which others make.
 */
export const BESIDE_SCENARIOS: CareOfKeys = {
  rateShare: 0.25,
  attemptsMax: 3,
  saysNothing: isDisturbed,
  waitMs: 1_000,
  waitMsMax: 10_000,
};

/** The pace is a share of what a key's plan sustains. */
type CareOfKeys = Omit<Care, "perSecond"> & { rateShare: number };

export type CarefulSend = (
  key: PlanKey,
  request: Omit<ClientRequest, "key" | "signal">,
) => Promise<Exchange>;

/** Of a key without a value: the service will say so. */
const NONE = new Secret("");

/** Sends with a key's value, at that key's own pace. */
export function carefulSend(
  client: Client,
  secrets: Secrets,
  { rateShare, ...care }: CareOfKeys,
  time: WaitingTime,
  signal: AbortSignal,
): CarefulSend {
  const byKey = new Map<string, ReturnType<typeof careful>>();
  return (key, request) => {
    const perSecond = (key.sustained ?? UNDECLARED_PER_SECOND) * rateShare;
    const known = byKey.get(key.name) ?? careful({ ...care, perSecond }, time, signal);
    byKey.set(key.name, known);
    const sent = {
      ...request,
      key: { name: key.name, value: secrets.get(key.env) ?? NONE },
      signal,
    };
    return known(() => client.send(sent));
  };
}
