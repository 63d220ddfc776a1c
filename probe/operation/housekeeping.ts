/** Prunes the journal's history, and tries again to write what could not be written. */

import type { Parts } from "./run.ts";

/** Ours: a full disk is noticed to be free again within seconds. */
const RETRY_MS = 5_000;
/** Ours: history is a matter of days. */
const PRUNE_MS = 3_600_000;
const HISTORY_MS = 14 * 24 * 3_600_000;

/** Gives back what ends it. */
export function startHousekeeping({ clock, journal, emit }: Parts): () => void {
  const retry = setInterval(() => {
    if (journal.writable) return;
    const recovered = () => emit({ type: "journal-recovered" });
    // A failure is reported by the journal itself.
    journal.beat(clock.nowMs()).then(recovered, () => {});
  }, RETRY_MS);
  const prune = setInterval(() => {
    try {
      journal.prune(clock.nowMs() - HISTORY_MS);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      emit({ type: "journal-failed", what: "prune", why });
    }
  }, PRUNE_MS);
  return () => {
    clearInterval(retry);
    clearInterval(prune);
  };
}
