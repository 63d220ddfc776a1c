/** The four promises about Retry-After on 429 answers. Spec §7, RFC 9110 §10.2.3. */

import type { Exchange } from "../../exchange.ts";
import { windowMs } from "../../plans.ts";
import { retryAfterOf } from "../../retry-after.ts";
import type { Tolerances } from "../../run-plan.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import { estimateLimiter } from "./estimate.ts";
import type { KeyTrial, Return } from "./trial.ts";
import { allShots, outcomeOf, shotsWith } from "./trial.ts";

/** Phases of exhausting and returning that the catalogue asks for. */
export const RETURNS_MIN = 6;

function refusals(trial: KeyTrial): readonly Exchange[] {
  return shotsWith(allShots(trial), "refused");
}

/** Those of reads and of submissions: each route may have been given a refusal of its own. */
function refusalsOfAllRoutes(trial: KeyTrial): readonly Exchange[] {
  return [...refusals(trial), ...shotsWith(trial.submissions, "refused")];
}

export function judgeRetryAfterPresent(trial: KeyTrial): Finding {
  const promise = "rate.retry-after-present";
  const refused = refusalsOfAllRoutes(trial);
  if (refused.length === 0) return unobserved(promise, `${trial.key}: no 429 was seen`);
  const without = refused.filter((shot) => retryAfterOf(shot).form === "absent");
  const evidence = { [trial.key]: { refused: refused.length, without: without.length } };
  if (without.length > 0) {
    return broken(
      promise,
      `${trial.key}: ${without.length} of ${refused.length} answers 429 have no Retry-After`,
      { evidence, exchanges: without },
    );
  }
  return kept(promise, `${trial.key}: all ${refused.length} answers 429 have one`, {
    evidence,
    strength: looksAt(refused.length, "refusals"),
  });
}

export function judgeRetryAfterValid(trial: KeyTrial): Finding {
  const promise = "rate.retry-after-valid";
  const stated = refusalsOfAllRoutes(trial).filter((shot) => retryAfterOf(shot).form !== "absent");
  if (stated.length === 0) return unobserved(promise, `${trial.key}: no Retry-After was seen`);
  const invalid = stated.filter((shot) => retryAfterOf(shot).form === "invalid");
  const evidence = { [trial.key]: { seen: stated.length, invalid: invalid.length } };
  const example = invalid[0];
  if (example !== undefined) {
    return broken(
      promise,
      `${trial.key}: Retry-After is "${example.headers["retry-after"]}"; ` +
        "expected whole seconds or an HTTP date",
      { evidence, exchanges: invalid },
    );
  }
  return kept(promise, `${trial.key}: all ${stated.length} are valid`, {
    evidence,
    strength: looksAt(stated.length, "refusals"),
  });
}

/** Ours: where refused requests count, one unlucky return of many is the limiter's rounding. */
const STARVED_REFUSED_SHARE = 0.5;

export function judgeRetryAfterSufficient(trial: KeyTrial): Finding {
  const promise = "rate.retry-after-sufficient";
  const { returns, key } = trial;
  if (returns.length === 0) return noReturns(trial);
  const tried = returns.filter((each) => outcomeOf(each.probe) !== "failed");
  const early = tried.filter((each) => outcomeOf(each.probe) === "refused");
  const evidence = {
    [key]: { returns: tried.length, refused: early.length, toldMs: returns.map((r) => r.toldMs) },
  };
  const starved = trial.drain !== null && estimateLimiter(trial.drain, trial.limit).starved;
  const first = early[0];
  if (first !== undefined && starved && early.length < tried.length * STARVED_REFUSED_SHARE) {
    return inconclusive(
      promise,
      `${key}: ${early.length} of ${tried.length} returns were refused by a limiter that counts ` +
        "refused requests",
      { evidence },
    );
  }
  if (first !== undefined) {
    return broken(promise, insufficient(key, early, tried.length), {
      evidence,
      exchanges: [first.refusal, first.probe],
    });
  }
  if (tried.length < RETURNS_MIN) {
    return inconclusive(promise, `${key}: ${tried.length} returns, needs ${RETURNS_MIN}`, {
      evidence,
    });
  }
  return kept(promise, `${key}: all ${tried.length} returns after the told wait were admitted`, {
    evidence,
    strength: looksAt(tried.length, "returns"),
  });
}

function insufficient(key: string, early: readonly Return[], tried: number): string {
  const first = early[0];
  return (
    `${key}: ${early.length} of ${tried} requests were refused again after waiting as told, ` +
    `e.g. told ${(first?.toldMs ?? 0) / 1_000} s, waited ` +
    `${((first?.waitedMs ?? 0) / 1_000).toFixed(2)} s`
  );
}

function noReturns(trial: KeyTrial): Finding {
  const promise = "rate.retry-after-sufficient";
  if (trial.waitsDeclined.length > 0) {
    return inconclusive(
      promise,
      `${trial.key}: the told waits are longer than this run waits (see ` +
        `rate.retry-after-not-excessive)`,
      { exchanges: trial.waitsDeclined },
    );
  }
  return unobserved(promise, `${trial.key}: no usable Retry-After was seen`);
}

export function judgeRetryAfterNotExcessive(trial: KeyTrial, tolerances: Tolerances): Finding {
  const promise = "rate.retry-after-not-excessive";
  const told = refusalsOfAllRoutes(trial)
    .map((shot) => ({ shot, retryAfter: retryAfterOf(shot) }))
    .flatMap(({ shot, retryAfter }) =>
      "waitMs" in retryAfter ? [{ shot, waitMs: retryAfter.waitMs }] : [],
    );
  const longest = [...told].sort((a, b) => b.waitMs - a.waitMs)[0];
  if (longest === undefined) return unobserved(promise, `${trial.key}: no Retry-After was seen`);
  const enoughMs = waitThatWorksMs(trial);
  if (enoughMs === null) {
    return inconclusive(promise, `${trial.key}: no wait was found that works`);
  }
  const evidence = { [trial.key]: { longestToldMs: longest.waitMs, worksAfterMs: enoughMs } };
  const limit = enoughMs + tolerances.retryAfterExcessMs;
  if (longest.waitMs > limit) {
    return broken(
      promise,
      `${trial.key}: told to wait ${longest.waitMs / 1_000} s, ` +
        `${(enoughMs / 1_000).toFixed(1)} s is enough`,
      { evidence, exchanges: [longest.shot] },
    );
  }
  return kept(promise, `${trial.key}: the longest told wait is ${longest.waitMs / 1_000} s`, {
    evidence,
    strength: looksAt(told.length, "refusals"),
  });
}

/**
 * An upper bound of the wait that a refused caller needs: a rest after which a volley went
 * through.
 */
function waitThatWorksMs(trial: KeyTrial): number | null {
  const rests = trial.volleys
    .filter((volley) => volley.restedMs > 0 && shotsWith(volley.shots, "admitted").length > 0)
    .map((volley) => volley.restedMs);
  const waits = trial.returns
    .filter((each) => outcomeOf(each.probe) === "admitted")
    .map((each) => each.waitedMs);
  const works = [...rests, ...waits];
  if (works.length === 0) return null;
  return Math.max(Math.min(...works), 0);
}

/** A told wait that is longer than a resting key could ever need, yet within the tolerance. */
export function longRetryAfterNote(trial: KeyTrial): string | null {
  const waits = refusals(trial).flatMap((shot) => {
    const read = retryAfterOf(shot);
    return "waitMs" in read ? [read.waitMs] : [];
  });
  const longestMs = Math.max(0, ...waits);
  const neededMs = Math.ceil(windowMs(trial.limit) / 1_000) * 1_000 + 1_000;
  if (longestMs <= neededMs) return null;
  return (
    `${trial.key}: Retry-After of up to ${longestMs / 1_000} s, although ` +
    `${neededMs / 1_000} s would do`
  );
}
