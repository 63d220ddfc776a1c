/** Witness of auth.header-case: k6 writes header names in its own way, Node as they are given. */

import type { Exchange } from "../../contract/exchange.ts";
import { isDisturbed, isSuccess } from "../../contract/exchange.ts";
import { looksAt } from "../../contract/strength.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept } from "../../contract/verdict.ts";
import type { Ask, NodeWitness } from "./witness.ts";

const PROMISE = "auth.header-case";

/** Spec §5.1 shows the first two; a header name has no case. RFC 9110 §5.1. */
const SPELLINGS = ["x-api-key", "X-Api-Key", "X-API-KEY"] as const;

export const headerCaseWitness: NodeWitness = {
  name: "header-case",
  promise: PROMISE,
  look: async (ask) => ({ finding: await judge(ask), notes: [] }),
};

async function judge(ask: Ask): Promise<Finding> {
  const answers: { spelling: string; exchange: Exchange }[] = [];
  for (const spelling of SPELLINGS) {
    const exchange = await ask({ route: "me", keyHeader: spelling });
    answers.push({ spelling, exchange });
    if (isDisturbed(exchange)) break;
  }
  return await compare(answers, ask);
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
  if (other === undefined) {
    const strength = looksAt(answers.length, "spellings");
    return kept(PROMISE, "all spellings of the header count", { ...grounds, strength });
  }
  if (accepted === undefined || !isRefusal(other.exchange)) {
    return inconclusive(PROMISE, `GET /v1/me did not answer 2xx: ${listed(evidence)}`, grounds);
  }
  const again = await ask({ route: "me", keyHeader: other.spelling });
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
