/** Virtual time: what is called at a time is called in order, and nothing passes in between. */

interface Call {
  atMs: number;
  order: number;
  callback: () => void;
}

export class Timeline {
  nowMs: number;
  readonly #calls: Call[] = [];
  #order = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  callAt(atMs: number, callback: () => void): () => void {
    const call = { atMs: Math.max(atMs, this.nowMs), order: this.#order, callback };
    this.#order += 1;
    const before = this.#calls.findLastIndex((each) => each.atMs <= call.atMs);
    this.#calls.splice(before + 1, 0, call);
    return () => {
      const index = this.#calls.indexOf(call);
      if (index >= 0) this.#calls.splice(index, 1);
    };
  }

  /** Makes the next call; false when none is left by that time. */
  step(untilMs: number): boolean {
    const [next] = this.#calls;
    if (next === undefined || next.atMs > untilMs) return false;
    this.#calls.shift();
    this.nowMs = next.atMs;
    next.callback();
    return true;
  }
}
