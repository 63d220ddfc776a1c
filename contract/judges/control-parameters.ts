/** Judges whether `webhook` and `priority` are accepted beside a worker's own fields. Spec §4.3. */

import { judgeCounted } from "../judging/decide.ts";
import { countText } from "../numbers/figures.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isClientError, isDisturbed, isSuccess } from "../requests/exchange.ts";
import type { Finding } from "../verdict.ts";

/**
 * What one worker answered: with both parameters, and where that was refused, with each alone and
 * with none. The webhook's address never resolves; `reachableWebhook` has one that answers: the
 * receiver's, or else the service's own. null: not sent.
 */
export interface ControlTrial {
  workerId: string;
  both: Exchange;
  priority: Exchange | null;
  webhook: Exchange | null;
  reachableWebhook: Exchange | null;
  plain: Exchange | null;
}

export interface ControlContext {
  /** Why there may be no trial. */
  without: string;
  /**
   * The service is known to deliver to the receiver, whose address it has no reason to refuse. That
   * it is on this machine says nothing: many refuse webhooks to loopback and private addresses.
   */
  isReached: boolean;
}

/** About the key, the credits, the worker, what others do or the rate: not the parameters. */
const NOT_ABOUT_PARAMETERS = [401, 402, 404, 409, 429];

export function judgeControlParameters(
  trials: readonly ControlTrial[],
  { without, isReached }: ControlContext,
): Finding {
  const readings = trials.map((trial) => ({ trial, ...readTrial(trial) }));
  const webhookWelcome =
    isReached ||
    trials.some(({ both, webhook, reachableWebhook }) =>
      [webhook ?? both, reachableWebhook].some((each) => each !== null && isSuccess(each)),
    );
  // A refused webhook speaks against the service only where another worker accepts the same.
  const faults = readings.filter(({ fault }) => {
    return fault !== null && (fault !== "webhook" || webhookWelcome);
  });
  const unclear = readings.filter(
    (each) => !faults.includes(each) && (each.doubt !== null || each.fault !== null),
  );
  return judgeCounted({
    promise: "submit.control-parameters",
    faults: faults.map(({ trial, fault }) => {
      const alone = fault === "webhook" ? trial.webhook : trial.priority;
      const { status } = (fault === "both together" ? null : alone) ?? trial.both;
      return {
        what:
          `worker "${trial.workerId}" refused ${fault} with ${status}, ` +
          "and accepted the same input without it; promised to accept both",
        exchanges: exchangesOf(trial),
      };
    }),
    open: unclear.map(({ trial, doubt }) => {
      return { what: doubt ?? UNREACHABLE_REFUSED, exchanges: exchangesOf(trial) };
    }),
    good: readings.length - faults.length - unclear.length,
    of: "workers",
    kept: `${countText(trials.length, "worker")} accepted webhook and priority`,
    without,
    quorum: { openShare: 0 },
  });
}

/** A service may look whether an address can be reached, or leads into a private network. */
const UNREACHABLE_REFUSED =
  "no worker accepts a webhook, whatever its address: the service may check addresses";

type Fault = "priority" | "webhook" | "both together";

function readTrial(trial: ControlTrial): { fault: Fault | null; doubt: string | null } {
  const { both, priority, webhook, reachableWebhook, plain } = trial;
  if (isSuccess(both)) return { fault: null, doubt: null };
  if (isDisturbed(both)) return { fault: null, doubt: "a submission got no response" };
  if (NOT_ABOUT_PARAMETERS.includes(both.status)) {
    return { fault: null, doubt: `a submission got ${both.status}, which has another cause` };
  }
  if (plain === null || !isSuccess(plain)) {
    return { fault: null, doubt: "the input is refused without the parameters as well" };
  }
  if (priority !== null && isRefusal(priority)) return { fault: "priority", doubt: null };
  if (webhook !== null && isRefusal(webhook)) {
    if (reachableWebhook !== null && isSuccess(reachableWebhook))
      return { fault: null, doubt: null };
    if (reachableWebhook !== null && isRefusal(reachableWebhook)) {
      return { fault: "webhook", doubt: null };
    }
    return { fault: null, doubt: "a webhook that answers could not be tried" };
  }
  return { fault: "both together", doubt: null };
}

function isRefusal(exchange: Exchange): boolean {
  return isClientError(exchange) && !NOT_ABOUT_PARAMETERS.includes(exchange.status);
}

function exchangesOf(trial: ControlTrial): readonly Exchange[] {
  const { both, priority, webhook, reachableWebhook, plain } = trial;
  return [both, priority, webhook, reachableWebhook, plain].flatMap((exchange) => exchange ?? []);
}
