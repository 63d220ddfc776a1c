/** What a run of a gate shows beyond its own judges: what is held against its other runs. */

import { issuedIdIn } from "../contract/decode/accepted.ts";
import { ACCOUNT_ROUTES } from "../contract/judges/account.ts";
import { UNAUTHORIZED } from "../contract/judges/expected-status.ts";
import { refusedStretches, stretchOf } from "../contract/judges/load/refused-amid.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isSuccess } from "../contract/requests/exchange.ts";
import type { EvidenceRecord, ObservationRecord } from "../contract/run/evidence.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";

/** What judges over all runs look at. */
export type Recorded = Pick<ScenarioEvidence, "scenario" | "again" | "records">;

/** An identifier, and to whom it was issued. */
export interface Issued {
  id: string;
  /** Name of the key. */
  key: string | null;
  atMs: number;
  /** null where only the load's sample tells of it. */
  exchange: Exchange | null;
  /** Whether another submission of the run was issued it, too. */
  isShared?: true;
}

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
  /** Those among them that a limit which was measured may have refused. */
  byLimiter: ReadonlySet<Exchange>;
  /** Submissions of a load that got 401 amid others that did not: in which `AWAY_MS` they were. */
  stretches: readonly number[];
  /** By key, when the last request was sent that was served. */
  servedAtMs: ReadonlyMap<string, number>;
}

/** An observation, and all requests that it tells of. */
interface Observed {
  record: ObservationRecord;
  exchanges: readonly Exchange[];
}

export function shownBy({ records, ...run }: Recorded): Shown {
  const observed = records.flatMap(observedIn);
  const exchanges = observed.flatMap((each) => each.exchanges);
  const issued = new Map<string, Issued>();
  for (const each of observed.flatMap(issuedIn)) {
    const own = JSON.stringify([each.key, each.id]);
    const first = issued.get(own) ?? each;
    const isAnother = first.exchange !== null && isOther(first.exchange, each.exchange);
    const isShared = isAnother || each.isShared;
    issued.set(own, isShared ? { ...first, isShared: true } : first);
  }
  return {
    ...run,
    issued: [...issued.values()],
    lists: exchanges.filter((each) => each.route === "jobs" && isSuccess(each)),
    accounts: exchanges.filter(({ route }) => ACCOUNT_ROUTES.includes(route)),
    keys: keysShown(observed),
  };
}

function observedIn(record: EvidenceRecord): readonly Observed[] {
  if (record.type !== "observation") return [];
  return [{ record, exchanges: exchangesIn(record.value) }];
}

/** Several judges are shown the same submission, each time in a copy. */
function isOther(first: Exchange, second: Exchange | null): boolean {
  return second !== null && JSON.stringify(first) !== JSON.stringify(second);
}

function issuedIn({ record, exchanges }: Observed): readonly Issued[] {
  const submitted = exchanges.flatMap((exchange) => {
    const id = exchange.route === "submit" ? issuedIdIn(exchange) : null;
    return id === null ? [] : [{ id, key: exchange.key, atMs: exchange.sentAtMs, exchange }];
  });
  if (record.kind !== "soak.load") return submitted;
  const { atMs: times, keys = {}, again, twice = [] } = record.value.tally.issued;
  const shared = new Set([...Object.keys(again), ...twice]);
  const sampled = Object.entries(times).map(([id, atMs]) => {
    const isShared = shared.has(id) ? { isShared: true as const } : {};
    return { id, key: keys[id] ?? null, atMs, exchange: null, ...isShared };
  });
  return [...submitted, ...sampled];
}

function keysShown(observed: readonly Observed[]): KeysShown {
  const refusedIn = ({ exchanges }: Observed) =>
    exchanges.filter(({ status }) => status === UNAUTHORIZED);
  const measuring = observed.filter(({ record }) => record.kind.startsWith("rate."));
  const servedAtMs = new Map<string, number>();
  for (const exchange of observed.flatMap(({ exchanges }) => exchanges)) {
    const { key, sentAtMs } = exchange;
    if (key === null || !isSuccess(exchange)) continue;
    servedAtMs.set(key, Math.max(servedAtMs.get(key) ?? 0, sentAtMs));
  }
  const stretches = observed.flatMap(({ record }) => {
    if (record.kind !== "soak.load") return [];
    return refusedStretches(record.value.tally.refusedAmid ?? {}, UNAUTHORIZED);
  });
  const refused = observed.flatMap(refusedIn);
  const byLimiter = refusedByLimiter(measuring.flatMap((each) => each.exchanges));
  return { refused, byLimiter, stretches, servedAtMs };
}

const TOO_MANY_REQUESTS = 429;

/** A limiter whose way to refuse is 401 does so as a rule: one that mostly says 429 does not. */
function refusedByLimiter(measuring: readonly Exchange[]): ReadonlySet<Exchange> {
  const byKey = Map.groupBy(measuring, ({ key }) => key);
  const refused = [...byKey.values()].flatMap((sent) => {
    const with401 = sent.filter(({ status }) => status === UNAUTHORIZED);
    const stretches = new Set(with401.map(stretchOf));
    const limited = sent.filter(({ status }) => status === TOO_MANY_REQUESTS).map(stretchOf);
    const others = new Set(limited.filter((each) => !stretches.has(each)));
    return stretches.size < others.size ? [] : with401;
  });
  return new Set(refused);
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
