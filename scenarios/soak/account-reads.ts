/**
 * What a key's account endpoints are answered while a load is on: a busy service may fail to answer
 * now and then, and nothing is held against it; one that never answers has no account to show.
 */

import type { StatusCase } from "../../contract/judges/expected-status.ts";
import { PERSISTENT_ATTEMPTS } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";

/** Of each of two endpoints that are asked side by side: its latest answers, and how often. */
export type Answers = readonly Answered[];

interface Answered {
  latest: readonly Exchange[];
  looks: number;
  failures: number;
}

const NONE: Answered = { latest: [], looks: 0, failures: 0 };

/** With one look more; as many are kept as tell that an answer is no accident. */
export function withAnswers(before: Answers, exchanges: readonly Exchange[]): Answers {
  return exchanges.map((exchange, at) => {
    const { latest, looks, failures } = before[at] ?? NONE;
    return {
      latest: [...latest, exchange].slice(-PERSISTENT_ATTEMPTS),
      looks: looks + 1,
      failures: failures + Number(exchange.status >= 500),
    };
  });
}

/** Ours: of a service that fails now and then no endpoint fails so often, and the other never. */
const LOOKS_MIN = 4;

/** Endpoints that were served at last, and one that never was, while the other always was. */
export function casesOf(key: string, answers: Answers): readonly StatusCase[] {
  return answers.flatMap(({ latest, looks, failures }, at): StatusCase[] => {
    const last = latest.at(-1);
    if (last === undefined) return [];
    const what = `${last.route} with key ${key} under load`;
    if (last.status === 200) return [{ what, attempts: [last] }];
    const other = answers[1 - at] ?? NONE;
    const meanwhile = other.latest.at(-1);
    const isNever = looks >= LOOKS_MIN && failures === looks && other.failures === 0;
    return isNever && meanwhile?.status === 200 ? [{ what, attempts: latest, meanwhile }] : [];
  });
}
