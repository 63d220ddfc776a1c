/**
 * What the webhooks of a load have against promises that another scenario judges, seen in
 * passing. Spec §5.5, §6.
 */

import type { Claim, Seen } from "../../judging/claim.ts";
import { anythingIf } from "../../judging/claim.ts";
import { judgeCounted } from "../../judging/decide.ts";
import { countAbove, quantileOf } from "../../numbers/histogram.ts";
import type { PromiseId } from "../../promises.ts";
import { isBesideUs } from "../../requests/loopback.ts";
import type { RunPlan } from "../../run/run-plan.ts";
import type { Finding } from "../../verdict.ts";
import type { Late } from "../webhook/case.ts";
import { isTooBusy, mayStandStill, stallMs } from "../webhook/case.ts";
import { hostLagOf, worstLagMs } from "./reading.ts";
import type { DeliveryTally, LoadSeen } from "./tally.ts";
import type { Violations } from "./violations.ts";
import { faultsOf, noViolations } from "./violations.ts";

export interface DeliveryContext {
  /** Service and receiver are on this machine: no network loses an answer. */
  isLocal: boolean;
  /** The machine was late by so much that a sender may have missed an answer. */
  isLate: boolean;
  /** So late it was once at least: a sender may have missed answers then. */
  hasStalled: boolean;
  /** Of the service's answers to submissions, those that were as late. */
  lateAnswers: Late;
  /** Some that arrived may not have been read. */
  isIncomplete: boolean;
  /** Webhooks came that had been given up: so may a retry have done after the load. */
  areOverdue: boolean;
}

/** Ours: no way from elsewhere loses the answers to so many. */
const LOST_SHARE_MAX = 0.05;
const LOST_MIN = 5;

export function judgeLoadDeliveries(
  tally: DeliveryTally,
  context: DeliveryContext,
): readonly Finding[] {
  const { judged, unsigned, unnamed, untruthful, wrongResult, early, misshapen, byOther } = tally;
  if (judged === 0) return [];
  // A retry was held against the attempt before it alone.
  const first = judged - tally.retried;
  const clear = judged - unnamed;
  const about = (promise: PromiseId, faults: readonly Seen[], looks: number) =>
    inPassing(promise, faults, looks, {
      of: "deliveries",
      off: "of the soak",
      kept: `${looks} deliveries of the soak, none contradicts it`,
    });
  // What is right tells nothing of those that did not come, or of when a job ended.
  const ifWrong = (...[promise, faults, looks]: Parameters<typeof about>) =>
    faults.length === 0 ? [] : [about(promise, faults, looks)];
  const repeats = repeatsIn(tally, first, context);
  return [
    ...(clear > 0 ? [about("webhook.signed", faultsOf(unsigned), clear)] : []),
    about("webhook.truthful", faultsOf(untruthful), judged),
    about("webhook.result", faultsOf(wrongResult), first),
    about("webhook.body", faultsOf(misshapen), first),
    about("webhook.once", repeats, first),
    ...ifWrong("webhook.delivered", faultsOf(byOther), judged),
    ...ifWrong("webhook.not-before-terminal", faultsOf(early), first),
    ...retriesIn(tally, repeats, context),
  ];
}

function inPassing(
  promise: PromiseId,
  faults: readonly Seen[],
  looks: number,
  words: Pick<Claim, "of" | "off" | "kept">,
): Finding {
  const good = Math.max(0, looks - faults.length);
  return { ...judgeCounted({ ...words, promise, faults, good, without: "" }), inPassing: true };
}

/** Ours: of so few that did not come, or strayed, a way from afar may be to blame each time. */
const FAULTS_MIN = { local: 1, afar: 3 };

/**
 * Whether failed deliveries were tried again, not too soon, and no more once that was taken. A
 * second process's attempts come between those of the other, and after them; most of them repeat
 * what was taken, and those between as soon; on loopback all repeats count as such.
 */
function retriesIn(
  { retried, unretried, mistimed, goneOn, repeated }: DeliveryTally,
  repeats: readonly Seen[],
  context: DeliveryContext,
): readonly Finding[] {
  const { isLocal, isLate, isIncomplete, areOverdue } = context;
  const least = isLocal ? FAULTS_MIN.local : FAULTS_MIN.afar;
  const surely = (seen: Violations, isDoubtful: boolean) =>
    isLate || isIncomplete || isDoubtful || seen.count < least ? [] : faultsOf(seen);
  const missing = surely(unretried, areOverdue);
  const seen = retried + missing.length;
  const further = repeatsIn({ repeated: noViolations(), again: goneOn }, retried, context);
  const retries = inPassing("webhook.retried", missing, seen, {
    of: "failed deliveries",
    off: "of the soak were not retried",
    kept: `${retried} failed deliveries of the soak were retried`,
  });
  const soon = repeatsIn({ repeated, again: noViolations() }, retried, context);
  const areTwo = (again: readonly Seen[], { count }: Violations) => {
    const sure = again.filter(({ above }) => above === undefined || above.length === 0).length;
    return sure > 0 && sure >= count;
  };
  const waits = inPassing("webhook.wait-1", surely(mistimed, false), retried, {
    of: "waits",
    off: "of the soak were off",
    kept: `${retried} first waits of the soak, none contradicts it`,
  });
  // None was watched until another attempt would have come: that none did tells nothing.
  const series = inPassing("webhook.recovers", further, retried, {
    of: "series",
    off: "of the soak went on after a retry was answered 200",
    kept: "",
  });
  return [
    ...(seen > 0 ? [retries] : []),
    ...(retried > 0 && !areTwo(soon, mistimed) ? [waits] : []),
    ...(further.length > 0 && !areTwo(repeats, goneOn) ? [series] : []),
  ];
}

/**
 * A sender that missed the answer 200 sends again after the next wait, and is right. A receiver
 * that stood still finds both at once when it goes on: the gap between them tells nothing then.
 * @param taken How many were answered 200.
 */
function repeatsIn(
  { repeated, again }: Pick<DeliveryTally, "repeated" | "again">,
  taken: number,
  { isLocal, isLate, hasStalled, lateAnswers }: DeliveryContext,
): readonly Seen[] {
  if (isLate) return [];
  const isLoss = again.count < LOST_MIN || again.count <= LOST_SHARE_MAX * taken;
  const isHeld = isLocal && mayStandStill({ count: again.count, of: taken }, lateAnswers);
  const seen = [
    [repeated, hasStalled],
    [isLoss && !isLocal ? noViolations() : again, hasStalled || isHeld],
  ] as const;
  const why = "this machine stood still meanwhile, and senders may have missed its responses";
  return seen.flatMap(([some, isExplained]) =>
    faultsOf(some).map((each) => ({ ...each, above: anythingIf(isExplained, "host lag", why) })),
  );
}

export function deliveryContext(
  { tally, hasFeed, evicted }: LoadSeen,
  plan: RunPlan,
): DeliveryContext {
  const { all } = tally.submit;
  const isTooLate = (lagMs: number) => isTooBusy({ times: plan.times, lagMs });
  const lateMs = (quantileOf(all, 0.5) ?? 0) + stallMs(plan);
  return {
    lateAnswers: { count: countAbove(all, lateMs), of: all.count },
    isIncomplete: !hasFeed || evicted > 0,
    areOverdue: tally.webhooks.late > 0,
    isLocal: isBesideUs(plan.baseUrl, plan.receiver),
    isLate: isTooLate(hostLagOf(tally).wholeMs),
    hasStalled: isTooLate(worstLagMs(tally)),
  };
}
