/**
 * Judges endpoints that are read again when all else is done: what one of them answers may depend
 * on what came before, or on whether it is answered from a cache. Spec §2.2, §2.3, §4.8.
 */

import type { Exchange } from "../exchange.ts";
import { isDisturbed } from "../exchange.ts";
import type { RouteName } from "../routes.ts";
import { ROUTES } from "../routes.ts";
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

/** Nothing where nothing is wrong. */
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
  ];
  return findings
    .filter(({ verdict }) => verdict === "broken")
    .map((finding) => ({ ...finding, inPassing: true }));
}
