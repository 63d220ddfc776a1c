/**
 * Things that are due at a time, soonest first, and of one time in the order of adding: a binary
 * heap whose entries know their places, so that any of them can be taken out.
 */

export interface Due<Item> {
  readonly item: Item;
  readonly dueMs: number;
  /** Number of its adding. */
  readonly order: number;
  /** In the heap; -1 once it was taken or removed. */
  place: number;
}

export interface DueQueue<Item> {
  readonly size: number;
  add(dueMs: number, item: Item): Due<Item>;
  /** Takes the soonest item that is due by then; null when there is none. */
  take(byMs: number): Item | null;
  /** Does nothing to what was taken or removed before. */
  remove(due: Due<Item>): void;
  /** When the soonest is due; Infinity when the queue is empty. */
  nextDueMs(): number;
}

export function dueQueue<Item>(): DueQueue<Item> {
  const heap: Due<Item>[] = [];
  let added = 0;
  const remove = (due: Due<Item>) => {
    const { place } = due;
    const last = place < 0 ? undefined : heap.pop();
    due.place = -1;
    if (last === undefined || last === due) return;
    last.place = place;
    rise(heap, last);
    sink(heap, last);
  };
  return {
    get size() {
      return heap.length;
    },
    add(dueMs, item) {
      added += 1;
      const due = { item, dueMs, order: added, place: heap.length };
      heap.push(due);
      rise(heap, due);
      return due;
    },
    take(byMs) {
      const [first] = heap;
      if (first === undefined || first.dueMs > byMs) return null;
      remove(first);
      return first.item;
    },
    remove,
    nextDueMs: () => heap[0]?.dueMs ?? Number.POSITIVE_INFINITY,
  };
}

function isSooner(a: Due<unknown>, b: Due<unknown>): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

function put<Item>(heap: Due<Item>[], due: Due<Item>, place: number): void {
  heap[place] = due;
  due.place = place;
}

function rise<Item>(heap: Due<Item>[], due: Due<Item>): void {
  let { place } = due;
  while (place > 0) {
    const above = heap[(place - 1) >> 1];
    if (above === undefined || !isSooner(due, above)) break;
    put(heap, above, place);
    place = (place - 1) >> 1;
  }
  put(heap, due, place);
}

function sink<Item>(heap: Due<Item>[], due: Due<Item>): void {
  let { place } = due;
  for (;;) {
    const left = heap[2 * place + 1];
    if (left === undefined) break;
    const right = heap[2 * place + 2];
    const below = right !== undefined && isSooner(right, left) ? right : left;
    if (!isSooner(below, due)) break;
    const freed = below.place;
    put(heap, below, place);
    place = freed;
  }
  put(heap, due, place);
}
