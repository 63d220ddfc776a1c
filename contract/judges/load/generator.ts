/** Judges the generator before the service: a late generator has no say in what it measured. */

import type { Claim } from "../../judging/claim.ts";
import { anything } from "../../judging/claim.ts";
import { rounded } from "../../numbers/figures.ts";

/**
 * By how much a busy machine lets threads run late. A service on the same machine is late as well,
 * through no fault of its own: what such a lag explains breaks nothing.
 */
export interface HostLag {
  /** At worst of nineteen seconds in twenty; of the soak, and of its last third. */
  wholeMs: number;
  lastThirdMs: number;
  /** Threads that wanted a core, for each core; the mean over the soak. */
  runnablePerCore: number;
}

/** How well the generator kept to its schedule. */
export interface GeneratorHealth {
  /** Submissions that the schedule had. */
  scheduled: number;
  /** Not sent: too many requests were without an answer already, or no descriptor was left. */
  dropped: number;
  /** By how much submissions were sent late. */
  lagP99Ms: number;
  /** By how much timers fired late. */
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
}

/** Ours: what is not sent is not measured either; so much of it changes no figure by much. */
const DROPPED_SHARE_MAX = 0.02;
/** Ours: well below the objectives that operators set. */
const LAG_P99_MS_MAX = 250;

/** Ours: an answer takes several turns of an event loop, each of which may be late. */
const TURNS = 4;
/** Ours: a machine that lets threads wait for so long measures nothing but itself. */
const HOST_LAG_MS_MAX = 400;
/**
 * Ours: among so many threads a process that works for its living waits longer than this one, which
 * mostly sleeps.
 */
const CROWDED = { runnablePerCore: 3, lagMs: 100 };

/** How much later an answer, an end or a webhook may come for the machine's sake. */
export function lagAllowanceMs(hostLagMs: number): number {
  return TURNS * hostLagMs;
}

/** Why figures of this run can't be trusted, in a sentence; null when they can. */
export function generatorDoubt(health: GeneratorHealth): string | null {
  const { scheduled, dropped, lagP99Ms, loopDelayP99Ms } = health;
  if (scheduled > 0 && dropped / scheduled > DROPPED_SHARE_MAX) {
    return `the generator dropped ${dropped} of ${scheduled} submissions of its schedule`;
  }
  const lateMs = Math.max(lagP99Ms, loopDelayP99Ms);
  if (lateMs > LAG_P99_MS_MAX) {
    return `the generator was late by ${Math.round(lateMs)} ms (p99); at most ${LAG_P99_MS_MAX} ms`;
  }
  return null;
}

/**
 * Why figures of a load are those of a smaller one, in a sentence; null when they are not. A 429
 * may be owed to a stranger who uses the same key, so it speaks against no objective by itself.
 */
export function refusalDoubt(given: {
  scheduled: number;
  throttled: number;
  refused: number;
  heldBack: number;
}): string | null {
  const { scheduled, throttled, refused, heldBack } = given;
  if (throttled + refused + heldBack <= DROPPED_SHARE_MAX * scheduled) return null;
  const causes = [
    ...(throttled > 0 ? [`${throttled} got 429 or were held back for one`] : []),
    ...(refused > 0 ? [`${refused} got another 4xx`] : []),
    ...(heldBack > 0 ? [`${heldBack} waited for the cost of a job, or to be taken again`] : []),
  ];
  return `of ${scheduled} submissions of the schedule ${causes.join(" and ")}`;
}

/**
 * Why nothing that was too slow here speaks against the service; null when it does. What was fast
 * enough on a busy machine is fast enough.
 */
export function machineDoubt({ wholeMs, runnablePerCore }: HostLag): string | null {
  if (runnablePerCore > CROWDED.runnablePerCore && wholeMs > CROWDED.lagMs) {
    const ready = `${rounded(runnablePerCore, 1)} threads were ready to run for each of its cores`;
    return `this machine was busy: ${ready}; at most ${CROWDED.runnablePerCore}`;
  }
  if (wholeMs <= HOST_LAG_MS_MAX) return null;
  const waited = `this machine let threads wait for ${Math.round(wholeMs)} ms`;
  return `${waited}; at most ${HOST_LAG_MS_MAX} ms`;
}

/** What is to be said of this machine before anything of the service. */
export interface OwnState {
  /** Why the figures are not those of the load that was asked for; null when they are. */
  doubt: string | null;
  lag: HostLag;
}

/** What the generator and a busy machine withdraw: all that was seen, or what was too slow. */
export function withdrawnBy({ doubt, lag }: OwnState): Pick<Claim, "explanations" | "hidden"> {
  const reasons = (why: string | null) => (why === null ? [] : [anything("host lag", why)]);
  const hidden = reasons(doubt);
  return { explanations: [...hidden, ...reasons(machineDoubt(lag))], hidden };
}
