/** What the programs among the tests share: progress, interruption, numbers of their options. */

/** A line for whoever watches; results go elsewhere. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Aborted once the program is asked to end. */
export function interruptSignal(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => interrupted.abort());
  }
  return interrupted.signal;
}

/** The value of an option that counts something. Throws with what is wrong. */
export function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`--${option} ${text}: expected a whole number of at least 1`);
}
