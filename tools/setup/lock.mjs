/** Keeps two set-ups of one checkout apart: a folder that only one process can make. */

import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { stopTools } from "./child.mjs";
import { SetupError, say } from "./progress.mjs";

/** Ours: how often a waiting set-up looks again. */
const RETRY_MS = 250;
/** Ours: longer than a cold set-up with a k6 build takes on a slow machine. */
const WAIT_MAX_MS = 20 * 60_000;
/** Ours: a lock without an owner's name is one whose maker died between two system calls. */
const NAMELESS_MAX_MS = 10_000;

/**
 * Runs the work while holding the lock. The lock of a process that no longer lives is taken over.
 * @template T
 * @param {string} lockPath
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(lockPath, work) {
  await acquire(lockPath);
  const release = () => rm(lockPath, { recursive: true, force: true });
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    stopTools();
    void release().finally(() => process.exit(signal === "SIGINT" ? 105 : 143));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    return await work();
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    await release();
  }
}

/** @param {string} lockPath */
async function acquire(lockPath) {
  await mkdir(path.dirname(lockPath), { recursive: true });
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  let told = false;
  while (!(await tryAcquire(lockPath))) {
    const owner = await ownerOf(lockPath);
    if (await isStale(lockPath, owner)) {
      await removeStale(lockPath, owner);
      continue;
    }
    if (Date.now() > deadlineMs) {
      throw new SetupError(
        `another set-up (process ${owner?.pid ?? "unknown"}) holds ${lockPath}; ` +
          "wait for it, or remove that folder if it is gone",
      );
    }
    if (!told) say(`waiting for another set-up (process ${owner?.pid ?? "unknown"})`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** @param {string} lockPath */
async function tryAcquire(lockPath) {
  try {
    await mkdir(lockPath);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
  const owner = { pid: process.pid, host: os.hostname() };
  await writeFile(path.join(lockPath, "owner.json"), JSON.stringify(owner));
  return true;
}

/**
 * @param {string} lockPath
 * @returns {Promise<{ pid: number, host: string } | null>}
 */
async function ownerOf(lockPath) {
  try {
    return JSON.parse(await readFile(path.join(lockPath, "owner.json"), "utf8"));
  } catch {
    return null;
  }
}

/**
 * Takes the lock away under another name first: where two set-ups find the same stale lock, the
 * second one may have caught the first one's fresh lock instead, and puts it back.
 * @param {string} lockPath
 * @param {{ pid: number, host: string } | null} owner
 */
async function removeStale(lockPath, owner) {
  const aside = `${lockPath}.${process.pid}`;
  try {
    await rename(lockPath, aside);
  } catch {
    return;
  }
  const caught = await ownerOf(aside);
  if (caught?.pid === owner?.pid) await rm(aside, { recursive: true, force: true });
  else await rename(aside, lockPath).catch(() => {});
}

/**
 * @param {string} lockPath
 * @param {{ pid: number, host: string } | null} owner
 */
async function isStale(lockPath, owner) {
  if (owner === null) {
    const made = await stat(lockPath).catch(() => null);
    return made !== null && Date.now() - made.mtimeMs > NAMELESS_MAX_MS;
  }
  if (owner.host !== os.hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ESRCH";
  }
}
