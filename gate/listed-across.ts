/**
 * job.list-own over all runs of a gate: a key's list shows a job that another run of the gate was
 * issued on another account. What one run sees, its own judges tell. Spec §4.5.
 */

import { decodeJobList } from "../contract/decode/job-list.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { jsonBody } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { Issued, Shown } from "./shown.ts";

const PROMISE = "job.list-own";

/** Ours: more tell no more. */
const TOLD_MAX = 5;

/**
 * Ours: clocks differ by less. Identifiers may be counted by account; that another account's job of
 * the same number was accepted at the same time is no chance.
 */
const SAME_TIME_MS = 30_000;

interface Strange {
  list: Exchange;
  issued: Issued;
}

/** Broken or nothing. Keys whose account is not declared may be of any. */
export function listedAcross(runs: readonly Shown[], keys: readonly PlanKey[]): readonly Finding[] {
  const accounts = new Map(keys.map(({ name, account }) => [name, account]));
  const accountOf = (name: string | null) => accounts.get(name ?? "") ?? null;
  const declared = runs.flatMap((run) => run.issued.filter(({ key }) => accountOf(key) !== null));
  const issued = Map.groupBy(declared, ({ id }) => id);
  const lists = runs.flatMap((run) => run.lists);
  const strange = lists.flatMap((list): Strange[] => {
    const own = accountOf(list.key);
    if (own === null) return [];
    return (decodeJobList(jsonBody(list))?.jobs ?? []).flatMap(({ id, createdAtMs }) => {
      const given = issued.get(id) ?? [];
      const [other] = given;
      const isOwn = given.some(({ key }) => accountOf(key) === own);
      if (other === undefined || isOwn || createdAtMs === null) return [];
      return Math.abs(createdAtMs - other.atMs) > SAME_TIME_MS ? [] : [{ list, issued: other }];
    });
  });
  return brokenBy(strange);
}

function brokenBy(strange: readonly Strange[]): readonly Finding[] {
  const [one] = strange;
  if (one === undefined) return [];
  const { list, issued } = one;
  const jobs = [...new Set(strange.map(({ issued: { id } }) => id))];
  const more = jobs.length === 1 ? "" : `; ${jobs.length} such jobs in all`;
  const whose = `which ${issued.key} of another account submitted`;
  const what = `${list.key} lists job ${issued.id}, ${whose}`;
  const exchanges = [list, ...(issued.exchange === null ? [] : [issued.exchange])];
  const evidence = { faults: jobs.length, jobs: jobs.slice(0, TOLD_MAX) };
  return [broken(PROMISE, `${what}; promised the caller's own${more}`, { evidence, exchanges })];
}
