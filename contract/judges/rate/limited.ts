/** rate.limited: above the plan's limit, requests get 429. Spec §7, §8. */

import type { Claim } from "../../judging/claim.ts";
import { anythingIf } from "../../judging/claim.ts";
import { chanceOfShare } from "../../numbers/binomial.ts";
import { momentsIn } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess } from "../../requests/exchange.ts";
import { AWAY_MS, TIMES_AWAY_MAX } from "../expected-status.ts";
import type { Doubt, KeyFault, KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import { FAILURES_MIN, isDown, isOutage } from "./outage.ts";
import type { KeyTrial } from "./trial.ts";
import {
  allShots,
  excessShots,
  shotsWith,
  shotsWithinPlan,
  sinceRevoked,
  spanSeconds,
} from "./trial.ts";
import { lineText, waitingLine } from "./waiting-line.ts";

/** Ours: a smaller share of an overload is the network's. */
const FAILED_SHARE_MIN = 0.01;
/**
 * Ours: only what is this far above the plan obliges the service to refuse, or more bursts
 * beyond it than the windows at its edges let in.
 */
const OVERLOAD = { factor: 1.2, bursts: 1.2 };

export function limitedClaim(trials: readonly KeyTrial[]): Claim {
  return claimOf(trials, []);
}

/** Of an overload; `writes` are submissions within the limit, sent together with it. */
export function limitedAmidClaim(trial: KeyTrial, writes: readonly Exchange[]): Claim {
  return claimOf([trial], writes);
}

function claimOf(trials: readonly KeyTrial[], writes: readonly Exchange[]): Claim {
  const without = "no key was loaded beyond its plan";
  const within = trials.flatMap((trial) => told(trial, shotsWithinPlan(trial)));
  const seen = trials.map((trial) => {
    const others = trials.filter((each) => each !== trial).flatMap(allShots);
    return seenOf(trial, { within, others, writes });
  });
  return keysClaim({ promise: "rate.limited", of: "refusals", without }, seen);
}

const TOGETHER = "they came together, as if an instance was briefly unavailable";

/** What else was sent in the run. */
interface Beside {
  /** What no limit may refuse, of all keys. */
  within: readonly Exchange[];
  /** Of other keys. */
  others: readonly Exchange[];
  writes: readonly Exchange[];
}

function seenOf(trial: KeyTrial, beside: Beside): KeySeen | null {
  const shots = excessShots(trial);
  const refused = shotsWith(shots, "refused").length;
  if (refused === 0 && trial.drain === null) return null;
  const [unanswered, failed] = failuresIn(trial, shots);
  const faults = [...failedInstead(trial, failed, beside), ...refusedOtherwise(trial, beside)];
  const waiting = refused > 0 ? [] : heldInstead(trial, unanswered);
  return {
    key: trial.key,
    faults: refused > 0 ? faults : [...faults, ...unlimited(trial), ...waiting],
    doubt: waiting.length > 0 ? null : doubtOf(trial, shots, unanswered),
    good: refused,
    said: `${refused} of ${shots.length} requests got 429`,
    evidence: {
      requests: shots.length,
      refused,
      failed: failed.length,
      unanswered: unanswered.length,
    },
  };
}

function failuresIn(trial: KeyTrial, shots: readonly Exchange[]): [Exchange[], Exchange[]] {
  const isRevoked = revokedIn(trial);
  const all = shotsWith(shots, "failed").filter((shot) => !isRevoked(shot));
  return [all.filter(isUntold), all.filter((shot) => !isUntold(shot))];
}

/** Whether a request of the trial was refused as somebody has revoked its key. */
function revokedIn(trial: KeyTrial): (exchange: Exchange) => boolean {
  return sinceRevoked([...allShots(trial), ...trial.submissions]);
}

/** Those that the service, or the way to it, let through or failed. */
function told(trial: KeyTrial, shots: readonly Exchange[]): readonly Exchange[] {
  const isRevoked = revokedIn(trial);
  return shots.filter((shot) => !isRevoked(shot) && !isUntold(shot));
}

/**
 * A machine that is too busy gets no answer in time; one without ports or descriptors, none; and
 * what was not read does not tell.
 */
function isUntold(shot: Exchange): boolean {
  return shot.error === "timeout" || shot.error === "unread" || isUnsent(shot);
}

function isUnsent({ error }: Exchange): boolean {
  return error === "local";
}

/**
 * Requests above the plan that fail; those that fail as often within plans as well don't count.
 */
function failedInstead(
  trial: KeyTrial,
  all: readonly Exchange[],
  { within, others }: Beside,
): KeyFault[] {
  const own = new Set(shotsWithinPlan(trial));
  const shots = excessShots(trial).filter((shot) => !own.has(shot));
  const chances = chancesOfWays(told(trial, shots), within);
  const rarer = (most: number) =>
    all.filter((shot) => !own.has(shot) && (chances.get(wayOf(shot)) ?? 0) <= most);
  const [sure, maybe] = [rarer(CHANCE_MAX), rarer(CHANCE_USUAL)];
  const failed = isMuch(sure, shots) ? sure : maybe;
  if (trial.below === null || !isMuch(failed, shots)) return [];
  const how = failed[0]?.status === 0 ? "no response" : String(failed[0]?.status);
  const what =
    `above the plan's rate ${failed.length} of ${shots.length} requests got ${how}, ` +
    `${belowText(failed, within)}; promised 429`;
  const isLost = failed.every(({ status }) => status === 0) && mayBeLost(trial, shots);
  const lost = "the network may lose as many of those that nothing refuses";
  const above = [
    ...anythingIf(failed !== sure, "another fault", "by chance as many may fail within plans"),
    ...anythingIf(isOutage(failed, shots, others), "another fault", TOGETHER),
    ...anythingIf(isLost, "network", lost),
  ];
  return [{ what, times: failed.length, exchanges: failed, above }];
}

function belowText(failed: readonly Exchange[], within: readonly Exchange[]): string {
  const ways = new Set(failed.map(wayOf));
  const alike = shotsWith(within, "failed").filter((shot) => ways.has(wayOf(shot)));
  return alike.length === 0 ? "none below it" : `${alike.length} of ${within.length} below it`;
}

/** An endpoint fails with an answer, or without one. */
function wayOf({ route, status }: Exchange): string {
  return `${route} ${status === 0}`;
}

/** Of each way to fail within plans: how often chance makes it as frequent above them. */
function chancesOfWays(
  beyond: readonly Exchange[],
  within: readonly Exchange[],
): ReadonlyMap<string, number> {
  const ways = new Set(shotsWith(within, "failed").map(wayOf));
  const met = (shots: readonly Exchange[], way: string) => {
    const asked = shots.filter(({ route }) => way.startsWith(`${route} `));
    const failed = shotsWith(asked, "failed").filter((shot) => wayOf(shot) === way);
    return [failed.length, asked.length] as const;
  };
  const chanceOfWay = (way: string) => chanceOfShare(...met(beyond, way), ...met(within, way));
  return new Map([...ways].map((way) => [way, chanceOfWay(way)]));
}

/** Ours: what chance makes more often than that is as usual within plans as above them. */
const CHANCE_USUAL = 1e-3;
/** Ours: chance may not make a difference more often than that; where few were refused, too. */
const CHANCE_MAX = 1e-6;
const CHANCE_MAX_UNREFUSED = 1e-5;

/**
 * Whether the way may have lost them, which is as likely for what no limit refuses. What fails in
 * place of 429 fails often; or, in bursts or elsewhere, no less often than 429 comes.
 */
function mayBeLost(trial: KeyTrial, beyond: readonly Exchange[]) {
  const inBursts = new Set(trial.volleys.flatMap((burst) => burst.shots));
  const others = shotsWithinPlan(trial);
  const parts = [true, false].map((isIn) => beyond.filter((shot) => inBursts.has(shot) === isIn));
  return (
    chanceOf(beyond, others) > CHANCE_MAX &&
    parts.every((part) => isRefusedMore(part) || chanceOf(part, others) > CHANCE_MAX_UNREFUSED)
  );
}

function isRefusedMore(shots: readonly Exchange[]): boolean {
  return shotsWith(shots, "refused").length > shotsWith(shots, "failed").length;
}

/** Of so many failing among the first, or more, though each request is as likely to fail. */
function chanceOf(shots: readonly Exchange[], others: readonly Exchange[]): number {
  const failed = (some: readonly Exchange[]) => shotsWith(some, "failed").length;
  return chanceOfShare(failed(shots), shots.length, failed(others), others.length);
}

/** Ours: one may meet a fault of another kind, most of them don't. */
const OTHERWISE_SHARE_MIN = 0.5;
/** No credits left, no such worker, or too many requests. Spec §7. */
const LAWFUL_REFUSALS = [402, 404, 429];

/**
 * Submissions on an exhausted key that were neither accepted nor answered 429, where most were, or
 * where some fail each time: what sheds load may stand beside the limiter.
 */
function refusedOtherwise(trial: KeyTrial, { within, writes }: Beside): KeyFault[] {
  const { submissions } = trial;
  const isRevoked = revokedIn(trial);
  const other = submissions.filter(
    (each) =>
      !isSuccess(each) &&
      !isRevoked(each) &&
      !isUntold(each) &&
      !LAWFUL_REFUSALS.includes(each.status),
  );
  const areMost = other.length > submissions.length * OTHERWISE_SHARE_MIN;
  if (!areMost && !isShed(other, submissions, within)) return [];
  const statuses = [...new Set(other.map(({ status }) => status || "none"))].join(", ");
  const what =
    `above the plan ${other.length} of ${submissions.length} submissions got ${statuses}, ` +
    "and 202 below it; promised 429";
  const reads = allShots(trial);
  const isUnanswered = other.every(({ status }) => status === 0);
  const isLost = isUnanswered && chanceOf(submissions, reads) > CHANCE_MAX;
  const lost = `the network may lose as many of the ${reads.length} other requests`;
  const down = "the key's other requests failed then as well, each of them";
  const areWritesAway = timesOf(other) < 2 && ![...other, ...writes].some(isAnswered);
  const above = [
    ...anythingIf(areWritesAway, "another fault", TOGETHER),
    ...anythingIf(isLost, "network", lost),
    ...anythingIf(isDown(trial, other), "another fault", down),
  ];
  return [{ what, times: other.length, exchanges: other, above }];
}

/** Whether some fail at more times than an endpoint may be away, and chance fails no others so. */
function isShed(
  other: readonly Exchange[],
  submissions: readonly Exchange[],
  within: readonly Exchange[],
): boolean {
  if (other.some(({ status }) => status < 500)) return false;
  const below = shotsWith(within, "failed").length;
  const chance = chanceOfShare(other.length, submissions.length, below, within.length);
  return timesOf(other) > TIMES_AWAY_MAX && chance <= CHANCE_MAX;
}

function isAnswered({ status }: Exchange): boolean {
  return status > 0 && status < 500;
}

/** How many times all that writes would have been away. */
function timesOf(shots: readonly Exchange[]): number {
  return momentsIn(
    shots.map(({ sentAtMs }) => sentAtMs),
    AWAY_MS,
  );
}

function isMuch(some: readonly Exchange[], shots: readonly Exchange[]): boolean {
  return some.length >= FAILURES_MIN && some.length >= FAILED_SHARE_MIN * shots.length;
}

function unlimited(trial: KeyTrial): KeyFault[] {
  const { admitted, allowed, seconds } = pressureOf(trial);
  const most = Math.min(allowed * OVERLOAD.factor, allowed + OVERLOAD.bursts * trial.limit.burst);
  if (admitted.length < most) return [];
  const what =
    `${admitted.length} requests in ${seconds.toFixed(1)} s and no 429; ` +
    `the plan allows ${Math.floor(allowed)}`;
  return [{ what, times: 1, exchanges: admitted.slice(-1) }];
}

/** What is beyond the plan, and waits until there is room for it or until its client gives up. */
function heldInstead({ drain, limit }: KeyTrial, unanswered: readonly Exchange[]): KeyFault[] {
  const line = drain === null ? null : waitingLine(drain, limit);
  if (drain === null || line === null) return [];
  const late = unanswered.length === 0 ? "" : `; ${unanswered.length} timed out`;
  const { press } = drain;
  const what = `none of ${press.length} requests above the plan got 429: ${lineText(line)}${late}`;
  return [{ what, times: 1, exchanges: press.slice(-1) }];
}

function pressureOf({ drain, limit }: KeyTrial) {
  const shots = [...(drain?.volley.shots ?? []), ...(drain?.press ?? [])];
  const seconds = spanSeconds(shots);
  const allowed = limit.burst + limit.sustained * seconds;
  return { admitted: shotsWith(shots, "admitted"), allowed, seconds };
}

function doubtOf(
  trial: KeyTrial,
  shots: readonly Exchange[],
  unanswered: readonly Exchange[],
): Doubt | null {
  if (isMuch(unanswered, shots)) {
    const some = `${unanswered.length} of ${shots.length} requests above the plan`;
    return unanswered.some(isUnsent)
      ? { cause: "host lag", why: `${some} timed out or could not be sent by this machine` }
      : { cause: "network", why: `${some} timed out` };
  }
  if (shotsWith(shots, "refused").length > 0) return null;
  const { admitted, seconds } = pressureOf(trial);
  const why =
    `the generator got ${admitted.length} requests through in ${seconds.toFixed(1)} s, ` +
    "too few to exceed the plan";
  return { cause: "host lag", why };
}
