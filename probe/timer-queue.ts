/**
 * Calls at given times, on one Node timer: thousands of jobs wait for their next look at once, and
 * a timer for each would cost as much as the look.
 */

/** Ours: the longest delay that a Node timer takes; longer waits are made of several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A call that is made again and again, each time at another time: it is kept, not made anew. */
export interface Alarm {
  /** Calls back at that time or later, and no more at one that was set before. */
  set(atMs: number): void;
  off(): void;
}

interface Call {
  readonly callback: () => void;
  atMs: number;
  /** Neither made yet nor called off. */
  isSet: boolean;
  /** Its place in the heap; -1 when it is not in it. */
  place: number;
}

/** A binary heap, earliest first; each call knows its place, so that any can be taken out. */
export class TimerQueue {
  readonly #nowMs: () => number;
  readonly #heap: Call[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** When the timer fires. */
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Calls back at that time of `nowMs` or later, never sooner. Gives back what calls it off. */
  callAt(atMs: number, callback: () => void): () => void {
    const call: Call = { callback, atMs, isSet: false, place: -1 };
    this.#set(call, atMs);
    return () => this.#callOff(call);
  }

  /** Calls back as `callAt` does, whenever it is set. */
  alarm(callback: () => void): Alarm {
    const call: Call = { callback, atMs: 0, isSet: false, place: -1 };
    return { set: (atMs) => this.#set(call, atMs), off: () => this.#callOff(call) };
  }

  #set(call: Call, atMs: number): void {
    if (call.place >= 0) this.#remove(call);
    call.atMs = atMs;
    call.isSet = true;
    call.place = this.#heap.length;
    this.#heap.push(call);
    this.#rise(call);
    if (atMs < this.#armedForMs) this.#arm();
  }

  #callOff(call: Call): void {
    call.isSet = false;
    if (call.place >= 0) this.#remove(call);
    if (this.#heap.length === 0) this.#disarm();
  }

  /** The time jumped: what is due by now is called soon. */
  recheck(): void {
    this.#arm();
  }

  #arm(): void {
    this.#disarm();
    const first = this.#heap[0];
    if (first === undefined) return;
    this.#armedForMs = first.atMs;
    const restMs = Math.max(0, Math.ceil(first.atMs - this.#nowMs()));
    this.#timer = setTimeout(() => this.#fire(), Math.min(restMs, TIMER_MS_MAX));
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#disarm();
    const nowMs = this.#nowMs();
    const due: Call[] = [];
    for (let first = this.#heap[0]; first !== undefined && first.atMs <= nowMs; ) {
      this.#remove(first);
      due.push(first);
      first = this.#heap[0];
    }
    for (const call of due) {
      // One that is due may call another off, or set it anew.
      if (!call.isSet || call.place >= 0) continue;
      call.isSet = false;
      call.callback();
    }
    if (this.#timer === null) this.#arm();
  }

  #remove(call: Call): void {
    const last = this.#heap.pop();
    if (last !== undefined && last !== call) {
      this.#put(last, call.place);
      this.#rise(last);
      this.#sink(last);
    }
    call.place = -1;
  }

  #put(call: Call, place: number): void {
    this.#heap[place] = call;
    call.place = place;
  }

  #rise(call: Call): void {
    let { place } = call;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1];
      if (above === undefined || above.atMs <= call.atMs) break;
      this.#put(above, place);
      place = (place - 1) >> 1;
    }
    this.#put(call, place);
  }

  #sink(call: Call): void {
    let { place } = call;
    for (;;) {
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      const below =
        right !== undefined && left !== undefined && right.atMs < left.atMs ? right : left;
      if (below === undefined || below.atMs >= call.atMs) break;
      const freed = below.place;
      this.#put(below, place);
      place = freed;
    }
    this.#put(call, place);
  }
}
