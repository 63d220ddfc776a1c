/** Time as a program is given it, real or simulated: what it is, and being called back later. */

export interface Clock {
  /** Milliseconds since the epoch with fractions; never steps back. */
  nowMs(): number;
  /**
   * Calls back once `delayMs` have passed, never before; a delay of Infinity never ends. Gives
   * back a function that cancels the call.
   */
  after(delayMs: number, callback: () => void): () => void;
}
