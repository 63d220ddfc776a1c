/** Witness of auth.header-case: k6 writes header names in its own way, Node as they are given. */

import type { Exchange } from "../../contract/requests/exchange.ts";
import { isDisturbed, isSuccess } from "../../contract/requests/exchange.ts";
import { ROUTES as ROUTE_PATHS } from "../../contract/requests/routes.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { looksAt } from "../../contract/strength.ts";
import type { Finding, Json } from "../../contract/verdict.ts";
import { broken, inconclusive, kept } from "../../contract/verdict.ts";
import type { ClientRequest } from "../../http/request.ts";
import type { Ask, NodeWitness, Scene, Testimony } from "./witness.ts";

const PROMISE = "auth.header-case";

/** Spec §5.1 shows the first two; a header name has no case. RFC 9110 §5.1. */
const SPELLINGS = ["x-api-key", "X-Api-Key", "X-API-KEY"] as const;

export const headerCaseWitness: NodeWitness = {
  name: "header-case",
  promise: PROMISE,
  look: (ask, { plan, pause }) => judge({ ask, pause }, trialsOf(plan)),
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

interface Asking extends Pick<Scene, "pause"> {
  ask: Ask;
}

/** Ours: in which an instance may know no key, as while it loads them. */
const MOMENT_MS = 1_000;

/** The account decides; another endpoint can only contradict it, or add to what was looked at. */
async function judge(asking: Asking, others: readonly Trial[]): Promise<Testimony> {
  const first = await judgeTrial(asking, ACCOUNT);
  if (first.verdict !== "kept") return { finding: first, notes: notesOn(first) };
  const findings = [first];
  for (const trial of others) {
    const finding = await judgeTrial(asking, trial);
    if (finding.verdict === "broken") return { finding, notes: [] };
    if (finding.verdict === "kept" && !trial.isMadeUp) findings.push(finding);
  }
  const strength = looksAt(SPELLINGS.length * findings.length, "requests");
  return { finding: { ...first, strength }, notes: [] };
}

async function judgeTrial(asking: Asking, trial: Trial): Promise<Finding> {
  const answers: Answer[] = [];
  for (const spelling of SPELLINGS) {
    const exchange = await askAs(asking.ask, trial, spelling);
    answers.push({ spelling, exchange });
    const isStarted = trial.method === "POST" && isSuccess(exchange);
    if (isDisturbed(exchange) || isStarted) break;
  }
  return await compare(answers, trial, asking);
}

function askAs(ask: Ask, { isMadeUp: _, ...request }: Trial, keyHeader: string) {
  return ask({ ...request, keyHeader });
}

interface Answer {
  spelling: string;
  exchange: Exchange;
}

/** What is refused beside what is taken, and so again after a moment, is refused for its case. */
async function compare(answers: readonly Answer[], trial: Trial, asking: Asking): Promise<Finding> {
  const { ask, pause } = asking;
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
  const again: Exchange[] = [];
  // What runs a job of a made-up worker is asked no more than once.
  const isRun = trial.method === "POST" && isSuccess(accepted.exchange);
  for (const each of isRun ? [other] : [accepted, other, accepted]) {
    await pause(again.length === 0 ? MOMENT_MS : 0);
    const exchange = await askAs(ask, trial, each.spelling);
    again.push(exchange);
    const isOther = isRefusal(exchange) !== (each === other);
    if (!isOther) continue;
    const before = each === other ? "refused once" : "accepted";
    const reason = `"${each.spelling}" was ${before} and then answered ${exchange.status}`;
    return inconclusive(PROMISE, reason, grounds);
  }
  const where = trial === ACCOUNT ? "" : ` by ${request}`;
  const summary = `"${other.spelling}" is refused${where}, and "${accepted.spelling}" is accepted`;
  return broken(PROMISE, summary, { ...grounds, exchanges: [...exchanges, ...again] });
}

function isRefusal({ status }: Exchange): boolean {
  return status === 401 || status === 403;
}

function answerText({ spelling, exchange: { status } }: Answer): string {
  return `${spelling} ${status === 0 ? "no response" : status}`;
}
