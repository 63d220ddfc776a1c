/** Witness of auth.header-case: k6 and undici rewrite header names, so the bytes are our own. */

import type { Exchange } from "../../contract/exchange.ts";
import { isDisturbed, isSuccess } from "../../contract/exchange.ts";
import { routePath } from "../../contract/routes.ts";
import type { PlanKey } from "../../contract/run-plan.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../contract/verdict.ts";
import { careful } from "../../http/careful.ts";
import { BESIDE_SCENARIOS, careOf } from "../careful-send.ts";
import type { NodeWitness, WitnessContext } from "./witness.ts";

const PROMISE = "auth.header-case";

/** Spec §5.1 shows the first two; a header name has no case. RFC 9110 §5.1. */
const SPELLINGS = ["x-api-key", "X-Api-Key", "X-API-KEY"] as const;

type Ask = (spelling: string) => Promise<Exchange>;

export const headerCaseWitness: NodeWitness = {
  name: "header-case",
  promise: PROMISE,
  look: async (context) => ({ finding: await judge(context), notes: [] }),
};

async function judge(context: WitnessContext): Promise<Finding> {
  const { plan, secrets } = context;
  const key = plan.keys.find((each) => each.name === plan.roles.caller);
  const value = key === undefined ? undefined : secrets.get(key.env);
  if (key === undefined || value === undefined) {
    return unobserved(PROMISE, "no active key is configured");
  }
  const ask = asker(context, key, value);
  const answers: { spelling: string; exchange: Exchange }[] = [];
  for (const spelling of SPELLINGS) {
    const exchange = await ask(spelling);
    answers.push({ spelling, exchange });
    if (isDisturbed(exchange)) break;
  }
  return await compare(answers, ask);
}

function asker(context: WitnessContext, key: PlanKey, value: string): Ask {
  const { plan, signal, net } = context;
  const send = careful(careOf(key, BESIDE_SCENARIOS), net, signal);
  const path = routePath("me");
  const url = new URL(plan.baseUrl.replace(/\/+$/, "") + path);
  const asked = { method: "GET", route: "me", path, key: key.name, requestBody: null } as const;
  return (spelling) =>
    send(async () => ({ ...asked, ...(await net.rawGet(url, [[spelling, value]], signal)) }));
}

async function compare(
  answers: readonly { spelling: string; exchange: Exchange }[],
  ask: Ask,
): Promise<Finding> {
  const evidence = Object.fromEntries(
    answers.map(({ spelling, exchange }) => [spelling, exchange.status]),
  );
  const exchanges = answers.map(({ exchange }) => exchange);
  const grounds = { evidence, exchanges };
  const accepted = answers.find(({ exchange }) => isSuccess(exchange));
  const other = answers.find(({ exchange }) => !isSuccess(exchange));
  if (other === undefined) return kept(PROMISE, "all spellings of the header count", grounds);
  if (accepted === undefined || !isRefusal(other.exchange)) {
    return inconclusive(PROMISE, `GET /v1/me did not answer 2xx: ${listed(evidence)}`, grounds);
  }
  const again = await ask(other.spelling);
  if (!isRefusal(again)) {
    const reason = `"${other.spelling}" was refused once and then answered ${again.status}`;
    return inconclusive(PROMISE, reason, grounds);
  }
  const summary = `"${other.spelling}" is refused where "${accepted.spelling}" is accepted`;
  return broken(PROMISE, summary, { evidence, exchanges: [...exchanges, again] });
}

function isRefusal({ status }: Exchange): boolean {
  return status === 401 || status === 403;
}

function listed(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([spelling, status]) => `${spelling} ${status === 0 ? "no answer" : status}`)
    .join(", ");
}
