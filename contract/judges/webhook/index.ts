/** All claims on webhooks in the order of the catalogue, and the figures beside their verdicts. */

import { isUnchecked, isVouched } from "../../jobs/delivery.ts";
import type { Claim, Explanation, LeftOut } from "../../judging/claim.ts";
import { anythingIf } from "../../judging/claim.ts";
import { decide } from "../../judging/decide.ts";
import type { Finding } from "../../verdict.ts";
import { WEBHOOK_RETRY_WAITS_MS } from "../../webhook-schedule.ts";
import { answerTimeClaim } from "./answer-time.ts";
import { isTaken, namedJob } from "./attempts.ts";
import { bodyClaim } from "./body.ts";
import { timelineOf } from "./build-timeline.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { isTooBusy } from "./case.ts";
import { deliveredClaim, onlyAskedClaim } from "./delivered.ts";
import { notBeforeTerminalClaim } from "./not-before-terminal.ts";
import { resultClaim } from "./result.ts";
import { retriedClaim } from "./retried.ts";
import { hasSecondRun, hasSecondSender } from "./second-run.ts";
import { signedClaim } from "./signed.ts";
import { givesUpClaim, onceClaim, recoversClaim } from "./silence.ts";
import type { WebhookTimeline } from "./timeline.ts";
import { truthfulClaim } from "./truthful.ts";
import { waitClaim } from "./wait.ts";

/** What it takes to believe a claim: each can be withdrawn by what was in the way. */
type Need =
  | "signatures"
  | "whole records"
  | "a calm machine"
  | "one job"
  | "one run"
  | "one sender";

/** Of what a delivery says each proves something by itself, whatever else is missing. */
const SAID: readonly Need[] = ["signatures"];
const SAID_OF_ONE: readonly Need[] = [...SAID, "one job"];
const SENT: readonly Need[] = ["signatures", "whole records"];
const AGAIN: readonly Need[] = [...SENT, "one job", "a calm machine"];
const SERIES: readonly Need[] = [...SENT, "one job", "one run", "one sender"];
const TIMED: readonly Need[] = [...SERIES, "a calm machine"];

const CLAIMS: readonly [claimOf: (run: WebhookTimeline) => Claim, needs: readonly Need[]][] = [
  [deliveredClaim, SENT],
  [notBeforeTerminalClaim, SAID_OF_ONE],
  [bodyClaim, SAID],
  [truthfulClaim, [...SAID, "one run"]],
  [signedClaim, []],
  [onceClaim, AGAIN],
  [retriedClaim, SERIES],
  [(run) => waitClaim(run, 0), TIMED],
  [(run) => waitClaim(run, 1), TIMED],
  [(run) => waitClaim(run, 2), TIMED],
  [givesUpClaim, SERIES],
  [answerTimeClaim, TIMED],
  [recoversClaim, TIMED],
  [onlyAskedClaim, SENT],
  [resultClaim, SAID_OF_ONE],
];

export function judgeWebhooks(all: WebhookRun): readonly Finding[] {
  const vouched = vouchedRun(all);
  const { cases } = vouched.run;
  const lacks = cases.map((each) => lackedBy(each, vouched.run));
  const lacking = (need: Need) => lacks.filter((lacked) => lacked.includes(need)).length;
  const twins = leftOutText(lacking("one job"), TWINS);
  const again = leftOutText(lacking("one run"), RUN_AGAIN);
  const beside = leftOutText(lacking("one sender"), SENT_BESIDE);
  const runOf = runsOf(all, vouched.run, lacks);
  return CLAIMS.map(([claimOf, needs]) => {
    const isSigned = needs.includes("signatures");
    const run = runOf(needs);
    const when = (need: Need, text: string) => (needs.includes(need) ? [text] : []);
    const claim = claimOf(run);
    const evictions = needs.includes("whole records") ? evictionsIn(run) : [];
    const isBusy = needs.includes("a calm machine") && isTooBusy(run);
    const busy = anythingIf(isBusy, "host lag", "this machine is too busy to measure times");
    return decide({
      ...claim,
      without: [
        ...when("one job", twins),
        ...when("one run", again),
        ...when("one sender", beside),
        claim.without,
      ].join(""),
      explanations: [...evictions, ...busy, ...(claim.explanations ?? [])],
      hidden: [...evictions, ...(claim.hidden ?? [])],
      leftOut: isSigned ? vouched.leftOut : null,
    });
  });
}

/** What a claim of those needs is made of; each worked out once. */
function runsOf(all: WebhookRun, vouched: WebhookRun, lacks: readonly (readonly Need[])[]) {
  const everything = timelineOf(all);
  const known = new Map<string, WebhookTimeline>();
  return (needs: readonly Need[]): WebhookTimeline => {
    if (!needs.includes("signatures")) return everything;
    const lacking = lacks.map((lacked) => needs.some((need) => lacked.includes(need)));
    const name = lacking.join();
    const cases = vouched.cases.filter((_, at) => lacking[at] === false);
    const run = known.get(name) ?? timelineOf({ ...vouched, cases });
    known.set(name, run);
    return run;
  };
}

function lackedBy(each: WebhookCase, run: WebhookRun): readonly Need[] {
  const isOfOneRun = !hasSecondRun(each, run);
  return [
    ...(isOfOneJob(each) ? [] : ["one job" as const]),
    ...(isOfOneRun ? [] : ["one run" as const]),
    ...(isOfOneRun && hasSecondSender(each, run) ? ["one sender" as const] : []),
  ];
}

/**
 * Where two jobs are told of at one address, as of a submission that started two, the attempts of
 * both took steps of one script: they are no series of either. That is webhook.truthful's.
 */
function isOfOneJob({ deliveries }: WebhookCase): boolean {
  return new Set(deliveries.flatMap((delivery) => namedJob(delivery) ?? [])).size <= 1;
}

const TWINS = "deliveries at one address told of two (see webhook.truthful)";
const RUN_AGAIN = "deliveries at one address told of two runs of one job (see webhook.once)";
const SENT_BESIDE = "deliveries at one address came from two senders (see webhook.once)";

/** Ahead of why nothing was seen. */
function leftOutText(count: number, why: string): string {
  if (count === 0) return "";
  const jobs = count === 1 ? "1 job does" : `${count} jobs do`;
  return `${jobs} not count, as ${why}: `;
}

/** Neither `broken` nor `kept` stands where the record of deliveries has holes of our own. */
function evictionsIn({ cases, pushedOut }: WebhookRun): readonly Explanation[] {
  const { deliveries, tokens } = pushedOut;
  // The oldest are evicted first: where the first attempt is there, so are the others.
  const isFirstGone = cases.some((each) => {
    return each.jobId !== null && each.deliveries[0]?.attempt !== 1;
  });
  // A token that is evicted begins anew, so that its deliveries no longer show what went.
  const hasHoles = tokens > 0 || (deliveries > 0 && isFirstGone);
  const why =
    `the receiver had no room and evicted ${deliveries} deliveries and ${tokens} tokens, ` +
    "some of this run may be among them";
  return anythingIf(hasHoles, "eviction", why);
}

/**
 * What came without the service's signature proves nothing, neither for a promise nor against it.
 * A post that comes when the service has no more to send is left out; any other one may have taken
 * a step of the script, or be the service's own: its job says nothing. Who signs wrongly itself is
 * told so by `webhook.signed` alone.
 */
function vouchedRun(run: WebhookRun): { run: WebhookRun; leftOut: LeftOut | null } {
  const cases = run.cases.flatMap((each) => vouchedPart(run, each) ?? []);
  const silent = run.cases.length - cases.length;
  const what =
    `${silent} of ${run.cases.length} jobs do not count, by their signatures ` +
    "(see webhook.signed)";
  return {
    run: { ...run, cases },
    leftOut: silent === 0 ? null : { what, explainedBy: { promise: "webhook.signed" } },
  };
}

/** The case as the service itself has made it; null where that can't be told. */
function vouchedPart({ signatureScheme }: WebhookRun, each: WebhookCase): WebhookCase | null {
  const { deliveries, lagsMs } = each;
  const isOwn = deliveries.map((delivery) => isVouched(signatureScheme, delivery));
  const first = isOwn.indexOf(false);
  if (first === -1) return each;
  const isCut = deliveries.some((delivery) => isUnchecked(signatureScheme, delivery));
  // Whether none was due any more. Spec §6.
  const isOver = deliveries.slice(0, first).some(isTaken) || first > WEBHOOK_RETRY_WAITS_MS.length;
  if (isCut || !isOver) return null;
  const kept = [...deliveries.keys()].filter((at) => isOwn[at]);
  return {
    ...each,
    deliveries: deliveries.filter((_, at) => isOwn[at]),
    lagsMs: kept.slice(1).map((at, before) => Math.max(...lagsMs.slice(kept[before], at))),
  };
}
