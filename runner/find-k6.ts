/** Finds a k6 that fits, or makes one: the environment, PATH, the cache, Go, the release. */

import { nowMs } from "../clock/system-clock.ts";
import { buildK6, GO_REQUIREMENT, inspectGo } from "./build-k6.ts";
import type { ReleaseArchive } from "./download-k6.ts";
import { downloadK6, RELEASE_ARCHIVES } from "./download-k6.ts";
import type { Environment } from "./executables.ts";
import { isExecutable, onPath } from "./executables.ts";
import { cachedK6Path } from "./k6-cache.ts";
import { K6UnavailableError } from "./k6-unavailable-error.ts";
import { isFittingVersion, K6_VERSION, readK6Version } from "./k6-version.ts";

export interface K6Binary {
  path: string;
  version: string;
}

export interface FindK6Options {
  env: Environment;
  /** Told in a line what is being done, when it takes longer than a moment. */
  onProgress: (text: string) => void;
  /** Ends a build or a download early. */
  signal?: AbortSignal;
}

/** Throws K6UnavailableError, whose message says what to install. */
export async function findK6({ env, onProgress, signal }: FindK6Options): Promise<K6Binary> {
  const way = await wayToK6(env);
  if (way.kind === "present") return way.binary;
  const target = await cachedK6Path(env);
  if (way.kind === "build") {
    onProgress(`building k6 ${K6_VERSION} with Go ${way.go} (about 80 s, once) ...`);
    const startedMs = nowMs();
    await buildK6(env, target, signal);
    onProgress(`built k6 ${K6_VERSION} in ${((nowMs() - startedMs) / 1000).toFixed(0)} s`);
    return await checkedK6(target);
  }
  await fetchRelease(target, way, onProgress);
  return await checkedK6(target);
}

/** How k6 is come by on this machine, in the order in which ways are tried. */
export type WayToK6 =
  | { kind: "present"; binary: K6Binary }
  | { kind: "build"; go: string; nothing: string }
  | { kind: "fetch"; nothing: string; goReason: string; archive: ReleaseArchive | null };

/** Builds and fetches nothing. Throws K6UnavailableError for a K6_BIN that is none. */
export async function wayToK6(env: Environment): Promise<WayToK6> {
  const { binary, nothing } = await findPresentK6(env);
  if (binary !== null) return { kind: "present", binary };
  const archive = RELEASE_ARCHIVES[`${process.platform}-${process.arch}`] ?? null;
  if (prefersRelease(env) && archive !== null) {
    return { kind: "fetch", nothing, goReason: `${SOURCE_VARIABLE} asks for it`, archive };
  }
  const go = await inspectGo(env);
  if (go.usable) return { kind: "build", go: go.version, nothing };
  return { kind: "fetch", nothing, goReason: go.reason, archive };
}

/** `release`: fetched even where Go could build it, which takes minutes on a machine of a CI. */
const SOURCE_VARIABLE = "PLUMBLINE_K6_FROM";

function prefersRelease(env: Environment): boolean {
  const wanted = env[SOURCE_VARIABLE] ?? "";
  if (wanted === "" || wanted === "release") return wanted === "release";
  const what = `${SOURCE_VARIABLE}=${wanted} is unknown`;
  throw new K6UnavailableError("k6-missing", `${what}; expected release, or nothing`);
}

/** A k6 that is there already, or null and in words why there is nothing that fits. */
interface PresentK6 {
  binary: K6Binary | null;
  nothing: string;
}

/** Looks at K6_BIN, PATH and the cache. */
async function findPresentK6(env: Environment): Promise<PresentK6> {
  let nothing = "no k6 found";
  if (env.K6_BIN) return { binary: await k6FromEnvironment(env.K6_BIN), nothing };
  const cached = await cachedK6Path(env);
  for (const candidate of [...onPath("k6", env), cached]) {
    if (!(await isExecutable(candidate))) continue;
    const version = await readK6Version(candidate);
    if (version === null) continue;
    if (isFittingVersion(version)) return { binary: { path: candidate, version }, nothing };
    nothing = `no k6 2.x found (${candidate} is k6 ${version})`;
  }
  return { binary: null, nothing };
}

async function k6FromEnvironment(file: string): Promise<K6Binary> {
  const version = await readK6Version(file);
  if (version !== null && isFittingVersion(version)) return { path: file, version };
  const what = version === null ? "is no k6 that starts" : `is k6 ${version}`;
  throw new K6UnavailableError(
    "k6-bin-unusable",
    `K6_BIN=${file} ${what}; expected k6 2.x. Correct K6_BIN, or unset it to let k6 be found`,
  );
}

async function fetchRelease(
  target: string,
  { nothing, goReason, archive }: Extract<WayToK6, { kind: "fetch" }>,
  onProgress: (text: string) => void,
): Promise<void> {
  const remedy = `Install k6 2.x (put it on PATH or set K6_BIN), or ${GO_REQUIREMENT} to build it`;
  if (archive === null) {
    const machine = `${process.platform}-${process.arch}`;
    const what = `${nothing}, ${goReason}, and no release archive is pinned for ${machine}`;
    throw new K6UnavailableError("k6-missing", `${what}. ${remedy}`);
  }
  onProgress(`fetching the k6 ${K6_VERSION} release, as ${goReason} ...`);
  try {
    await downloadK6(target, archive);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const found = `${nothing}, ${goReason}, and the release can't be used: ${what}`;
    throw new K6UnavailableError("k6-missing", `${found}. ${remedy}`, { cause: error });
  }
}

async function checkedK6(file: string): Promise<K6Binary> {
  const version = await readK6Version(file);
  if (version !== null) return { path: file, version };
  throw new K6UnavailableError("k6-build-failed", `${file} does not start; remove it and retry`);
}
