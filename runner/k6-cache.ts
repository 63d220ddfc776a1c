/** Where a k6 that was built or fetched is kept between runs. */

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Environment } from "./executables.ts";
import { executableName, goSumHash } from "./executables.ts";
import { K6UnavailableError } from "./k6-unavailable-error.ts";
import { K6_VERSION } from "./k6-version.ts";
import { ROOT } from "./package-root.ts";

/** The Go module that pins k6 by checksum. */
export const K6_MODULE_DIR = path.join(ROOT, "tools", "k6");

/** PLUMBLINE_CACHE, else the XDG cache folder. Source: XDG Base Directory Specification. */
export function cacheDir(env: Environment): string {
  if (env.PLUMBLINE_CACHE) return path.resolve(env.PLUMBLINE_CACHE);
  const base = env.XDG_CACHE_HOME || path.join(env.HOME || os.homedir(), ".cache");
  return path.join(base, "plumbline");
}

/** Path of the cached binary. */
export async function cachedK6Path(env: Environment): Promise<string> {
  const version = `${K6_VERSION}-${await goSumHash(K6_MODULE_DIR)}`;
  return path.join(cacheDir(env), "k6", version, executableName("k6"));
}

/**
 * Lets `make` produce a file or a folder under a temporary name beside the target and then moves it
 * there, so that nobody ever sees half of it. Concurrent makers do the work twice and do no harm.
 * Throws `k6-cache-unwritable`.
 */
export async function placeAtomically(
  target: string,
  make: (temporaryPath: string) => Promise<void>,
): Promise<void> {
  const folder = path.dirname(target);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const what = `cannot make the cache folder "${folder}" (${error.code ?? error.message})`;
    const remedy = "set PLUMBLINE_CACHE to a writable folder";
    throw new K6UnavailableError("k6-cache-unwritable", `${what}; ${remedy}`);
  });
  const temporaryPath = `${target}.${process.pid}.${randomUUID()}`;
  try {
    await make(temporaryPath);
    await rename(temporaryPath, target).catch((error: NodeJS.ErrnoException) => {
      // A folder, unlike a file, does not replace one: the other maker's is as good.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporaryPath, { force: true, recursive: true });
  }
}
