/** Measures the limits of each key that the plan lists for it, and judges the group `rate`. */

import type { IsolationTrial } from "../../contract/judges/rate/isolation.ts";
import { isLeaking, judgeAllEndpoints, judgePerKey } from "../../contract/judges/rate/isolation.ts";
import { judgeLimited, judgeWithinPlan } from "../../contract/judges/rate/limited.ts";
import { measurementOf } from "../../contract/judges/rate/measurement.ts";
import { judgeBurst, judgeSustained } from "../../contract/judges/rate/quantities.ts";
import { judgeRejectedNotRun } from "../../contract/judges/rate/rejected-not-run.ts";
import {
  judgeRetryAfterNotExcessive,
  judgeRetryAfterPresent,
  judgeRetryAfterSufficient,
  judgeRetryAfterValid,
  longRetryAfterNote,
} from "../../contract/judges/rate/retry-after.ts";
import { rateSeries } from "../../contract/judges/rate/series.ts";
import type { KeyTrial } from "../../contract/judges/rate/trial.ts";
import type { RunPlan, Tolerances } from "../../contract/run-plan.ts";
import type { Finding } from "../../contract/verdict.ts";
import { mergeFindings, unobserved } from "../../contract/verdict.ts";
import { scenarioPromises } from "../catalogue.ts";
import type { Context } from "../contract/context.ts";
import { send } from "../lib/client.ts";
import { planKey } from "../lib/plan.ts";
import { seededRandom } from "../lib/random.ts";
import type { Reporter } from "../lib/reporter.ts";
import type { Scenario } from "../world/scenario.ts";
import { openInTurn } from "./isolation.ts";
import type { LimitedKey } from "./key.ts";
import { limitedKey } from "./key.ts";
import { submitWhenExhausted } from "./rejected.ts";
import type { Opening, TrialParts } from "./trial.ts";
import { runTrial } from "./trial.ts";

/** Ours: keys one after the other, each with waits at their longest. */
const SECONDS_MAX = 600;

export const rateLimitScenario: Scenario = {
  name: "rate-limit",
  promises: scenarioPromises("rate-limit"),
  secondsMax: () => SECONDS_MAX,
  async run(context, report) {
    for (const finding of await judgeKeys(context, report)) report.finding(finding);
  },
};

/** The keys to measure; those of one account side by side, so that they are tried on each other. */
function limitedKeys({ world, plan }: Context): LimitedKey[] {
  const random = seededRandom(plan.seed);
  return plan.roles.limited
    .map((name) => planKey(plan, name))
    .sort((a, b) => (a.account ?? "").localeCompare(b.account ?? ""))
    .flatMap(({ name, plan: planName, sustained, burst }) =>
      planName === null || sustained === null || burst === null
        ? []
        : [limitedKey(world, plan, random, name, planName, { sustained, burst })],
    );
}

async function judgeKeys(context: Context, reporter: Reporter): Promise<Finding[]> {
  const { world, plan, asked, spending } = context;
  const keys = limitedKeys(context);
  if (keys.length === 0) {
    const reason = "no active key with a declared plan is free to be pressed";
    return asked.map((id) => unobserved(id, reason));
  }
  const stranger = await send(world, plan, { method: "GET", route: "workers", key: null });
  for (const key of keys) key.listNeedsKey = stranger.status === 401;
  const { openings, trials: isolation } = await openInTurn(keys);
  reporter.progress(`isolation of ${keys.length} keys tried`);
  const parts = neededParts(context);
  const trials = await runTrials(keys, parts, openings, isolation, reporter);
  const submitter = submitterAmong(plan, keys);
  const rejected = context.asks("rate.rejected-not-run")
    ? await submitWhenExhausted(submitter, spending)
    : { rounds: [], reason: "not asked for" };
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

function neededParts({ asks }: Context): TrialParts {
  return {
    drain: asks("rate.limited", "rate.sustained"),
    endpoints: asks("rate.all-endpoints"),
    returns: asks("rate.retry-after-sufficient", "rate.retry-after-not-excessive"),
    below: asks("rate.limited", "rate.within-plan"),
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

function submitterAmong(plan: RunPlan, keys: readonly LimitedKey[]): LimitedKey {
  const chosen = keys.find(({ name }) => name === plan.roles.overLimit) ?? keys[0];
  if (chosen === undefined) throw new Error("no key to submit with");
  return chosen;
}
