/** Looks workers up in the catalogue's list, whichever page they are on. Spec §2.2, §4.1. */

import type { WorkerEntry } from "../decode/worker.ts";
import { listEntries } from "../judges/workers.ts";
import type { PageWalk } from "./read-pages.ts";
import { readPages } from "./read-pages.ts";

/**
 * The entries of all pages up to the one where the last of the wanted workers is; of all pages
 * where `wanted` is null. `onShort` is told why some of the list was not read.
 */
export async function listedWorkers(
  ask: PageWalk["ask"],
  wanted: readonly string[] | null,
  onShort: (why: string) => void = () => {},
): Promise<readonly WorkerEntry[]> {
  const missing = new Set(wanted);
  const entries: WorkerEntry[] = [];
  await readPages({
    ask,
    onShort,
    isEnough(page) {
      for (const entry of listEntries(page) ?? []) {
        entries.push(entry);
        missing.delete(entry.id);
      }
      return wanted !== null && missing.size === 0;
    },
  });
  return entries;
}
