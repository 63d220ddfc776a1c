/**
 * Measures the limits of each key that the plan lists under roles.limited, and judges the promises
 * of the group `rate`. Runs alone under stock k6 2.x:
 *
 *   plumbline plan --target plumbline.yaml > plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/rate-limit.ts
 *
 * or, for a first look at one key:
 *
 *   PLUMBLINE_BASE_URL=https://… PLUMBLINE_KEY=… PLUMBLINE_KEY_PLAN=free k6 run
 * scenarios/rate-limit.ts
 *
 * Keys travel by environment only. The keys must have rested for a few seconds, and nobody else
 * may use them meanwhile. Evidence is written to k6's console, one record a line; an exit code
 * other than 0 means a promise broken, inconclusive, or not judged.
 */

import type { IsolationTrial } from "../contract/judges/rate/isolation.ts";
import { isLeaking, judgeAllEndpoints, judgePerKey } from "../contract/judges/rate/isolation.ts";
import { judgeLimited, judgeWithinPlan } from "../contract/judges/rate/limited.ts";
import { measurementOf } from "../contract/judges/rate/measurement.ts";
import { judgeBurst, judgeSustained } from "../contract/judges/rate/quantities.ts";
import { judgeRejectedNotRun } from "../contract/judges/rate/rejected-not-run.ts";
import {
  judgeRetryAfterNotExcessive,
  judgeRetryAfterPresent,
  judgeRetryAfterSufficient,
  judgeRetryAfterValid,
  longRetryAfterNote,
} from "../contract/judges/rate/retry-after.ts";
import { rateSeries } from "../contract/judges/rate/series.ts";
import type { KeyTrial } from "../contract/judges/rate/trial.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { RunPlan, Tolerances } from "../contract/run-plan.ts";
import type { Finding } from "../contract/verdict.ts";
import { inconclusive, mergeFindings, unobserved } from "../contract/verdict.ts";
import { scenarioPromises } from "./catalogue.ts";
import { spendingOf } from "./contract/spending.ts";
import { send } from "./lib/client.ts";
import { askedPromises, loadPlan, planKey } from "./lib/plan.ts";
import { seededRandom } from "./lib/random.ts";
import { register, reporterOf, scenarioOptions, summaryText } from "./lib/scaffold.ts";
import { openInTurn } from "./rate-limit/isolation.ts";
import type { LimitedKey } from "./rate-limit/key.ts";
import { limitedKey } from "./rate-limit/key.ts";
import { submitWhenExhausted } from "./rate-limit/rejected.ts";
import type { Opening, TrialParts } from "./rate-limit/trial.ts";
import { runTrial } from "./rate-limit/trial.ts";

const NAME = "rate-limit";
/** Ours: keys one after the other, each with waits at their longest. */
const SECONDS_MAX = 600;

const plan = loadPlan();
const asked = askedPromises(plan, scenarioPromises(NAME));

export const options = scenarioOptions(asked, SECONDS_MAX);

export function setup(): void {
  register(NAME, asked);
}

export default async function rateLimit(): Promise<void> {
  const reporter = reporterOf(NAME, asked);
  try {
    const findings = await judgeKeys(limitedKeys(plan), reporter);
    for (const finding of findings) reporter.finding(finding);
  } catch (error) {
    for (const id of asked) {
      reporter.finding(inconclusive(id, `the scenario failed: ${String(error)}`));
    }
  }
  reporter.ended();
}

export function handleSummary(data: Parameters<typeof summaryText>[1]): { stdout: string } {
  return { stdout: summaryText(asked, data) };
}

/** The keys to measure; those of one account side by side, so that they are tried on each other. */
function limitedKeys(source: RunPlan): LimitedKey[] {
  const random = seededRandom(source.seed);
  return source.roles.limited
    .map((name) => planKey(source, name))
    .sort((a, b) => (a.account ?? "").localeCompare(b.account ?? ""))
    .flatMap(({ name, plan: planName, sustained, burst }) =>
      planName === null || sustained === null || burst === null
        ? []
        : [limitedKey(source, random, name, planName, { sustained, burst })],
    );
}

type Reporter = ReturnType<typeof reporterOf>;

async function judgeKeys(keys: readonly LimitedKey[], reporter: Reporter): Promise<Finding[]> {
  if (keys.length === 0) {
    const reason = "no active key with a declared plan is free to be pressed";
    return asked.map((id) => unobserved(id, reason));
  }
  const stranger = await send(plan, { method: "GET", route: "workers", key: null });
  for (const key of keys) key.listNeedsKey = stranger.status === 401;
  const { openings, trials: isolation } = await openInTurn(keys);
  reporter.progress(`isolation of ${keys.length} keys tried`);
  const parts = neededParts();
  const trials = await runTrials(keys, parts, openings, isolation, reporter);
  const spending = spendingOf(plan.budget, (text) => reporter.note(text));
  const submitter = submitterAmong(keys);
  const rejected = asked.includes("rate.rejected-not-run")
    ? await submitWhenExhausted(submitter, spending)
    : { rounds: [], reason: "not asked for" };
  const { jobs, credits, usd } = spending.spent();
  reporter.spent(jobs, credits, usd);
  for (const trial of trials) {
    reporter.measurement("rate", measurementOf(trial));
    reporter.series({ group: "rate", value: rateSeries(trial, plan.tolerances) });
    const note = longRetryAfterNote(trial);
    if (note !== null) reporter.note(note);
  }
  const submissions = rejected.rounds.flatMap((round) => round.submissions);
  const withSubmissions = trials.map((trial) =>
    trial.key === submitter.name ? { ...trial, submissions } : trial,
  );
  return [
    ...(trials.length === 0 ? [] : judgeTrials(withSubmissions, plan.tolerances)),
    judgePerKey(isolation),
    judgeRejectedNotRun(rejected.rounds, rejected.reason),
  ];
}

function neededParts(): TrialParts {
  const any = (...ids: PromiseId[]): boolean => ids.some((id) => asked.includes(id));
  return {
    drain: any("rate.limited", "rate.sustained"),
    endpoints: any("rate.all-endpoints"),
    returns: any("rate.retry-after-sufficient", "rate.retry-after-not-excessive"),
    below: any("rate.limited", "rate.within-plan"),
  };
}

/** Side by side, unless the keys take from each other: then each alone, the others at rest. */
async function runTrials(
  keys: readonly LimitedKey[],
  parts: TrialParts,
  openings: ReadonlyMap<string, Opening>,
  isolation: readonly IsolationTrial[],
  reporter: Reporter,
): Promise<KeyTrial[]> {
  const fresh: Opening = { volleys: [], endpoints: [] };
  if (isolation.some(isLeaking)) {
    reporter.note("keys take from each other's allowance; each was measured alone");
    const trials: KeyTrial[] = [];
    for (const key of keys) {
      const othersLastMs = Math.max(...keys.map((each) => each.lastSentMs));
      key.lastSentMs = othersLastMs;
      trials.push(await runTrial(key, parts, fresh));
    }
    return trials;
  }
  return Promise.all(
    keys.map(async (key) => {
      const trial = await runTrial(key, parts, openings.get(key.name) ?? fresh);
      reporter.progress(`key ${key.name} measured`);
      return trial;
    }),
  );
}

type KeyJudge = (trial: KeyTrial, tolerances: Tolerances) => Finding;

const KEY_JUDGES: readonly KeyJudge[] = [
  judgeLimited,
  judgeSustained,
  judgeBurst,
  judgeWithinPlan,
  judgeRetryAfterPresent,
  judgeRetryAfterValid,
  judgeRetryAfterSufficient,
  judgeRetryAfterNotExcessive,
  judgeAllEndpoints,
];

function judgeTrials(trials: readonly KeyTrial[], tolerances: Tolerances): Finding[] {
  return KEY_JUDGES.map((judge) => mergeFindings(trials.map((trial) => judge(trial, tolerances))));
}

function submitterAmong(keys: readonly LimitedKey[]): LimitedKey {
  const chosen = keys.find(({ name }) => name === plan.roles.overLimit) ?? keys[0];
  if (chosen === undefined) throw new Error("no key to submit with");
  return chosen;
}
