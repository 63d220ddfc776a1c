/** Files of some jobs of a load, when it is over: other jobs than one may show faults of a few. */

import { jobIn } from "../../contract/decode/job.ts";
import { marksIn } from "../../contract/jobs/marks.ts";
import { AWAY_MS } from "../../contract/judges/expected-status.ts";
import type { FileAfter, Unfiled } from "../../contract/judges/job/files-after.ts";
import { wasMissed } from "../../contract/judges/job/files-after.ts";
import type { Context } from "../client/context.ts";
import { isSmall, tryFile } from "../client/tried-files.ts";
import type { Entry } from "../load/followed/ledger.ts";
import type { Soak } from "../load/soak.ts";

/**
 * Each job is read again, as addresses may be signed anew each time. Where a file was missed, all
 * are asked for once more, when an instance that starts up has done so.
 */
export async function filesAfterLoad(context: Context, soak: Soak): Promise<readonly FileAfter[]> {
  const { filed, filedAtEnd } = soak.bystander;
  const found = await Promise.all([
    ...filedAtEnd.map(async ({ entry, atEnd }) => {
      const seen = await fileOf(context, entry);
      return seen === null ? null : { ...seen, atEnd: await atEnd };
    }),
    ...filed.map((entry) => fileOf(context, entry)),
  ]);
  const files = found.filter((each) => each !== null);
  if (!files.some(({ tried }) => wasMissed(tried))) return files;
  const { world } = context;
  await world.delay(AWAY_MS);
  const askAgain = async (each: FileAfter) => ({
    ...each,
    again: await tryFile(world, each.file.url),
  });
  return await Promise.all(files.map(askAgain));
}

/** Each job that ended without files is read again, as they may be stored late. */
export async function unfiledAfterLoad(
  context: Context,
  { bystander }: Soak,
): Promise<readonly Unfiled[]> {
  const { completed, filed } = bystander.ofFiles;
  const filedShare = filed / Math.max(1, completed);
  const read = bystander.unfiled.map(async ({ id, key, endSeenAtMs, mixPart }) => {
    if (id === null || endSeenAtMs === null) return [];
    const asked = { method: "GET", route: "job", parameter: id, key: key.name } as const;
    const exchange = await context.ask(asked);
    const seen = { job: id, endedAtMs: endSeenAtMs, exchange, filedShare };
    return [{ ...seen, worker: mixPart.worker.id }];
  });
  return (await Promise.all(read)).flat();
}

async function fileOf(
  context: Context,
  { id, key, endSeenAtMs, submission, mixPart }: Entry,
): Promise<FileAfter | null> {
  if (id === null || endSeenAtMs === null) return null;
  const read = { method: "GET", route: "job", parameter: id, key: key.name } as const;
  const exchange = await context.ask(read);
  const file = jobIn(exchange)?.files?.find(isSmall);
  if (file === undefined) return null;
  const seen = { job: id, key: key.name, endedAtMs: endSeenAtMs, exchange, file };
  const [own] = marksIn(submission?.requestBody ?? "");
  const asked = { worker: mixPart.worker.id, ...(own === undefined ? {} : { own }) };
  return { ...seen, ...asked, tried: await tryFile(context.world, file.url) };
}
