/**
 * What a key's account endpoints are answered while a load is on: a busy service may fail to answer
 * now and then, and nothing is held against it; one that never answers has no account to show, and
 * one that is away again and again, alone, is no accident.
 */

import type { StatusCase } from "../../contract/judges/expected-status.ts";
import { PERSISTENT_ATTEMPTS, TIMES_AWAY_MAX } from "../../contract/judges/expected-status.ts";
import { stretchOf, timesAway } from "../../contract/judges/load/refused-amid.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";

/** Of each of two endpoints that are asked side by side: its latest answers, and how often. */
export type Answers = readonly Answered[];

interface Answered {
  latest: readonly Exchange[];
  looks: number;
  /** The latest, and in which stretches of time they were. */
  failed: readonly Exchange[];
  stretches: readonly number[];
}

const NONE: Answered = { latest: [], looks: 0, failed: [], stretches: [] };

/** With one look more; as many are kept as tell that an answer is no accident. */
export function withAnswers(before: Answers, exchanges: readonly Exchange[]): Answers {
  return exchanges.map((exchange, at) => {
    const { latest, looks, failed, stretches } = before[at] ?? NONE;
    const isFailure = exchange.status >= 500;
    return {
      latest: [...latest, exchange].slice(-PERSISTENT_ATTEMPTS),
      looks: looks + 1,
      failed: isFailure ? [...failed, exchange].slice(-PERSISTENT_ATTEMPTS) : failed,
      stretches: isFailure ? [...stretches, stretchOf(exchange)] : stretches,
    };
  });
}

/** Ours: of a service that fails now and then no endpoint fails so often, and the other never. */
const LOOKS_MIN = 4;

/** Ours: where each request fails by chance, one of two has all these failures 1 time in 500. */
const ALONE_MIN = 10;
/** Ours: what fails more seldom fails now and then, however many keys look. */
const FAILED_SHARE_MIN = 0.05;

/**
 * Endpoints that were served at last, and one that never was, or was away more often than accidents
 * explain, while the other always was. `all`: those of all keys.
 */
export function casesOf(key: string, answers: Answers, all = [answers]): readonly StatusCase[] {
  const sumOf = (at: number, of: (seen: Answered) => number) =>
    all.reduce((sum, each) => sum + of(each[at] ?? NONE), 0);
  const failures = (at: number) => sumOf(at, (seen) => seen.stretches.length);
  return answers.flatMap(({ latest, looks, failed, stretches }, at): StatusCase[] => {
    const last = latest.at(-1);
    if (last === undefined) return [];
    const what = `${last.route} with key ${key} under load`;
    const other = answers[1 - at] ?? NONE;
    const meanwhile = other.latest.at(-1);
    const isAlone = other.stretches.length === 0 && meanwhile?.status === 200;
    const isNever = looks >= LOOKS_MIN && stretches.length === looks;
    const failuresMin = Math.max(ALONE_MIN, FAILED_SHARE_MIN * sumOf(at, (seen) => seen.looks));
    const isOfOne = failures(at) >= failuresMin && failures(1 - at) === 0;
    const isOften = isOfOne && timesAway(stretches) > TIMES_AWAY_MAX;
    if (isAlone && (isNever || isOften)) return [{ what, attempts: failed, meanwhile }];
    return last.status === 200 ? [{ what, attempts: [last] }] : [];
  });
}
