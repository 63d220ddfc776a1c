/** Tries the limits of each key that the plan lists for it: the group `rate`. */

import { decodeJobList } from "../../contract/decode/job-list.ts";
import { isLeaking } from "../../contract/judges/rate/per-key.ts";
import type { KeyTrial } from "../../contract/judges/rate/trial.ts";
import { waitingLine } from "../../contract/judges/rate/waiting-line.ts";
import { overloadPerSecond, windowMs } from "../../contract/plans.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { jsonBody } from "../../contract/requests/exchange.ts";
import type { PlanKey, RunPlan } from "../../contract/run/run-plan.ts";
import { scenarioPromises } from "../catalogue.ts";
import type { Context } from "../client/context.ts";
import { planKey } from "../client/plan.ts";
import { revokedText } from "../client/revocation.ts";
import { send } from "../client/send.ts";
import { NothingToObserve } from "../world/nothing.ts";
import { seededRandom } from "../world/random.ts";
import type { Reporter } from "../world/reporter.ts";
import type { Scenario } from "../world/scenario.ts";
import { openInTurn } from "./isolation.ts";
import type { LimitedKey } from "./key.ts";
import { isDemanding, isInReach, limitedKey, rest, silentFromMs } from "./key.ts";
import { NOTHING_LEFT, ranLater, submitWhenExhausted } from "./rejected.ts";
import type { Opening, TrialParts } from "./trial.ts";
import { runTrial, tryJobPath } from "./trial.ts";
import { trySubmissions, watchKeys } from "./watch.ts";

/**
 * Ours: less than a gate waits for a scenario. In the longer ones a key is measured whose limits
 * take a minute to be forgotten.
 */
const SECONDS_MAX: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 230,
  standard: 1_100,
  soak: 1_100,
};
/** Ours: what a key's trial takes beside rests, and in how many windows of its limit it rests. */
const TRIAL_MS = 120_000;
const TRIAL_WINDOWS = 14;

export const rateLimitScenario: Scenario = {
  name: "rate-limit",
  promises: scenarioPromises("rate-limit"),
  secondsMax: ({ profile }) => SECONDS_MAX[profile],
  run: tryKeys,
};

const TOO_SLOW = "take more time than the profile quick has";
const TOO_LONG = "take longer to be forgotten than a run waits";

function noteTooLong(reporter: Reporter, name: string): void {
  reporter.note(`the limits of ${name} ${TOO_LONG}: not tried`);
}

/** Whether a trial of the key that begins now would be over in time. */
function isInTime({ world, deadlineAtMs }: Context, { limit }: LimitedKey): boolean {
  return world.now() + TRIAL_MS + TRIAL_WINDOWS * windowMs(limit) <= deadlineAtMs;
}

/**
 * The keys to measure; those of one account side by side, so that they are tried on each other, and
 * the demanding ones last, as they take the machine for themselves.
 */
function limitedKeys(context: Context): LimitedKey[] {
  const { plan } = context;
  const keys = plan.roles.limited
    .map((name) => planKey(plan, name))
    .sort((a, b) => (a.account ?? "").localeCompare(b.account ?? ""));
  return declaredKeys(context, keys).sort(
    (a, b) => Number(isDemanding(a.limit)) - Number(isDemanding(b.limit)),
  );
}

/** Active keys of declared plans that are not measured. */
function spareKeys(context: Context): LimitedKey[] {
  const { keys, roles } = context.plan;
  const isSpare = ({ name, state }: PlanKey) => state === "active" && !roles.limited.includes(name);
  return declaredKeys(context, keys.filter(isSpare));
}

function declaredKeys({ world, plan }: Context, keys: readonly PlanKey[]): LimitedKey[] {
  const random = seededRandom(plan.seed);
  return keys.flatMap(({ name, plan: planName, sustained, burst }) =>
    planName === null || sustained === null || burst === null
      ? []
      : [limitedKey(world, plan, random, name, planName, { sustained, burst })],
  );
}

/** Each endpoint may have an allowance of its own, and a way to refuse of its own. */
const BY_ENDPOINTS: readonly PromiseId[] = ["rate.all-endpoints", "rate.limited"];
/** Ours: what refused submissions tell of, beside not having run. */
const BY_SUBMITTING: readonly PromiseId[] = [
  "rate.rejected-not-run",
  "rate.all-endpoints",
  "rate.limited",
  "rate.retry-after-present",
  "rate.retry-after-valid",
  "rate.retry-after-sufficient",
  "rate.retry-after-not-excessive",
];
const NONE_BEYOND = { endpoints: [], returns: [], submissions: [] };
const NOTHING_SEEN = { rounds: [], endpoints: [], returns: [], jobId: null };
const NOT_SUBMITTED = { ...NOTHING_SEEN, left: NOTHING_LEFT };

/** Those that can be measured in time; of all others a note tells why not. */
function measurableKeys(context: Context, reporter: Reporter): readonly LimitedKey[] {
  const { plan } = context;
  const all = limitedKeys(context);
  if (all.length === 0) {
    throw new NothingToObserve("no active key with a declared plan is free for the overload phase");
  }
  const isSlow = ({ limit }: LimitedKey) => plan.profile === "quick" && isDemanding(limit);
  const inReach = all.filter((key) => isInReach(key.limit) && !isSlow(key));
  if (inReach.length === 0) {
    const isAnyInReach = all.some(({ limit }) => isInReach(limit));
    throw new NothingToObserve(
      isAnyInReach
        ? `every key's limits ${TOO_SLOW}`
        : "no key has limits that one generator can exceed",
    );
  }
  for (const key of all.filter((each) => !inReach.includes(each))) {
    const why = isInReach(key.limit) ? TOO_SLOW : "are more than one generator can exceed";
    reporter.note(`the limits of ${key.name} ${why}: not tried`);
  }
  const keys = inReach.filter((key) => isInTime(context, key));
  if (keys.length === 0) throw new NothingToObserve(`every key's limits ${TOO_LONG}`);
  for (const { name } of inReach.filter((key) => !keys.includes(key))) noteTooLong(reporter, name);
  return keys;
}

async function tryKeys(context: Context, reporter: Reporter): Promise<void> {
  const keys = measurableKeys(context, reporter);
  try {
    await tryEach(context, keys, reporter);
  } finally {
    const revoked = keys.filter(({ revocation }) => revocation.isSeen);
    for (const { name } of revoked) {
      context.note(`${revokedText(name)}; its limits were not tried any further`);
    }
  }
}

async function tryEach(
  context: Context,
  keys: readonly LimitedKey[],
  reporter: Reporter,
): Promise<void> {
  const { world, plan, spending, deadlineAtMs: untilMs } = context;
  const stranger = await send(world, plan, { method: "GET", route: "workers", key: null });
  const triesEndpoints = context.asks(...BY_ENDPOINTS);
  const listed = triesEndpoints ? await listedJobId(context) : null;
  const listNeedsKey = stranger.status === 401;
  for (const key of keys) Object.assign(key, { listNeedsKey, jobId: listed, untilMs });
  const { openings, trials: isolation } = await openInTurn(keys, spareKeys(context));
  reporter.progress(`isolation of ${keys.length} keys checked`);
  for (const trial of isolation) reporter.observed("rate.isolation", trial);
  const loaded = keys.filter((key) => isLoaded(key, openings.get(key.name) ?? FRESH, reporter));
  if (loaded.length === 0) {
    reporter.observed("failure", { reason: "this machine is too slow to exceed any key's limits" });
    return;
  }
  const parts = neededParts(context);
  const isLeak = isolation.some(isLeaking);
  const trials = isLeak
    ? await runInTurn(context, loaded, parts, reporter)
    : await runBeside(context, loaded, parts, { openings, reporter });
  const submitter = submitterAmong(plan, loaded);
  // Beside it, so that it takes no time of its own.
  const others = isLeak || !context.asks("rate.burst") ? [] : loaded;
  const trying = trySubmissions(others.filter((key) => key !== submitter));
  const whyNot = whyNotSubmitted(context, trials, submitter);
  const { endpoints, returns, jobId, left, ...rejected } =
    whyNot === null
      ? await submitWhenExhausted(submitter, spending)
      : { ...NOT_SUBMITTED, reason: whyNot };
  for (const watch of await trying) reporter.observed("rate.watch", watch);
  const submissions = rejected.rounds.flatMap((round) => round.submissions);
  const isNews = triesEndpoints && listed === null && jobId !== null;
  const atJob = isNews ? await tryJobPath(submitter, jobId) : NONE_BEYOND;
  for (const trial of trials) {
    const own = {
      endpoints: [...endpoints, ...atJob.endpoints],
      returns: [...returns, ...atJob.returns],
      submissions,
    };
    const beyond = trial.key === submitter.name ? own : NONE_BEYOND;
    reporter.observed("rate.key", {
      ...trial,
      endpoints: [...trial.endpoints, ...beyond.endpoints],
      returns: [...trial.returns, ...beyond.returns],
      submissions: [...trial.submissions, ...beyond.submissions],
    });
  }
  reporter.observed("rate.rejected", rejected);
  // A load with the same keys waits until they are no longer watched, and have rested.
  const isAwaited = keys.some(({ name }) => plan.roles.loaded.includes(name));
  if (!isAwaited) reporter.settled(context.spending.charges());
  const isWatched = plan.profile !== "quick" && context.asks("rate.burst", "rate.sustained");
  const watches = isWatched ? await watchKeys(context, loaded) : [];
  for (const watch of watches) reporter.observed("rate.watch", watch);
  const late = isWatched ? await ranLater(submitter, { rounds: rejected.rounds, left }) : null;
  if (late !== null) reporter.observed("rate.rejected", { rounds: [late], reason: "" });
  if (!isAwaited) return;
  await Promise.all(keys.map((key) => rest(key)));
  reporter.settled(context.spending.charges());
}

function whyNotSubmitted(
  { asks }: Context,
  trials: readonly KeyTrial[],
  { name, limit }: LimitedKey,
): string | null {
  if (!asks(...BY_SUBMITTING)) return "not asked for";
  const drain = trials.find(({ key }) => key === name)?.drain ?? null;
  const isLine = drain !== null && waitingLine(drain, limit) !== null;
  return isLine ? "what is beyond the plan waits and is not refused (see rate.limited)" : null;
}

/**
 * A router may turn an identifier of another form away before anybody looks at the limit: so of a
 * job that there is, or of none.
 */
async function listedJobId(context: Context): Promise<string | null> {
  const { plan } = context;
  // Keys that are overloaded are at rest first, and stay so.
  const key = plan.roles.limited.includes(context.caller ?? "") ? null : context.caller;
  const list = key === null ? null : await context.ask({ method: "GET", route: "jobs", key });
  return list === null ? null : (decodeJobList(jsonBody(list))?.jobs[0]?.id ?? null);
}

function neededParts({ asks }: Context): TrialParts {
  return {
    // What a limiter gives back at once is seen under overload.
    drain: asks("rate.limited", "rate.sustained", "rate.burst", "rate.all-endpoints"),
    endpoints: asks(...BY_ENDPOINTS),
    returns: asks("rate.retry-after-sufficient", "rate.retry-after-not-excessive"),
    below: asks("rate.limited", "rate.within-plan"),
  };
}

const FRESH: Opening = { bursts: [], endpoints: [] };

/**
 * Whether this machine exceeds the key's plan, by the first burst: a service that holds back what
 * it admits does so only once the burst is spent. A key that is not loaded is in doubt by itself.
 */
function isLoaded({ name, limit }: LimitedKey, { bursts }: Opening, reporter: Reporter): boolean {
  const shots = bursts[0]?.shots ?? [];
  if (!isDemanding(limit) || shots.length === 0) return true;
  const sentMs = shots.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b);
  const count = Math.min(limit.burst, sentMs.length) - 1;
  const perSecond = (count / Math.max(1, (sentMs[count] ?? 0) - (sentMs[0] ?? 0))) * 1_000;
  const needed = overloadPerSecond(limit);
  if (perSecond >= needed) return true;
  const [offers, takes] = [perSecond, needed].map(Math.round);
  reporter.note(
    `the limits of ${name} are in doubt: this machine offers about ${offers} requests/s to it, ` +
      `and they take ${takes}: not tried`,
  );
  return false;
}

/** Demanding keys one by one after all others: what they take of the machine would starve those. */
async function runBeside(
  context: Context,
  keys: readonly LimitedKey[],
  parts: TrialParts,
  { openings, reporter }: { openings: ReadonlyMap<string, Opening>; reporter: Reporter },
): Promise<KeyTrial[]> {
  const measure = async (key: LimitedKey) => {
    const trial = await runTrial(key, parts, openings.get(key.name) ?? FRESH);
    reporter.progress(`key ${key.name} measured`);
    return trial;
  };
  const demanding = keys.filter(({ limit }) => isDemanding(limit));
  const trials = await Promise.all(keys.filter((key) => !demanding.includes(key)).map(measure));
  for (const key of demanding) {
    if (isInTime(context, key)) trials.push(await measure(key));
    else noteTooLong(reporter, key.name);
  }
  return trials;
}

/** Of keys that take from each other: each alone, the others at rest, as long as there is time. */
async function runInTurn(
  context: Context,
  keys: readonly LimitedKey[],
  parts: TrialParts,
  reporter: Reporter,
): Promise<KeyTrial[]> {
  reporter.note("the keys share a limit; each was measured alone");
  const trials: KeyTrial[] = [];
  for (const key of keys) {
    if (!isInTime(context, key)) {
      reporter.note(`the limits of ${key.name} were not measured: no time was left in this run`);
      continue;
    }
    key.lastSentMs = Math.max(...keys.map(silentFromMs));
    trials.push(await runTrial(key, parts, FRESH));
  }
  return trials;
}

function submitterAmong(plan: RunPlan, keys: readonly LimitedKey[]): LimitedKey {
  const chosen =
    keys.find(({ name }) => name === plan.roles.overLimit) ??
    keys.find(({ revocation }) => !revocation.isSeen) ??
    keys[0];
  if (chosen === undefined) throw new Error("no key to submit with");
  return chosen;
}
