/** The ledger of a soak: each job that may have been accepted, until it is judged. */

import type { Accepted } from "../../../contract/decode/accepted.ts";
import type { Decoded } from "../../../contract/decode/decoded.ts";
import type { Job } from "../../../contract/decode/job-types.ts";
import type { Delivery } from "../../../contract/jobs/delivery.ts";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import type { Poll } from "../../../contract/judges/job/reading.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { MixPart } from "../../../contract/run/load-mix.ts";
import type { LoadedKey } from "../offered/rates.ts";
import type { Third } from "../tally.ts";

export interface Entry {
  /** Of its webhook; one a submission, so that a delivery also tells which submission it was. */
  readonly token: string;
  readonly mixPart: MixPart;
  readonly key: LoadedKey;
  readonly third: Third;
  readonly sentAtMs: number;
  /** null until it was answered. */
  submission: Exchange | null;
  /** What the answer issues. */
  accepted: Decoded<Accepted> | null;
  /** `ambiguous`: no answer says whether there is a job. */
  standing: "sent" | "accepted" | "ambiguous";
  id: string | null;
  /** The ended job as it was shown last, and when that was known first. */
  end: Job | null;
  endSeenAtMs: number | null;
  /** A poll at its end showed no cost. */
  lackedCost: boolean;
  /** The end was counted among those of its second. */
  isCounted: boolean;
  webhookAtMs: number | null;
  /** The first delivery of the service's own, when we read it, and whether it was held against. */
  told: Delivery | null;
  toldAtMs: number | null;
  isHeld: boolean;
  /** A delivery came that may be anybody's. */
  isUnvouched: boolean;
  /** The grace for its webhook is over. */
  webhookMissing: boolean;
  /** A poll has shown the end as well, or there is no need for one. */
  verified: boolean;
  /** The first poll that saw it run, and the last that saw it at all. */
  runningSeen: Exchange | null;
  /** The first poll that showed its end. */
  endSeen: Exchange | null;
  lastSeen: Exchange | null;
  /** When it was known without an end: when it was accepted, or such a poll was sent. */
  openAtMs: number;
  /** Answers that showed it, the first ones and the last. */
  polls: Poll[];
  /** Of the sample that is polled more often. */
  isSampled: boolean;
  /** Of those that are polled again after their ends. */
  isPolledAfter: boolean;
  cancelRequests: Exchange[];
  /** Answers 404 since it was last seen, and those after which it was seen again. */
  missing: Exchange[];
  missed: Exchange[];
  /** Polls in a row without a usable answer, or that showed less than its webhook. */
  failures: number;
  /** When its next poll is due; -Infinity while one is on its way, null when none is planned. */
  pollDueMs: number | null;
  isClosed: boolean;
}

export interface Ledger {
  /** Open entries by their webhook's token, the oldest first. */
  readonly open: ReadonlyMap<string, Entry>;
  add(entry: Entry): void;
  close(entry: Entry): void;
  /** When the identifier was issued, of late; null: it was not. */
  issuedAtMs(id: string): number | null;
  issue(entry: Entry, id: string): void;
  /** The open job of that identifier. */
  byId(id: string): Entry | null;
}

/** Ours: identifiers of closed jobs that are remembered, some megabytes of them. */
const REMEMBERED_IDS = 50_000;

/** `closed` is told of each entry that is closed. */
export function newLedger(closed: (entry: Entry) => void = () => {}): Ledger {
  const open = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  const recent = new Map<string, number>();
  return {
    open,
    add: (entry) => void open.set(entry.token, entry),
    close(entry) {
      entry.isClosed = true;
      open.delete(entry.token);
      if (entry.id !== null && byId.get(entry.id) === entry) byId.delete(entry.id);
      closed(entry);
    },
    issuedAtMs: (id) => recent.get(id) ?? byId.get(id)?.sentAtMs ?? null,
    issue(entry, id) {
      entry.id = id;
      byId.set(id, entry);
      recent.set(id, entry.sentAtMs);
      if (recent.size > REMEMBERED_IDS) dropOldest(recent);
    },
    byId: (id) => byId.get(id) ?? null,
  };
}

/** Maps keep the order in which they were filled. */
export function dropOldest(known: Map<string, unknown>): void {
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}

/** What requests showed of an entry's job. */
export function exchangesOf({ submission, lastSeen }: Entry): readonly Exchange[] {
  return [submission, lastSeen].flatMap((each) => each ?? []);
}

/** As judges of jobs read it. */
export function historyOf(
  { id, mixPart }: Entry,
  submission: Exchange,
  polls: readonly Exchange[],
): JobHistory {
  return {
    submission,
    issuedId: id,
    workerId: mixPart.worker.id,
    polls,
    cancelRequests: [],
    expected: null,
    gaveUpAtMs: null,
    deadlineMs: 0,
  };
}

export function newEntry(
  given: Pick<Entry, "token" | "mixPart" | "key" | "third" | "sentAtMs">,
): Entry {
  return {
    ...given,
    submission: null,
    accepted: null,
    standing: "sent",
    id: null,
    end: null,
    endSeenAtMs: null,
    lackedCost: false,
    isCounted: false,
    webhookAtMs: null,
    told: null,
    toldAtMs: null,
    isHeld: false,
    isUnvouched: false,
    webhookMissing: false,
    verified: false,
    runningSeen: null,
    endSeen: null,
    lastSeen: null,
    openAtMs: given.sentAtMs,
    polls: [],
    isSampled: false,
    isPolledAfter: false,
    cancelRequests: [],
    missing: [],
    missed: [],
    failures: 0,
    pollDueMs: null,
    isClosed: false,
  };
}

/** A key's jobs of one worker: what one queue may hold, as others may have queues of their own. */
export function lineOf({ key, mixPart }: Pick<Entry, "key" | "mixPart">): string {
  return `${key.name} ${mixPart.worker.id}`;
}
