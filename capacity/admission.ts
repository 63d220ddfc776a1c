/** What a limiter admits for good, apart from a burst that it lets pass first. */

import type { CapacityOrder, StepMeasurement } from "../contract/run/capacity-step.ts";
import { figure } from "../report/text.ts";
import { RESOLUTION } from "./estimate.ts";

/** What one step tells: accepted in so many seconds after the first refusals, and ahead of that. */
export interface Admission {
  accepted: number;
  seconds: number;
  burst: number;
}

/** Ours: fewer tell no rate; one or two answers of an interval come in the next. */
const TOLD = { secondsMin: 3, acceptedMin: 20, refusedMin: 3 };

/** Null where nothing was refused, or key by key was waited for as a 429 had asked. */
export function admissionIn(m: StepMeasurement): Admission | null {
  const { series, stretchSeconds, seconds, measured } = m;
  if (measured.refused429 === 0 || m.errors > 0) return null;
  if ((measured.answered429 ?? measured.refused429) < measured.refused429) return null;
  let refused = 0;
  const first = series.findIndex(({ offered, accepted }) => {
    refused += offered - accepted;
    return refused >= TOLD.refusedMin;
  });
  const [before, after] = [series.slice(0, first + 1), series.slice(first + 1)];
  const whole = after.slice(0, Math.floor(seconds / stretchSeconds) - before.length);
  const accepted = acceptedIn(whole);
  const lasted = whole.length * stretchSeconds;
  if (first < 0 || lasted < TOLD.secondsMin || accepted < TOLD.acceptedMin) return null;
  const earned = (accepted / lasted) * before.length * stretchSeconds;
  return { accepted, seconds: lasted, burst: Math.max(0, acceptedIn(before) - earned) };
}

function acceptedIn(series: StepMeasurement["series"]): number {
  return series.reduce((sum, { accepted }) => sum + accepted, 0);
}

export function admittedPerSecond(admissions: readonly Admission[]): number {
  const sumOf = (of: "accepted" | "seconds") => admissions.reduce((sum, each) => sum + each[of], 0);
  return sumOf("accepted") / sumOf("seconds");
}

/** Ours: one job more or less at the ends of what was counted. */
const COUNT_ERROR = 1;

/** Why a step that met no limiter was too short to meet it, in a sentence; null: it was not. */
export function livesOnBurst(
  { ratePerSecond, of }: CapacityOrder,
  seconds: number,
  admissions: readonly Admission[],
): string | null {
  if (of !== "jobs" || admissions.length === 0) return null;
  const perSecond = admittedPerSecond(admissions);
  const burst = Math.max(...admissions.map((each) => each.burst));
  const beyond = (ratePerSecond - perSecond * (1 + RESOLUTION)) * seconds;
  if (beyond <= COUNT_ERROR || (ratePerSecond - perSecond) * seconds > burst) return null;
  const then = `${figure(perSecond)} a second are admitted`;
  return `${then} once a burst of about ${Math.round(burst)} is used up, which this step did not`;
}
