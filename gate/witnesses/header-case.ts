/** Witness of auth.header-case: k6 writes header names in its own way, Node as they are given. */

import type { Exchange } from "../../contract/exchange.ts";
import { isDisturbed, isSuccess } from "../../contract/exchange.ts";
import { ROUTES as ROUTE_PATHS } from "../../contract/routes.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import { looksAt } from "../../contract/strength.ts";
import type { Finding, Json } from "../../contract/verdict.ts";
import { broken, inconclusive, kept } from "../../contract/verdict.ts";
import type { ClientRequest } from "../../http/request.ts";
import type { Ask, NodeWitness, Testimony } from "./witness.ts";

const PROMISE = "auth.header-case";

/** Spec §5.1 shows the first two; a header name has no case. RFC 9110 §5.1. */
const SPELLINGS = ["x-api-key", "X-Api-Key", "X-API-KEY"] as const;

export const headerCaseWitness: NodeWitness = {
  name: "header-case",
  promise: PROMISE,
  look: (ask, { plan }) => judge(ask, trialsOf(plan)),
};

/** As the scenarios' client writes it. */
const SENT_AS = SPELLINGS[1];

/** Where the account refuses that spelling, all that the scenarios ask is refused. */
function notesOn({ verdict, evidence }: Finding): readonly string[] {
  const { answers } = evidence;
  const isSentSo = (answer: Json) => String(answer).startsWith(`${SENT_AS} 4`);
  if (verdict !== "broken" || !Array.isArray(answers) || !answers.some(isSentSo)) return [];
  return [
    `requests of the scenarios spell the key's header "${SENT_AS}", which the service refuses: ` +
      `${PROMISE} explains doubts about what got 401`,
  ];
}

/** A request that is sent once for each spelling. */
interface Trial extends Pick<ClientRequest, "route" | "parameter" | "body"> {
  method: "GET" | "POST";
  /** What it names does not exist: any answer but a refusal takes the key, or asks for none. */
  isMadeUp?: boolean;
}

const ACCOUNT: Trial = { method: "GET", route: "me" };
/** Reads without a parameter: each may have its key looked up by a handler of its own. Spec §4. */
const READS = ["credits", "deployments", "jobs", "workers"] as const;

/** Those with a parameter, and writes, may have others again. Nothing runs of a made-up worker. */
function trialsOf({ workers }: RunPlan): readonly Trial[] {
  const [known] = Object.values(workers);
  const worker: Trial[] =
    known === undefined ? [] : [{ method: "GET", route: "worker", parameter: known.id }];
  const parameter = "no-such-plumbline";
  return [
    ...READS.map((route): Trial => ({ method: "GET", route })),
    ...worker,
    { method: "GET", route: "job", parameter, isMadeUp: true },
    { method: "POST", route: "submit", parameter, body: {}, isMadeUp: true },
  ];
}

/** The account decides; another endpoint can only contradict it, or add to what was looked at. */
async function judge(ask: Ask, others: readonly Trial[]): Promise<Testimony> {
  const first = await judgeTrial(ask, ACCOUNT);
  if (first.verdict !== "kept") return { finding: first, notes: notesOn(first) };
  const findings = [first];
  for (const trial of others) {
    const finding = await judgeTrial(ask, trial);
    if (finding.verdict === "broken") return { finding, notes: [] };
    if (finding.verdict === "kept" && !trial.isMadeUp) findings.push(finding);
  }
  const strength = looksAt(SPELLINGS.length * findings.length, "requests");
  return { finding: { ...first, strength }, notes: [] };
}

async function judgeTrial(ask: Ask, trial: Trial): Promise<Finding> {
  const answers: Answer[] = [];
  for (const spelling of SPELLINGS) {
    const exchange = await askAs(ask, trial, spelling);
    answers.push({ spelling, exchange });
    const isStarted = trial.method === "POST" && isSuccess(exchange);
    if (isDisturbed(exchange) || isStarted) break;
  }
  return await compare(answers, trial, ask);
}

function askAs(ask: Ask, { isMadeUp: _, ...request }: Trial, keyHeader: string) {
  return ask({ ...request, keyHeader });
}

interface Answer {
  spelling: string;
  exchange: Exchange;
}

async function compare(answers: readonly Answer[], trial: Trial, ask: Ask): Promise<Finding> {
  const listed = answers.map(answerText);
  const exchanges = answers.map(({ exchange }) => exchange);
  const grounds = { evidence: { answers: listed }, exchanges };
  const isTaken = ({ exchange }: Answer) =>
    isSuccess(exchange) ||
    (trial.isMadeUp === true && !isDisturbed(exchange) && !isRefusal(exchange));
  const accepted = answers.find(isTaken);
  const other = answers.find((each) => !isTaken(each));
  if (other === undefined) {
    const strength = looksAt(answers.length, "spellings");
    return kept(PROMISE, "the header is accepted in every letter case", { ...grounds, strength });
  }
  const request = `${trial.method} ${ROUTE_PATHS[trial.route]}`;
  if (accepted === undefined || !isRefusal(other.exchange)) {
    return inconclusive(PROMISE, `${request} did not answer 2xx: ${listed.join(", ")}`, grounds);
  }
  const again = await askAs(ask, trial, other.spelling);
  if (!isRefusal(again)) {
    const reason = `"${other.spelling}" was refused once and then answered ${again.status}`;
    return inconclusive(PROMISE, reason, grounds);
  }
  const where = trial === ACCOUNT ? "" : ` by ${request}`;
  const summary = `"${other.spelling}" is refused${where}, and "${accepted.spelling}" is accepted`;
  return broken(PROMISE, summary, { ...grounds, exchanges: [...exchanges, again] });
}

function isRefusal({ status }: Exchange): boolean {
  return status === 401 || status === 403;
}

function answerText({ spelling, exchange: { status } }: Answer): string {
  return `${spelling} ${status === 0 ? "no response" : status}`;
}
