/**
 * Submits jobs whose webhooks go to the suite's own receiver, and sees what arrives there. All
 * series run side by side, so the whole takes little more than the longest.
 */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { scenarioPromises } from "../catalogue.ts";
import { readCatalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { deliveriesOf, receiverState } from "../client/receiver.ts";
import type { LagMeter } from "../host/lag.ts";
import { machineLag } from "../host/lag.ts";
import { NothingToObserve } from "../world/nothing.ts";
import type { Reporter } from "../world/reporter.ts";
import type { Scenario } from "../world/scenario.ts";
import { DuePolls } from "./due-polls.ts";
import type { Session } from "./submitting.ts";
import { submitAll } from "./submitting.ts";
import type { Watched } from "./watch.ts";
import { closeCase, watchToEnd } from "./watch.ts";
import { submitUnpaid } from "./without-credits.ts";

/**
 * Ours: the quick profile waits for the first two retries on any clock, which takes 71 s with the
 * silence after them; the others wait for the whole schedule.
 */
const MAX_SECONDS = { quick: 80, standard: 800, soak: 800 };
const ENDING_SECONDS = 8;

export const webhookScenario: Scenario = {
  name: "webhook",
  promises: scenarioPromises("webhook"),
  secondsMax: ({ profile }) => MAX_SECONDS[profile],
  endingSeconds: ENDING_SECONDS,
  callerOf: ({ roles }) => roles.webhook,
  opensAccount: true,
  run,
};

async function run(context: Context, report: Reporter): Promise<void> {
  const { plan, world } = context;
  const access = receiverOf(context, report);
  const lag = machineLag(world, plan.times, access);
  try {
    const catalogue = await readCatalogue(context);
    const own = { shared: new Map(), duePolls: new DuePolls(context), waiting: [] };
    await watchAll({ context, access, catalogue, ...own }, lag, report);
  } finally {
    lag.stop();
  }
}

async function watchAll(session: Session, lag: LagMeter, report: Reporter): Promise<void> {
  const { context, access } = session;
  const { world } = context;
  const before = await receiverState(world, access);
  const [{ watched, unasked }, unpaid] = await Promise.all([
    submitAll(session),
    submitUnpaid(session),
  ]);
  report.progress(`${watched.length} jobs submitted`);
  mustBeAccepted(watched);
  report.settled(context.spending.charges());
  report.progress("first deliveries seen; waiting for retries and for silence");
  await Promise.all(watched.map((each) => watchToEnd(context, access, each)));
  await session.duePolls.over();
  lag.stop();
  await lag.hearAll();
  const cases = await Promise.all(watched.map((each) => closeCase(session, each, watched, lag)));
  const after = await receiverState(world, access);
  for (const each of cases) report.observed("webhook.case", each);
  for (const { issuedId, endSeenAtMs: endKnownAtMs } of unasked) {
    const job = { jobId: issuedId ?? "", endKnownAtMs, watchedUntilMs: world.now() };
    report.observed("webhook.unasked", job);
  }
  if (unpaid !== null) {
    const deliveries = await deliveriesOf(world, access, unpaid.token, 0, 0);
    report.observed("webhook.poor", { attempts: unpaid.attempts, deliveries });
  }
  report.observed("webhook.around", {
    lagMs: lag.typical() + after.loopDelayMsP99,
    pushedOut: {
      deliveries: after.evictedDeliveries - before.evictedDeliveries,
      tokens: after.evictedTokens - before.evictedTokens,
    },
    limits: limitsIn(session),
  });
  if (context.spending.exhausted()) {
    report.note(`webhook: ${context.spending.whyNot("the budget did not allow all cases")}`);
  }
}

/** In seconds by worker, of those that tell one. */
function limitsIn({ context, catalogue }: Session): Readonly<Record<string, number>> {
  const told = Object.values(context.plan.workers).flatMap(({ id }) => {
    const seconds = catalogue.details.get(id)?.detail?.timeoutSeconds ?? null;
    return seconds === null ? [] : [[id, seconds] as const];
  });
  return Object.fromEntries(told);
}

/**
 * Throws NothingToObserve where anything is missing. Where a webhook was due and did not come, the
 * service may never send one as well as not reach the receiver: that is doubt, and no silence.
 */
function receiverOf({ plan, caller }: Context, report: Reporter): ReceiverAccess {
  if (plan.receiver === null) {
    const reason = plan.receiverMissing ?? "no webhook receiver is configured";
    if (plan.receiverReach === "missed") {
      report.observed("failure", { reason, promises: ["webhook.delivered"] });
    }
    throw new NothingToObserve(reason);
  }
  if (caller === null) throw new NothingToObserve("no active key is there to submit with");
  if (plan.workers.success !== undefined) return plan.receiver;
  throw new NothingToObserve("no worker plays the part `success`");
}

/** Throws NothingToObserve where no job was accepted. */
function mustBeAccepted(watched: readonly Watched[]): void {
  if (watched.some(({ job }) => job.issuedId !== null)) return;
  const answer = watched[0]?.job.submission;
  if (answer === undefined) throw new NothingToObserve("the budget allows no job");
  const got = answer.error ?? String(answer.status);
  throw new NothingToObserve(
    `no job with a webhook was accepted: the submissions were answered ${got}`,
  );
}
