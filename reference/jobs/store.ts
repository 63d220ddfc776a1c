/** All jobs in memory: found by identifier, listed by account, the oldest finished ones dropped. */

import type { Account } from "../accounts/account.ts";
import type { Job } from "./job.ts";

/** Ours: the list shows 100 (Spec §4.5); more are remembered so that each is one of the latest. */
const REMEMBERED_MIN = 400;

export class JobStore {
  private readonly byId = new Map<string, Job>();
  private readonly byAccount = new Map<Account, Job[]>();
  /** In the order in which they ended; a set, so that the oldest is dropped without moving all. */
  private readonly ended = new Set<Job>();
  private readonly endedMax: number;

  constructor(endedMax: number) {
    this.endedMax = endedMax;
  }

  add(job: Job): void {
    this.byId.set(job.id, job);
    const recent = this.byAccount.get(job.account);
    if (recent === undefined) {
      this.byAccount.set(job.account, [job]);
      return;
    }
    recent.push(job);
    if (recent.length > 2 * REMEMBERED_MIN) recent.splice(0, recent.length - REMEMBERED_MIN);
  }

  find(id: string, account: Account): Job | null {
    const job = this.byId.get(id);
    return job !== undefined && job.account === account ? job : null;
  }

  /** The job of whichever account; for addresses that carry their own signature. */
  findAnywhere(id: string): Job | null {
    return this.byId.get(id) ?? null;
  }

  /** The latest jobs of an account, newest last; more than the list endpoint shows. */
  recent(account: Account): readonly Job[] {
    return this.byAccount.get(account) ?? [];
  }

  /** The latest jobs of the others, newest last. */
  strangers(account: Account): readonly Job[] {
    return [...this.byAccount].flatMap(([owner, jobs]) => (owner === account ? [] : jobs));
  }

  markEnded(job: Job): void {
    this.ended.add(job);
    if (this.ended.size <= this.endedMax) return;
    for (const oldest of this.ended) {
      this.ended.delete(oldest);
      this.byId.delete(oldest.id);
      return;
    }
  }
}
