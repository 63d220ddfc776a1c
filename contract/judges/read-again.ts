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
import type { StatusCase } from "./expected-status.ts";
import { PERSISTENT_ATTEMPTS, UNAUTHORIZED } from "./expected-status.ts";
import { judgeDetailShape, judgeListShape } from "./workers.ts";

/** What tells of reads in a row of one endpoint: each answer once, or that all of them failed. */
export function tellingReads(answers: readonly Exchange[]): readonly Exchange[] {
  if (answers.every(hasFailed)) return answers.slice(0, PERSISTENT_ATTEMPTS);
  const told = answers.filter((each) => !isDisturbed(each));
  return [...new Map(told.map((each) => [`${each.status} ${each.body}`, each])).values()];
}

function hasFailed({ status }: Exchange): boolean {
  return status >= 500;
}

/** `rows`: of each endpoint what `tellingReads` leaves. Nothing where nothing is wrong. */
export function judgeReadAgain(rows: readonly (readonly Exchange[])[]): readonly Finding[] {
  const of = (...routes: readonly RouteName[]) =>
    rows
      .filter(([first]) => first !== undefined && routes.includes(first.route))
      .flatMap((row) => casesOf(row, rows));
  const findings = [
    judgeAccountReadable(of("credits", "deployments")),
    ...of("workers").map((list) => judgeListShape(list)),
    judgeDetailShape(of("worker")),
  ];
  return findings
    .filter(({ verdict }) => verdict === "broken")
    .map((finding) => ({ ...finding, inPassing: true }));
}

/**
 * What failed each time, else each answer by itself; beside it what another endpoint was answered,
 * or that the key was refused there as well.
 */
function casesOf(
  row: readonly Exchange[],
  rows: readonly (readonly Exchange[])[],
): readonly StatusCase[] {
  const [first] = row;
  if (first === undefined) return [];
  const what = `${ROUTES[first.route]}, read again at the end,`;
  const others = rows.flat().filter(({ route }) => route !== first.route);
  const refused = others.find(({ status }) => status === UNAUTHORIZED);
  const meanwhile = refused ?? others.find((each) => !isDisturbed(each));
  if (meanwhile === undefined) return [];
  return hasFailed(first)
    ? [{ what, attempts: row, meanwhile }]
    : row.map((answer) => ({ what, attempts: [answer], meanwhile }));
}
