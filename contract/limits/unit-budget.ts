/** Counts one unit of a budget, credits or USD: what was charged, and what is held for jobs. */

import { greaterOf } from "../numbers/figures.ts";
import type { Room } from "./budget.ts";
import { exact, jobsWithin, roomFor } from "./budget.ts";

interface Held {
  workerId: string;
  /** null while nothing is known. */
  amount: number | null;
}

export class UnitBudget {
  private readonly ceiling: number | null;
  private readonly onUnstated: () => void;
  private charged = 0;
  private readonly held = new Map<number, Held>();
  private readonly dearest = new Map<string, number>();
  /** Workers of which an answer or an end has shown all that there is to know before a job. */
  private readonly learnt = new Set<string>();

  /** `onUnstated` is called when a job went by without a word in the unit, under a ceiling. */
  constructor(ceiling: number | null, onUnstated: () => void) {
    this.ceiling = ceiling;
    this.onUnstated = onUnstated;
  }

  room(workerId: string, price: number | null): Room {
    if (this.ceiling === null) return "room";
    const isUntold = [...this.held.values()].some(
      (each) =>
        !this.learnt.has(each.workerId) && (each.amount === null || each.workerId === workerId),
    );
    return roomFor(this.ceiling, this.spent(), this.expected(workerId, price), isUntold);
  }

  /** Holds the dearest that is known of the worker; before, ask whether there is room. */
  hold(job: number, workerId: string, price: number | null): void {
    this.held.set(job, { workerId, amount: this.expected(workerId, price) });
  }

  /** Holds what was told of the job instead; null: it told nothing, and may yet. */
  told(job: number, amount: number | null): void {
    const entry = this.held.get(job);
    if (entry === undefined) return;
    entry.amount = amount ?? entry.amount;
    if (entry.amount !== null) this.learn(entry.workerId, amount);
  }

  /** The unit is one that this job will never state. */
  unstated(job: number): void {
    const entry = this.held.get(job);
    if (entry === undefined) return;
    this.learnt.add(entry.workerId);
    if (this.ceiling !== null && entry.amount === null) this.onUnstated();
  }

  /**
   * Charges what the job cost; null: what was held for it. A job that ended free of charge by
   * rule does not tell what others of its worker cost.
   */
  settle(job: number, cost: number | null, isFree: boolean): void {
    const entry = this.held.get(job);
    if (entry === undefined) return;
    this.held.delete(job);
    this.charge(cost ?? (isFree ? 0 : (entry.amount ?? 0)));
    if (isFree) return;
    this.learn(entry.workerId, cost);
    if (this.ceiling !== null && cost === null && entry.amount === null) this.onUnstated();
  }

  /** No job came of it. */
  release(job: number): void {
    this.held.delete(job);
  }

  /** Nobody can tell whether a job came of it: what is held stays so, if anything is. */
  lose(job: number): void {
    if (this.held.get(job)?.amount === null) this.held.delete(job);
  }

  /** Counts a job that nobody held anything for. */
  charge(amount: number): void {
    this.charged = exact(this.charged + amount);
  }

  /** Charged and held. */
  spent(): number {
    let sum = this.charged;
    for (const { amount } of this.held.values()) sum += amount ?? 0;
    return exact(sum);
  }

  /** Jobs of the dearest kind known that it has room for. */
  left(): number {
    const most = Math.max(0, ...this.dearest.values());
    return jobsWithin(this.ceiling === null ? null : exact(this.ceiling - this.spent()), most);
  }

  private expected(workerId: string, price: number | null): number | null {
    return greaterOf(this.dearest.get(workerId) ?? null, price);
  }

  private learn(workerId: string, amount: number | null): void {
    this.learnt.add(workerId);
    const known = greaterOf(amount, this.dearest.get(workerId) ?? null);
    if (known !== null) this.dearest.set(workerId, known);
  }
}
