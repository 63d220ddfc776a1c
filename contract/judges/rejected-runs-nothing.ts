/**
 * Judges that refused submissions neither run nor cost. Other traffic may share the account, so a
 * new job or a fallen balance counts only when it comes again with each burst of refusals, and
 * never in the quiet between: in the same number, or with more bursts, as a service may let only
 * some of them run. Spec §4.3.
 */

import { fallsBetween, sameAmount } from "../balance/changes.ts";
import { isStill } from "../balance/kinds.ts";
import type { Calibration, Span } from "../balance/refused.ts";
import {
  amountsIn,
  asLeft,
  balancesAmong,
  fallingPaths,
  fallsAt,
  mayBeBalance,
  owedPaths,
  risenMoney,
  withoutCountersOf,
} from "../balance/refused.ts";
import type { ListedJob } from "../decode/job-list.ts";
import type { Delivery } from "../jobs/delivery.ts";
import { isVouched } from "../jobs/delivery.ts";
import { marksIn } from "../jobs/marks.ts";
import type { Seen } from "../judging/claim.ts";
import { anything } from "../judging/claim.ts";
import { judgeCounted, judgeFaultsAlone } from "../judging/decide.ts";
import { leastOf, mostOf } from "../numbers/extremes.ts";
import { countText, rounded } from "../numbers/figures.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isClientError } from "../requests/exchange.ts";
import { workerInPath } from "../requests/routes.ts";
import type { Finding } from "../verdict.ts";
import { namedJob } from "./webhook/attempts.ts";

export interface RejectedInput {
  volleys: readonly Span[];
  quiet: readonly Span[];
  calibration: Calibration | null;
  without: string;
}

/** With what a submission is refused. Spec §7. */
const REFUSALS = [400, 402, 404, 422, 429];

/** What is charged or run may hang on the reason for the refusal. */
function refusalsNotTried(refused: readonly Exchange[]): readonly string[] {
  const seen = new Set(refused.map(({ status }) => status));
  return REFUSALS.filter((each) => !seen.has(each)).map((each) => `submissions answered ${each}`);
}

export function judgeRejectedRunsNothing(given: RejectedInput): Finding {
  const input = withoutDebts(given);
  const refused = input.volleys.flatMap((burst) => burst.refused);
  const [first] = input.volleys;
  const isBlind = input.volleys.every((each) => !isListed(each) && !hasAmounts(each));
  const fault = refused.length === 0 || isBlind ? null : (jobFault(input) ?? chargeFault(input));
  const exchanges = [...(first?.refused.slice(0, 2) ?? []), ...(first?.after.exchanges ?? [])];
  const blind = anything("too little seen", "neither the job list nor a balance can be read");
  return judgeCounted({
    promise: "submit.rejected-runs-nothing",
    faults: fault === null ? [] : [{ ...fault, exchanges }],
    good: fault === null ? refused.length : 0,
    looks: refused.length,
    of: "submissions",
    kept: `${refused.length} refused submissions ${seenOf(input.volleys)}`,
    without: input.without,
    hidden: isBlind ? [blind] : [],
    notTried: [...refusalsNotTried(refused), ...tracesNotTried(input.volleys)],
    evidence: { refused: refused.length, bursts: input.volleys.length },
  });
}

/** Charges may be booked once in a while, and show none: it is said how long one was awaited. */
function seenOf(volleys: readonly Span[]): string {
  const waitedMs = leastOf(volleys.filter(hasAmounts).map(waitedMsIn));
  const within = waitedMs > 0 ? ` within ${Math.floor(waitedMs / 1_000)} s` : "";
  const seen = [
    ...(volleys.some(isListed) ? ["started no job"] : []),
    ...(volleys.some(hasAmounts) ? [`showed no charge${within}`] : []),
  ];
  return seen.join(" and ");
}

/** From the last refusal to the reading of the account. */
function waitedMsIn({ refused, after }: Span): number {
  if (refused.length === 0 || after.exchanges.length === 0) return 0;
  const readAtMs = leastOf(after.exchanges.map(({ sentAtMs }) => sentAtMs));
  return readAtMs - mostOf(refused.map(({ receivedAtMs }) => receivedAtMs));
}

function tracesNotTried(volleys: readonly Span[]): readonly string[] {
  return [
    ...(volleys.some(isListed) ? [] : ["whether jobs started, as no job list can be read"]),
    volleys.some(hasAmounts) ? "charges that show later" : "charges, as no balance can be read",
  ];
}

function withoutDebts(input: RejectedInput): RejectedInput {
  const owed = owedPaths(input.calibration);
  if (owed.size === 0) return input;
  const { volleys, quiet, calibration } = input;
  const signed = <Seen extends Pick<Span, "before" | "after">>(seen: Seen): Seen => {
    return { ...seen, ...asLeft(seen, owed) };
  };
  return {
    ...input,
    volleys: volleys.map(signed),
    quiet: quiet.map(signed),
    calibration: calibration === null ? null : signed(calibration),
  };
}

/**
 * Jobs of later lists that show the mark of a submission which was refused. None where no list
 * does. What one answer refused, another may have accepted: such marks tell nothing.
 */
export function judgeRefusedAndListed(
  submissions: readonly Exchange[],
  lists: readonly Exchange[],
): readonly Finding[] {
  const refusals = new Map<string, Exchange>();
  for (const each of submissions) {
    for (const mark of marksIn(each.requestBody ?? "")) refusals.set(mark, each);
  }
  for (const each of submissions.filter((sent) => !isClientError(sent))) {
    for (const mark of marksIn(each.requestBody ?? "")) refusals.delete(mark);
  }
  const faults = lists.flatMap((list) => {
    const refused = marksIn(list.body).flatMap((mark) => refusals.get(mark) ?? []);
    return refused.slice(0, 1).map((refusal) => {
      const what = `a job is listed whose submission was answered ${refusal.status}`;
      return { what: `${what}; promised that it starts none`, exchanges: [refusal, list] };
    });
  });
  return judgeFaultsAlone({ promise: "submit.rejected-runs-nothing", faults, of: "submissions" });
}

/** A submission with an address of its own for its webhook, and what came there. */
export interface RefusedWithWebhook {
  attempts: readonly Exchange[];
  deliveries: readonly Delivery[];
}

/** A webhook tells that a job has ended: one that names a job shows that there was one. */
export function judgeRefusedAndTold(
  all: readonly RefusedWithWebhook[],
  signatureScheme: string,
): readonly Finding[] {
  const faults = all.flatMap(({ attempts, deliveries }): Seen[] => {
    const own = deliveries.filter((each) => isVouched(signatureScheme, each));
    const [id] = own.flatMap((each) => namedJob(each) ?? []);
    const [refusal] = attempts;
    const isRefused = attempts.every(isClientError);
    if (id === undefined || refusal === undefined || !isRefused) return [];
    const what = `a webhook tells of job ${id}, whose submission was answered ${refusal.status}`;
    return [{ what, exchanges: [refusal] }];
  });
  const promise = "submit.rejected-runs-nothing";
  const findings = judgeFaultsAlone({ promise, faults, of: "submissions" });
  return findings.map((finding) => ({ ...finding, inPassing: true }));
}

type Fault = Seen | null;

/** Ours: bursts that tell whatever the numbers are: with as many quiet spans, 1 of 250 at worst. */
export const UNEVEN_BURSTS = 4;

/** Whether all bursts left something, but not the same: more of them would tell. */
export function isUneven(volleys: readonly Span[], calibration: Calibration | null): boolean {
  const counts = volleys.filter(isListed).map((burst) => unknownJobs(burst).length);
  const balances = balancesAmong(fallingPaths(volleys), volleys, calibration);
  const falls = balances.map((path) => fallsAt(path, volleys));
  const isOdd = ([first = 0, ...others]: readonly number[]) =>
    others.some((each) => !sameAmount(each, first));
  return (!counts.includes(0) && isOdd(counts)) || falls.some(isOdd);
}

function byOthers(what: string): Seen {
  return { what, above: [anything("others' use", "it may be other traffic of the account")] };
}

/** Whether the job list could be read on both sides of it: else it shows no job, and no quiet. */
function isListed({ before, after }: Span): boolean {
  return before.listed !== null && after.listed !== null;
}

function hasAmounts({ before, after }: Span): boolean {
  return Object.keys(before.amounts).some((path) => path in after.amounts);
}

function jobFault(input: RejectedInput): Fault {
  const [bursts, quiet] = [input.volleys.filter(isListed), input.quiet.filter(isListed)];
  const counts = bursts.map((burst) => unknownJobs(burst).length);
  const [first = 0] = counts;
  if (counts.length === 0 || counts.includes(0)) return null;
  const noisy = quiet.length === 0 || quiet.some((span) => unknownJobs(span).length > 0);
  const isSame = counts.every((each) => each === first);
  if (noisy || !isTelling(isSame, counts.length, quiet.length)) {
    return byOthers(`${countText(first, "unknown job")} appeared`);
  }
  const refused = bursts[0]?.refused.length ?? 0;
  const appeared = isSame
    ? `${first} unknown jobs appeared after each burst`
    : `${counts.join(", ")} unknown jobs appeared after bursts`;
  return {
    what:
      `${appeared} of ${refused} refused submissions, ` +
      "none otherwise; promised that a refused submission starts no job",
  };
}

function isTelling(isSame: boolean, bursts: number, quiet: number): boolean {
  return isSame ? bursts >= 2 : Math.min(bursts, quiet) >= UNEVEN_BURSTS;
}

/** Jobs listed after and not before, that were not issued to the suite, of a worker refused. */
export function unknownJobs(span: Span): readonly Pick<ListedJob, "id" | "workerId">[] {
  const { before, after, ownIds, refused } = span;
  const known = new Set([...ownIds, ...(before.listed ?? []).map(({ id }) => id)]);
  const workers = new Set(refused.map(({ path }) => workerInPath(path)));
  return (after.listed ?? []).filter(({ id, workerId }) => {
    if (known.has(id) || before.listed === null) return false;
    return workerId === null || workers.size === 0 || workers.has(workerId);
  });
}

/** Whether an amount fell that may be left, or rose that may be owed: reason to look again. */
export function hasMoved(span: Span): boolean {
  const { before, after } = amountsIn(span);
  return risenMoney(span).length > 0 || Object.keys(fallsBetween(before, after)).length > 0;
}

function chargeFault({ volleys: bursts, quiet, calibration }: RejectedInput): Fault {
  const silences = quiet.map(amountsIn);
  const paths = withoutCountersOf(fallingPaths(bursts), silences, calibration);
  if (paths.length === 0) return null;
  const balance = balancesAmong(paths, bursts, calibration);
  if (balance.length === 0) {
    return mayBeBalance(paths, calibration)
      ? byOthers("an amount fell that may or may not be the balance")
      : null;
  }
  for (const path of balance) {
    const amounts = fallsAt(path, bursts);
    const first = amounts[0] ?? 0;
    const isSame = amounts.every((amount) => sameAmount(amount, first));
    if (isTelling(isSame, amounts.length, silences.length) && isStill(path, silences)) {
      const each = amounts.map((amount) => rounded(amount, 6)).join(", ");
      const cost = isSame
        ? `each burst of refused submissions cost ${rounded(first, 6)}`
        : `bursts of refused submissions cost ${each}`;
      return { what: `${cost} (${path}); promised 0` };
    }
  }
  return byOthers("the balance fell");
}
