/** Things that are due at a time, soonest first: a binary heap. */

export interface DueQueue<Item> {
  readonly size: number;
  add(dueMs: number, item: Item): void;
  /** Takes the soonest item that is due by then; null when there is none. */
  take(nowMs: number): Item | null;
  /** When the soonest is due; Infinity when the queue is empty. */
  nextDueMs(): number;
}

interface Node<Item> {
  dueMs: number;
  item: Item;
}

export function dueQueue<Item>(): DueQueue<Item> {
  const heap: Node<Item>[] = [];
  const dueAt = (index: number) => heap[index]?.dueMs ?? Number.POSITIVE_INFINITY;
  return {
    get size() {
      return heap.length;
    },
    add(dueMs, item) {
      heap.push({ dueMs, item });
      riseLast(heap);
    },
    take(nowMs) {
      if (dueAt(0) > nowMs) return null;
      const [first] = heap;
      const last = heap.pop();
      if (first === undefined || last === undefined) return null;
      if (heap.length > 0) {
        heap[0] = last;
        sinkFirst(heap);
      }
      return first.item;
    },
    nextDueMs: () => dueAt(0),
  };
}

function riseLast<Item>(heap: Node<Item>[]): void {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!swapIfLater(heap, parent, index)) return;
    index = parent;
  }
}

function sinkFirst<Item>(heap: Node<Item>[]): void {
  for (let index = 0; ; ) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    const dueMs = (at: number) => heap[at]?.dueMs ?? Number.POSITIVE_INFINITY;
    const sooner = dueMs(right) < dueMs(left) ? right : left;
    if (!swapIfLater(heap, index, sooner)) return;
    index = sooner;
  }
}

function swapIfLater<Item>(heap: Node<Item>[], upper: number, lower: number): boolean {
  const [a, b] = [heap[upper], heap[lower]];
  if (a === undefined || b === undefined || a.dueMs <= b.dueMs) return false;
  heap[upper] = b;
  heap[lower] = a;
  return true;
}
