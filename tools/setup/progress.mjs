/** What set-up says while it works, and how it fails: one line each, on stderr. */

/** A failure that the user can mend; its message names the remedy. */
export class SetupError extends Error {}

/** @param {string} text */
export function say(text) {
  process.stderr.write(`plumbline set-up: ${text}\n`);
}

/**
 * Says what is being done, and how long it took once it is done.
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function timed(text, step) {
  const startedMs = Date.now();
  say(`${text} ...`);
  const result = await step();
  say(`${text}: done in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  return result;
}
