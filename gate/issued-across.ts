/**
 * submit.unique-id over all runs of a gate: an account that two of them submitted to was issued the
 * same identifier in both. What one run sees twice, its own judges tell. Spec §2.4.
 */

import { issuedIdIn } from "../contract/decode/accepted.ts";
import { ACCOUNT_ROUTES } from "../contract/judges/account.ts";
import { UNAUTHORIZED } from "../contract/judges/expected-status.ts";
import { refusedStretches } from "../contract/judges/load/refused-amid.ts";
import { countText } from "../contract/numbers/figures.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isSuccess } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import { utc } from "../contract/time/timestamps.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";

const PROMISE = "submit.unique-id";

/** Ours: more tell no more. */
const TOLD_MAX = 5;

/** An identifier, and to whom it was issued. */
export interface Issued {
  id: string;
  /** Name of the key. */
  key: string | null;
  atMs: number;
  /** null where only the load's sample tells of it. */
  exchange: Exchange | null;
}

interface Twice {
  /** Names of the two scenarios. */
  runs: readonly [string, string];
  first: Issued;
  second: Issued;
}

/** What judges over all runs look at. */
export type Recorded = Pick<ScenarioEvidence, "scenario" | "again" | "records">;

/** What a run shows of identifiers, lists and accounts, which are held against other runs. */
export interface Shown extends Omit<Recorded, "records"> {
  /** Of each identifier once: scenarios show the same submission to several judges. */
  issued: readonly Issued[];
  lists: readonly Exchange[];
  /** What the account endpoints answered. */
  accounts: readonly Exchange[];
  keys: KeysShown;
}

/** What became of requests that each sent a key of the plan. */
export interface KeysShown {
  /** Those that got 401. */
  refused: readonly Exchange[];
  /** Those among them that were sent to measure a limit, by which they may have been refused. */
  measuring: ReadonlySet<Exchange>;
  /** Submissions of a load that got 401 amid others that did not: in which `AWAY_MS` they were. */
  stretches: readonly number[];
  /** By key, when the last request was sent that was served. */
  servedAtMs: ReadonlyMap<string, number>;
}

/** Broken or nothing. Identifiers may be counted by account, so accounts are not mixed. */
export function issuedAcross(runs: readonly Shown[], keys: readonly PlanKey[]): readonly Finding[] {
  const owners = new Map(keys.map((key) => [key.name, ownerOf(key)]));
  const known = new Map<string, { run: Shown; issued: Issued }>();
  const twice: Twice[] = [];
  for (const run of runs) {
    for (const second of run.issued) {
      const owner = owners.get(second.key ?? "");
      if (owner === undefined) continue;
      const own = JSON.stringify([owner, second.id]);
      const { run: earlier, issued: first } = known.get(own) ?? { run, issued: second };
      known.set(own, { run: earlier, issued: first });
      if (earlier === run) continue;
      twice.push({ runs: [nameOf(earlier), nameOf(run)], first, second });
    }
  }
  return brokenBy(twice, known.size);
}

function nameOf({ scenario, again }: Shown): string {
  return again === null ? scenario.name : `${scenario.name}-again`;
}

/** Keys whose account is not declared may be of any: each stands for itself. */
function ownerOf({ account, name }: PlanKey): string {
  return JSON.stringify(account === null ? { key: name } : { account });
}

function brokenBy(twice: readonly Twice[], samples: number): readonly Finding[] {
  const [one] = twice;
  if (one === undefined) return [];
  const { runs, first, second } = one;
  const [before, after] = [first, second].map(({ atMs }) => utc(atMs));
  const where = `in ${runs[0]} at ${before}, and in ${runs[1]} at ${after}`;
  const more = twice.length === 1 ? "" : `; ${countText(twice.length, "identifier")} in all`;
  const jobs = [...new Set(twice.map(({ second: { id } }) => id))].slice(0, TOLD_MAX);
  const evidence = { samples, faults: twice.length, jobs };
  const exchanges = [first, second].flatMap(({ exchange }) => exchange ?? []);
  const what = `the identifier "${second.id}" was issued twice, ${where}; expected one a job`;
  return [broken(PROMISE, what + more, { evidence, exchanges })];
}

export function shownBy({ records, ...run }: Recorded): Shown {
  const issued = new Map<string, Issued>();
  const lists: Exchange[] = [];
  const accounts: Exchange[] = [];
  const refused: Exchange[] = [];
  const measuring = new Set<Exchange>();
  const stretches: number[] = [];
  const servedAtMs = new Map<string, number>();
  const note = (each: Issued) => {
    const own = JSON.stringify([each.key, each.id]);
    if (!issued.has(own)) issued.set(own, each);
  };
  for (const record of records) {
    if (record.type !== "observation") continue;
    for (const exchange of exchangesIn(record.value)) {
      const { route, key, sentAtMs: atMs } = exchange;
      const isRefused = exchange.status === UNAUTHORIZED;
      if (isRefused) refused.push(exchange);
      if (isRefused && record.kind.startsWith("rate.")) measuring.add(exchange);
      const isServed = key !== null && isSuccess(exchange);
      if (isServed) servedAtMs.set(key, Math.max(servedAtMs.get(key) ?? 0, atMs));
      if (route === "jobs" && isSuccess(exchange)) lists.push(exchange);
      if (ACCOUNT_ROUTES.includes(route)) accounts.push(exchange);
      const id = route === "submit" ? issuedIdIn(exchange) : null;
      if (id !== null) note({ id, key, atMs, exchange });
    }
    if (record.kind !== "soak.load") continue;
    const { issued: given, refusedAmid = {} } = record.value.tally;
    stretches.push(...refusedStretches(refusedAmid, UNAUTHORIZED));
    const { atMs: times, keys = {} } = given;
    for (const [id, atMs] of Object.entries(times)) {
      note({ id, key: keys[id] ?? null, atMs, exchange: null });
    }
  }
  const keys = { refused, measuring, stretches, servedAtMs };
  return { ...run, issued: [...issued.values()], lists, accounts, keys };
}

/** All requests, wherever in what was observed they stand. */
function exchangesIn(observed: unknown, found: Exchange[] = []): readonly Exchange[] {
  if (typeof observed !== "object" || observed === null) return found;
  if (isExchange(observed)) found.push(observed);
  else for (const each of Object.values(observed)) exchangesIn(each, found);
  return found;
}

function isExchange(value: object): value is Exchange {
  return "route" in value && "body" in value && "sentAtMs" in value;
}
