/**
 * What the webhooks of a load have against promises that another scenario judges, seen in
 * passing. Spec §5.5, §6.
 */

import { countedClaim } from "../../judging/claim.ts";
import { decide } from "../../judging/decide.ts";
import { isBesideUs } from "../../loopback.ts";
import type { PromiseId } from "../../promises.ts";
import type { RunPlan } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { isTooBusy } from "../webhook/case.ts";
import { hostLagOf } from "./reading.ts";
import type { DeliveryTally, LoadSeen } from "./tally.ts";
import type { Violations } from "./violations.ts";
import { faultsOf, mergeViolations } from "./violations.ts";

export interface DeliveryContext {
  /** Service and receiver are on this machine: no network loses an answer. */
  isLocal: boolean;
  /** The machine was late by so much that a sender may have missed an answer. */
  isLate: boolean;
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
  const { judged, unsigned, untruthful, wrongResult } = tally;
  const found: readonly (readonly [PromiseId, Violations])[] = [
    ["webhook.signed", unsigned],
    ["webhook.truthful", untruthful],
    ["webhook.result", wrongResult],
    ["webhook.once", repeatedIn(tally, context)],
  ];
  if (judged === 0) return [];
  const singly = found.map(([promise, violations]): Finding => {
    const faults = faultsOf(violations);
    const claim = countedClaim({
      promise,
      faults,
      good: Math.max(0, judged - faults.length),
      of: "deliveries",
      off: "of the soak",
      kept: `${judged} deliveries of the soak, none against it`,
      without: "",
    });
    return { ...decide(claim), inPassing: true };
  });
  return [...singly, ...retriesIn(tally, context), ...firstWaitsIn(tally, context)];
}

/** Ours: of so few that did not come a way from elsewhere may have lost each. */
const UNRETRIED_MIN = { local: 1, afar: 3 };

function retriesIn(
  { retried, unretried }: DeliveryTally,
  { isLocal, isLate, isIncomplete, areOverdue }: DeliveryContext,
): readonly Finding[] {
  const least = isLocal ? UNRETRIED_MIN.local : UNRETRIED_MIN.afar;
  const isDoubtful = isLate || isIncomplete || areOverdue || unretried.count < least;
  const faults = isDoubtful ? [] : faultsOf(unretried);
  if (retried + faults.length === 0) return [];
  const claim = countedClaim({
    promise: "webhook.retried",
    faults,
    good: retried,
    of: "failed deliveries",
    off: "of the soak were not retried",
    kept: `${retried} failed deliveries of the soak were retried`,
    without: "",
  });
  return [{ ...decide(claim), inPassing: true }];
}

/** Ours: of so few that strayed a way from elsewhere may have held up each. */
const MISTIMED_MIN = { local: 1, afar: 3 };

function firstWaitsIn(
  { retried, mistimed }: DeliveryTally,
  { isLocal, isLate, isIncomplete }: DeliveryContext,
): readonly Finding[] {
  const least = isLocal ? MISTIMED_MIN.local : MISTIMED_MIN.afar;
  const isDoubtful = isLate || isIncomplete || mistimed.count < least;
  const faults = isDoubtful ? [] : faultsOf(mistimed);
  if (retried === 0) return [];
  const claim = countedClaim({
    promise: "webhook.wait-1",
    faults,
    good: retried - faults.length,
    of: "waits",
    off: "of the soak strayed",
    kept: `${retried} first waits of the soak, none against it`,
    without: "",
  });
  return [{ ...decide(claim), inPassing: true }];
}

/** A sender that missed the answer 200 sends again after the next wait, and is right. */
function repeatedIn(
  { judged, repeated, again }: DeliveryTally,
  { isLocal, isLate }: DeliveryContext,
): Violations {
  if (isLate) return { count: 0, kept: [] };
  const isLoss = again.count < LOST_MIN || again.count <= LOST_SHARE_MAX * judged;
  return isLoss && !isLocal ? repeated : mergeViolations(repeated, again);
}

export function deliveryContext(
  { tally, hasFeed, evicted }: LoadSeen,
  plan: RunPlan,
): DeliveryContext {
  return {
    isIncomplete: !hasFeed || evicted > 0,
    areOverdue: tally.webhooks.late > 0,
    isLocal: isBesideUs(plan.baseUrl, plan.receiver),
    isLate: isTooBusy({ times: plan.times, lagMs: hostLagOf(tally).wholeMs }),
  };
}
