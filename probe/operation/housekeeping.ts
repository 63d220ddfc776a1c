/** Prunes the journal's history, and tries again to write what could not be written. */

import { beats } from "../../clock/beats.ts";
import { messageOf } from "../../contract/text/thrown.ts";
import type { Parts } from "./runs/run.ts";

/** Ours: a full disk is noticed to be free again within seconds. */
const RETRY_MS = 5_000;
/** Ours: history is a matter of days. */
const PRUNE_MS = 600_000;
const HISTORY_MS = 14 * 24 * 3_600_000;
/** Ours: some hundred thousand runs; a probe's disk need not be large. */
const HISTORY_BYTES_MAX = 256 * 1024 * 1024;

/** Gives back what ends it. */
export function startHousekeeping(parts: Parts): () => void {
  const { clock, journal } = parts;
  const endRetries = beats(clock, RETRY_MS, () => {
    if (journal.writable) return;
    // Our own history may be what fills the disk. The journal reports failure and recovery itself.
    pruneHistory(parts);
    journal.beat(clock.nowMs()).catch(() => {});
  });
  const endPruning = beats(clock, PRUNE_MS, () => pruneHistory(parts));
  return () => {
    endRetries();
    endPruning();
  };
}

function pruneHistory({ clock, journal, emit }: Parts): void {
  try {
    journal.prune({ beforeMs: clock.nowMs() - HISTORY_MS, bytesMax: HISTORY_BYTES_MAX });
  } catch (error) {
    emit({ type: "journal-failed", what: "prune", why: messageOf(error) });
  }
}
