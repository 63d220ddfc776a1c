/** Witness of auth.header-case: k6 writes header names in its own way, Node as they are given. */

import type { Exchange } from "../../contract/exchange.ts";
import { isDisturbed, isSuccess } from "../../contract/exchange.ts";
import { ROUTES as ROUTE_PATHS } from "../../contract/routes.ts";
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

/** Reads without a parameter: each may have its key looked up by a handler of its own. Spec §4. */
const ROUTES = ["me", "credits", "deployments", "jobs", "workers"] as const;

type Route = (typeof ROUTES)[number];

/** The account decides; another endpoint can only contradict it, or add to what was looked at. */
async function judge(ask: Ask): Promise<Finding> {
  const [account, ...others] = ROUTES;
  const first = await judgeRoute(ask, account);
  if (first.verdict !== "kept") return first;
  const findings = [first];
  for (const route of others) {
    const finding = await judgeRoute(ask, route);
    if (finding.verdict === "broken") return finding;
    if (finding.verdict === "kept") findings.push(finding);
  }
  return { ...first, strength: looksAt(SPELLINGS.length * findings.length, "requests") };
}

async function judgeRoute(ask: Ask, route: Route): Promise<Finding> {
  const answers: Answer[] = [];
  for (const spelling of SPELLINGS) {
    const exchange = await ask({ route, keyHeader: spelling });
    answers.push({ spelling, exchange });
    if (isDisturbed(exchange)) break;
  }
  return await compare(answers, route, ask);
}

interface Answer {
  spelling: string;
  exchange: Exchange;
}

async function compare(answers: readonly Answer[], route: Route, ask: Ask): Promise<Finding> {
  const evidence = Object.fromEntries(
    answers.map(({ spelling, exchange }) => [spelling, exchange.status]),
  );
  const exchanges = answers.map(({ exchange }) => exchange);
  const grounds = { evidence, exchanges };
  const accepted = answers.find(({ exchange }) => isSuccess(exchange));
  const other = answers.find(({ exchange }) => !isSuccess(exchange));
  if (other === undefined) {
    const strength = looksAt(answers.length, "spellings");
    return kept(PROMISE, "the header is accepted in every letter case", { ...grounds, strength });
  }
  if (accepted === undefined || !isRefusal(other.exchange)) {
    return inconclusive(
      PROMISE,
      `GET ${ROUTE_PATHS[route]} did not answer 2xx: ${listed(evidence)}`,
      grounds,
    );
  }
  const again = await ask({ route, keyHeader: other.spelling });
  if (!isRefusal(again)) {
    const reason = `"${other.spelling}" was refused once and then answered ${again.status}`;
    return inconclusive(PROMISE, reason, grounds);
  }
  const where = route === "me" ? "" : ` by ${ROUTE_PATHS[route]}`;
  const summary = `"${other.spelling}" is refused${where}, and "${accepted.spelling}" is accepted`;
  return broken(PROMISE, summary, { evidence, exchanges: [...exchanges, again] });
}

function isRefusal({ status }: Exchange): boolean {
  return status === 401 || status === 403;
}

function listed(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([spelling, status]) => `${spelling} ${status === 0 ? "no response" : status}`)
    .join(", ");
}
