/** Cheap reads of the account and of both lists, beside the jobs; they cost nothing. */

import { namesOtherUnit } from "../../contract/balance/names.ts";
import { findAmounts } from "../../contract/balance/read.ts";
import { listEntries } from "../../contract/judges/workers.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import {
  isClientError,
  isDisturbed,
  isSuccess,
  jsonBody,
} from "../../contract/requests/exchange.ts";
import { answerText, isPageInFront } from "../answer-text.ts";
import { canariesOf } from "../canary/canary.ts";
import { sleepUntil } from "../clock.ts";
import type { ApiCheck } from "../events.ts";
import { API_CHECKS, emitViolations } from "../events.ts";
import { violationsOfCheck } from "../judging.ts";
import type { Outcome } from "../outcome.ts";
import { isJson, refusal, servedWell } from "../outcome.ts";
import type { ListFindings } from "./own-jobs.ts";
import { ownFault } from "./runs/doubt.ts";
import type { Parts } from "./runs/run.ts";

/** Ours: as often as the canary of the main path; on the embedded service, to see some. */
const EVERY_MS = 60_000;
const EMBEDDED_EVERY_MS = 10_000;
const NOTHING_LISTED: ListFindings = { list: [], runs: [], showsOthers: false };

/** Ours: a check that can't be sent within this time is left out. */
const WAIT_MS_MAX = 30_000;

/** Checks until the probe stops. */
export async function runApiChecks(parts: Parts): Promise<void> {
  const known = new Set<ApiCheck>();
  const others = API_CHECKS.filter((check) => check !== "credits");
  await Promise.all([
    runChecks(parts, others, { known, dueAfter: (intervals) => intervals }),
    runChecks(parts, ["credits"], { known, dueAfter: inPairs }),
  ]);
}

/** Ours: of an interval. A canary's job and its charge leave so much of a minute quiet. */
const PAIR_APART = 25 / 60;
/** Ours: the golden ratio's fraction, whose multiples spread evenly over an interval. */
const SHIFT = 0.618;

/**
 * In intervals since the first, when the balance is read the next time: as often as all else is
 * read, but two by two, so that between some of them no canary runs, and each pair at another time
 * of the interval.
 */
function inPairs(readings: number): number {
  const pair = Math.floor(readings / 2);
  const shift = (pair * SHIFT) % 1;
  return 2 * pair + shift + (readings % 2) * PAIR_APART;
}

interface Timing {
  /** Those that have been a success. */
  known: Set<ApiCheck>;
  /** In intervals since the first round, when the one of that number is due. */
  dueAfter: (rounds: number) => number;
}

async function runChecks(
  parts: Parts,
  checks: readonly ApiCheck[],
  { known, dueAfter }: Timing,
): Promise<void> {
  const { clock, signal, target } = parts;
  const everyMs = target.embedded ? EMBEDDED_EVERY_MS : EVERY_MS;
  const startMs = clock.nowMs();
  let [dueMs, rounds] = [startMs, 0];
  while (!signal.aborted) {
    await checkOnce(parts, checks, known);
    while (dueMs <= clock.nowMs()) {
      rounds += 1;
      dueMs = startMs + everyMs * dueAfter(rounds);
    }
    await sleepUntil(clock, dueMs, signal);
  }
}

/** One check of each of the kinds. */
async function checkOnce(
  parts: Parts,
  checks: readonly ApiCheck[],
  known: Set<ApiCheck>,
): Promise<void> {
  const { client, clock, signal } = parts;
  for (const check of checks) {
    // After a pause canaries come first: an endpoint that refuses checks alone would keep them off.
    if (client.pausedUntilMs > clock.nowMs()) return;
    const byMs = clock.nowMs() + WAIT_MS_MAX;
    const answer = await client.send({ route: check }, byMs, signal);
    if (answer === null || signal.aborted || isOpen(check, answer, known)) continue;
    const outcome = report(parts, check, answer, await ownFault(parts, answer));
    if (outcome === "success") known.add(check);
  }
}

/**
 * Which parameters the job list takes is not shown, so that one may be required: what is answered
 * 4xx from the start says nothing, and what was answered once is not to be refused. Spec §4.5.
 */
function isOpen(check: ApiCheck, answer: Exchange, known: ReadonlySet<ApiCheck>): boolean {
  const isRefused = isClientError(answer) && refusal(answer) === "http_error";
  return check === "jobs" && isRefused && !isPageInFront(answer) && !known.has(check);
}

/** `own`: why a failure may be this machine's own; null where it is not. */
function report(
  { emit, knowledge, target }: Pick<Parts, "emit" | "knowledge" | "target">,
  check: ApiCheck,
  answer: Exchange,
  own: string | null,
): Outcome {
  const atMs = answer.receivedAtMs;
  const isList = check === "jobs" && isSuccess(answer);
  const listed = isList ? knowledge.ownJobs.violations(answer) : NOTHING_LISTED;
  // What they are charged is not told from what the own jobs are.
  if (listed.showsOthers) knowledge.charges.forget();
  // Of a rejected key its runs tell, and who watches the answers where it is accepted between.
  const isJudged = !isDisturbed(answer) && refusal(answer) !== "auth";
  const judged = isJudged ? [...violationsOfCheck(answer), ...listed.list] : [];
  emitViolations(emit, { run: null, check }, judged, atMs);
  for (const { run, finding } of listed.runs) emitViolations(emit, { run }, [finding], atMs);
  const emptied = check === "workers" ? emptiedList(answer, knowledge, target) : null;
  const wrong = judged[0]?.summary ?? emptied;
  const outcome = own === null ? outcomeOf(answer, wrong !== null) : "probe_error";
  const seen = own ?? wrong ?? answerText(answer);
  const why = outcome === "success" ? null : seen;
  const promises = judged.map(({ promise }) => promise);
  emit({ type: "api-check", check, outcome, why, promises, atMs });
  const served = servedWell(outcome);
  if (served !== "unknown") {
    emit({ type: "service-level", level: "api-available", good: served === "good" });
  }
  // What an earlier answer said is not what is left now.
  const isTold = check === "credits" && isSuccess(answer);
  if (isTold) {
    emit({ type: "credits", left: balanceOf(answer) ?? Number.NaN });
    emitViolations(emit, { run: null }, knowledge.charges.violations(answer, target), atMs);
  }
  return outcome;
}

/**
 * What is wrong with a list of workers that is empty and has named one of the canaries'. A worker
 * may be run without being listed; one that was listed is looked for there.
 */
function emptiedList(
  answer: Exchange,
  knowledge: Parts["knowledge"],
  target: Parts["target"],
): string | null {
  const listed = listEntries(answer);
  const own = new Set(canariesOf(target).map(({ workerId }) => workerId));
  if (listed?.some(({ id }) => own.has(id))) knowledge.listsWorkers = true;
  if (listed?.length !== 0 || !knowledge.listsWorkers) return null;
  return "an empty list, which named canaries' workers before";
}

function outcomeOf(answer: Exchange, isBroken: boolean): Outcome {
  if (answer.error !== null || !isSuccess(answer)) return refusal(answer);
  if (isBroken) return "wrong_result";
  return isJson(answer) ? "success" : "http_error";
}

/** What a balance in credits may be called, and what stands beside one. Spec §2.10 shows none. */
const BALANCE_NAME = /balance|credit|remaining|available/i;
/** What an account was given, what it has used, and what is not the account's own to use. */
const OTHER_AMOUNT = new RegExp(
  [
    "usd|eur|held|hold|reserved|pending|limit|max|quota|price|cost|per_",
    "used|usage|spent|spend|consum|expire",
    "granted|total|monthly|included|allow|purchased|lifetime|plan",
  ].join("|"),
  "i",
);
/** The number of a record that has the amount in parts, or its unit beside. google.type.Money */
const PART = /\.(units|amount|value)$/;

/**
 * The one number that is called a balance in credits, or where none is, that of the one record that
 * is; several would be a guess.
 */
function balanceOf(credits: Exchange): number | null {
  const found = Object.entries(findAmounts(jsonBody(credits), "credits"));
  const amounts = found.filter(([path]) => !OTHER_AMOUNT.test(path));
  const called = (path: string) => BALANCE_NAME.test(path.split(".").at(-1) ?? "");
  const named = amounts.filter(([path]) => called(path));
  const inRecords = amounts.filter(([path]) => {
    return called(path.replace(PART, "")) && !namesOtherUnit(path);
  });
  const [only, ...others] = named.length > 0 ? named : inRecords;
  return only === undefined || others.length > 0 ? null : only[1];
}
