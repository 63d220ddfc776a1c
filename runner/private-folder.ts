/**
 * A folder of a run's own that nobody else can read, and that goes with the run. What a process
 * that was killed could not remove goes when the next run begins: its files may hold what must not
 * be kept.
 */

import { createHash } from "node:crypto";
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { causeOf, codeOf } from "../contract/text/thrown.ts";
import { K6UnavailableError } from "./k6-unavailable-error.ts";

/** Followed by where its process runs, the process's number, and some characters of its own. */
const PREFIX = "plumbline-run-";
const PLACE_CHARS = 8;

/** Throws `temporary-folder-unwritable`. */
export async function makePrivateFolder(): Promise<string> {
  const own = `${PREFIX}${await machine()}-`;
  await removeAbandoned(own);
  const place = os.tmpdir();
  return await mkdtemp(path.join(place, `${own}${process.pid}-`)).catch((error: unknown) => {
    const what = `cannot make a folder in "${place}" (${causeOf(error)})`;
    const remedy = "set TMPDIR to a writable folder";
    const message = `${what}; ${remedy}`;
    throw new K6UnavailableError("temporary-folder-unwritable", message, { cause: error });
  });
}

/** Machines and containers may share a folder for temporary files, and not their processes. */
async function machine(): Promise<string> {
  const space = await readlink("/proc/self/ns/pid").catch(() => "");
  const text = `${os.hostname()} ${space}`;
  return createHash("sha256").update(text).digest("hex").slice(0, PLACE_CHARS);
}

async function removeAbandoned(own: string): Promise<void> {
  const names = await readdir(os.tmpdir()).catch((): string[] => []);
  for (const name of names.filter((each) => each.startsWith(own))) {
    const owner = Number.parseInt(name.slice(own.length), 10);
    if (isAlive(owner)) continue;
    // Somebody else's can't be removed, and is theirs to remove.
    await rm(path.join(os.tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** A process that may not be sent signals lives all the same. kill(2). */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
