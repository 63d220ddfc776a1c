/**
 * Asks for files of a few jobs of a load as soon as their end is known: storing them may take
 * longer than a caller waits who has just been told that the job completed. Spec §2.7.
 */

import { isSuccess } from "../../../contract/requests/exchange.ts";
import { isSmall, tryFile } from "../../client/tried-files.ts";
import type { Soak } from "../soak.ts";
import type { Entry } from "./ledger.ts";

/** Ours: a fault of one job in four is among those of three thirds, nine times in ten. */
const TRIED_IN_A_THIRD = 3;

/** Whether the job is one of those; of several shards the first asks for all of them. */
export function tryFileAtEnd({ bystander, context }: Soak, entry: Entry): boolean {
  const { plan, world } = context;
  if (world.shard.index > 0 || !plan.promises.includes("job.files-readable")) return false;
  const others = bystander.filedAtEnd.filter((each) => each.entry.third === entry.third);
  const file = entry.end?.files?.find(isSmall);
  if (file === undefined || others.length >= TRIED_IN_A_THIRD) return false;
  const atEnd = tryFile(world, file.url, () => bystander.fileThere).then((tried) => {
    if (isSuccess(tried)) bystander.fileThere = tried.url;
    return tried;
  });
  bystander.filedAtEnd.push({ entry, atEnd });
  return true;
}
