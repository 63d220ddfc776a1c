/**
 * Judges that timed-out jobs took nothing from the balance. Which figure is the balance is open:
 * a job of known cost shows it, and what that cost takes from it. Other traffic may share the
 * account, so a fall breaks the promise only when it comes again with other jobs, by as much for
 * each, and never in the quiet between; nor is anything given back there, as held prices are after
 * a while, and those of the first jobs would be by then. A countdown is left aside where another
 * figure may be the balance, and what else falls by itself where another is. Spec §1.4, §2.10.
 */

import { shownStep } from "../../balance/changes.ts";
import { isCharge, isStill } from "../../balance/kinds.ts";
import type { BalanceInput, BalanceSpan } from "../../balance/spans.ts";
import {
  givenIn,
  isMadeUp,
  isSteady,
  likelyBalances,
  restedMsOf,
  riseIn,
  takenIn,
} from "../../balance/spans.ts";
import type { Moving } from "../../balance/unit-cost.ts";
import type { Sample } from "../../judging/claim.ts";
import { anything, anythingIf } from "../../judging/claim.ts";
import { rounded } from "../../numbers/figures.ts";

/**
 * null where no figure of the account is known to be a balance.
 * @param heldMs How long a price may be held.
 */
export function judgeBalance(input: BalanceInput, heldMs: number): Sample | null {
  const factors = likelyBalances(input);
  if (factors.length === 0 || input.waves.length === 0) return null;
  const samples = factors.map((factor) => sampleOf(factor, input, heldMs));
  const [worst] = samples.sort((a, b) => b.high - a.high || mayBe(a) - mayBe(b));
  return worst ?? null;
}

function mayBe({ above = [] }: Sample): number {
  return above.length;
}

/** Whether a trial of more jobs is worth its while: something fell that nothing explains. */
export function hasUnexplainedFall(input: BalanceInput, heldMs: number): boolean {
  const sample = judgeBalance(input, heldMs);
  return sample !== null && mayBe(sample) > 0;
}

/** Faults: 1 where the figure fell with the jobs. */
function sampleOf(factor: Moving, input: BalanceInput, heldMs: number): Sample {
  const { waves, quiet } = input;
  const cost = input.calibration?.cost ?? 0;
  const falls = waves.map((wave) => takenIn(wave, factor));
  if (falls.every((fall) => fall === 0)) {
    return givenSample(factor, waves, quiet) ?? { ...STAYED, what: stayed(factor, waves, cost) };
  }
  const jobs = waves.reduce((sum, { timeouts }) => sum + timeouts, 0);
  const total = falls.reduce((sum, fall) => sum + fall, 0);
  const fell = `${factor.path} fell by ${Number(total.toPrecision(6))} over ${jobs} timed-out jobs`;
  const backAgain = quiet.reduce((sum, span) => sum + riseIn(span, factor), 0);
  const isBack = backAgain > 0 && isMadeUp(factor, [...waves, ...quiet], total);
  if (isBack) return { ...STAYED, what: `${fell}, and it was given back` };
  const isQuiet = isStill(factor.path, quiet) && backAgain === 0;
  if (isQuiet && isSteady(waves, falls)) {
    const isHeld = restedMsOf({ waves, quiet }) < heldMs;
    const above = anythingIf(isHeld, "too little seen", "it may be held and come back");
    return { low: 1, high: 1, what: `${fell}, the same for each; promised 0`, above };
  }
  if (isQuiet && falls.length > 1 && falls.at(-1) === 0) {
    return { ...STAYED, what: `${fell}, and not when it was tried again` };
  }
  const above = [anything("others' use", "it may be other traffic of the account")];
  return { low: 1, high: 1, what: fell, above };
}

const STAYED = { low: 0, high: 0 };

/** Ours: a balance that one job moves by no more steps hides what is less than the price of one. */
const STEPS_TOLD = 2;

function stayed({ path, perCost }: Moving, waves: readonly BalanceSpan[], cost: number): string {
  const step = Math.min(...waves.map((wave) => shownStep(path, wave)));
  const isCoarse = cost * perCost <= STEPS_TOLD * step && !isCharge(cost * perCost, cost);
  const stays = "the balance did not fall";
  return isCoarse ? `${stays} by a step of ${step}, as finely as it is shown` : stays;
}

/**
 * Given back although it was not taken, as by a refund that is booked twice: waves of several sizes
 * rose, by the same for each job. What is paid in goes by no number of jobs.
 */
function givenSample(
  factor: Moving,
  waves: readonly BalanceSpan[],
  quiet: readonly BalanceSpan[],
): Sample | null {
  const gains = waves.map((wave) => givenIn(wave, factor));
  const sizes = new Set(waves.map(({ timeouts }) => timeouts)).size;
  const isQuiet = isStill(factor.path, quiet) && quiet.every((span) => givenIn(span, factor) === 0);
  if (sizes < 2 || !isSteady(waves, gains) || !isQuiet) return null;
  const jobs = waves.reduce((sum, { timeouts }) => sum + timeouts, 0);
  const total = gains.reduce((sum, gain) => sum + gain, 0);
  const rose = `${factor.path} rose by ${rounded(total, 6)} over ${jobs} timed-out jobs`;
  return { low: 1, high: 1, what: `${rose}, the same for each; promised 0` };
}
