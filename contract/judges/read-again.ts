/**
 * Judges endpoints that are read again when all else is done: what one of them answers may depend
 * on what came before, or on whether it is answered from a cache. Spec §2.2, §2.3, §4.8.
 */

import { judgeFaultsAlone } from "../judging/decide.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isBefore, isDisturbed, isGone, isSuccess } from "../requests/exchange.ts";
import type { RouteName } from "../requests/routes.ts";
import { ROUTES } from "../requests/routes.ts";
import type { Finding } from "../verdict.ts";
import { judgeAccountReadable } from "./account.ts";
import type { Asked, StatusCase } from "./expected-status.ts";
import { judgeDetailShape, judgeListShape } from "./workers.ts";

/** What tells of reads in a row of one endpoint: each answer once; null where all failed. */
export function tellingReads(answers: readonly Exchange[]): readonly Exchange[] | null {
  if (answers.every(({ status }) => status >= 500)) return null;
  const told = answers.filter((each) => !isDisturbed(each));
  return [...new Map(told.map((each) => [`${each.status} ${each.body}`, each])).values()];
}

/** A read that found it, one after that which did not, and one after both that did; null: none. */
export function awayBetween(answers: readonly Exchange[]): readonly Exchange[] | null {
  const there = answers.find(isSuccess);
  const again = answers.findLast(isSuccess);
  const gone = answers.find(
    (each) =>
      isGone(each) &&
      there !== undefined &&
      again !== undefined &&
      isBefore(there, each) &&
      isBefore(each, again),
  );
  return there === undefined || gone === undefined || again === undefined
    ? null
    : [there, gone, again];
}

function judgePublishedStays(reads: readonly Asked[]): readonly Finding[] {
  const faults = reads.flatMap(({ attempts }) => {
    const exchanges = awayBetween(attempts);
    if (exchanges === null) return [];
    const status = exchanges[1]?.status;
    const what = `an own worker that was read was answered ${status} then, and was there again`;
    return [{ what: `${what}; promised that it is published`, exchanges }];
  });
  return judgeFaultsAlone({ promise: "workers.publish", faults, of: "workers" });
}

export function judgeReadAgain(reads: readonly Asked[]): readonly Finding[] {
  const of = (...routes: readonly RouteName[]) =>
    reads.flatMap((asked): StatusCase[] => {
      const route = asked.attempts[0]?.route;
      if (route === undefined || !routes.includes(route)) return [];
      return [{ what: `${ROUTES[route]}, read again at the end,`, ...asked }];
    });
  const findings = [
    judgeAccountReadable(of("credits", "deployments")),
    ...of("workers").map((list) => judgeListShape(list)),
    judgeDetailShape(of("worker")),
    ...judgePublishedStays(of("worker")),
  ];
  return findings
    .filter(({ verdict }) => verdict === "broken")
    .map((finding) => ({ ...finding, inPassing: true }));
}
