/** Counts one unit of a budget, credits or USD: what was charged, and what is held for jobs. */

/** `later`: once a job that is on its way has told what its worker costs. */
export type Room = "room" | "later" | "none";

export interface SpendingUnit {
  room(workerId: string, price: number | null): Room;
  /** Holds the dearest that is known of the worker; before, ask whether there is room. */
  hold(job: number, workerId: string, price: number | null): void;
  /** Holds what was told of the job instead; null: it told nothing, and may yet. */
  told(job: number, amount: number | null): void;
  /** The unit is one that this job will never state. */
  unstated(job: number): void;
  /**
   * Charges what the job cost; null: what was held for it. A job that ended free of charge by
   * rule does not tell what others of its worker cost.
   */
  settle(job: number, cost: number | null, isFree: boolean): void;
  /** No job came of it. */
  release(job: number): void;
  /** Nobody can tell whether a job came of it: what is held stays so, if anything is. */
  lose(job: number): void;
  /** Counts a job that nobody held anything for. */
  charge(amount: number): void;
  /** Charged and held. */
  spent(): number;
  /** Jobs of the dearest kind known that it has room for. */
  left(): number;
}

interface Held {
  workerId: string;
  /** null while nothing is known. */
  amount: number | null;
}

/** Ours: sums of fractions miss whole numbers by less than this. */
const ROUNDING = 1e-9;

/** `onUnstated` is called when a job went by without a word in the unit, under a ceiling. */
export function spendingUnit(ceiling: number | null, onUnstated: () => void): SpendingUnit {
  let charged = 0;
  const held = new Map<number, Held>();
  const dearest = new Map<string, number>();
  /** Workers of which an answer or an end has shown all that there is to know before a job. */
  const learnt = new Set<string>();
  const spent = () => [...held.values()].reduce((sum, { amount }) => sum + (amount ?? 0), charged);
  const learn = (workerId: string, amount: number | null) => {
    learnt.add(workerId);
    if (amount !== null) dearest.set(workerId, Math.max(amount, dearest.get(workerId) ?? 0));
  };
  const expected = (workerId: string, price: number | null) => {
    const known = dearest.get(workerId);
    return known === undefined ? price : Math.max(known, price ?? 0);
  };
  const isUnknown = ({ workerId, amount }: Held) => amount === null && !learnt.has(workerId);
  const drop = (job: number) => {
    const found = held.get(job);
    held.delete(job);
    return found;
  };
  return {
    room(workerId, price) {
      if (ceiling === null) return "room";
      const amount = expected(workerId, price);
      const total = spent() + (amount ?? 0);
      if (amount === null ? total >= ceiling : total > ceiling + ROUNDING) return "none";
      const isNew = !learnt.has(workerId);
      const waits = [...held.values()].some((each) => {
        return isUnknown(each) || (isNew && each.workerId === workerId);
      });
      return waits ? "later" : "room";
    },
    hold: (job, workerId, price) => {
      held.set(job, { workerId, amount: expected(workerId, price) });
    },
    told(job, amount) {
      const entry = held.get(job);
      if (entry === undefined) return;
      entry.amount = amount ?? entry.amount;
      if (entry.amount !== null) learn(entry.workerId, amount);
    },
    unstated(job) {
      const entry = held.get(job);
      if (entry === undefined) return;
      learnt.add(entry.workerId);
      if (ceiling !== null && entry.amount === null) onUnstated();
    },
    settle(job, cost, isFree) {
      const entry = drop(job);
      if (entry === undefined) return;
      charged += cost ?? (isFree ? 0 : (entry.amount ?? 0));
      if (isFree) return;
      learn(entry.workerId, cost);
      if (ceiling !== null && cost === null && entry.amount === null) onUnstated();
    },
    release: (job) => void drop(job),
    lose(job) {
      if (held.get(job)?.amount === null) drop(job);
    },
    charge: (amount) => {
      charged += amount;
    },
    spent,
    left() {
      const most = Math.max(0, ...dearest.values());
      if (ceiling === null || most === 0) return Number.POSITIVE_INFINITY;
      return Math.max(0, Math.floor((ceiling - spent() + ROUNDING) / most));
    },
  };
}
