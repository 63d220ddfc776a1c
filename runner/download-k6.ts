/** Fetches the official k6 release archive and accepts it by its pinned SHA-256 alone. */

import { createHash } from "node:crypto";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { captureOutput } from "./capture-output.ts";
import { executableName } from "./executables.ts";
import { placeAtomically } from "./k6-cache.ts";
import { K6UnavailableError } from "./k6-unavailable-error.ts";
import { K6_VERSION } from "./k6-version.ts";

export interface ReleaseArchive {
  /** Platform part of the archive's name. */
  platform: string;
  extension: "tar.gz" | "zip";
  sha256: string;
}

/**
 * Archives of k6 2.2.0 by Node's platform and processor names.
 * Source: checksums file of the k6 v2.2.0 release, as pinned by several unrelated projects.
 */
export const RELEASE_ARCHIVES: Readonly<Record<string, ReleaseArchive>> = {
  "linux-x64": {
    platform: "linux-amd64",
    extension: "tar.gz",
    sha256: "b5a8003c86f35f5cd5ceef1490312c48e587696c94d998cefc6d7b3b4cb1597d",
  },
  "linux-arm64": {
    platform: "linux-arm64",
    extension: "tar.gz",
    sha256: "4ecd64cadcc792402d16293836115480419c4447c032858f564852d98f1bf54c",
  },
  "darwin-x64": {
    platform: "macos-amd64",
    extension: "zip",
    sha256: "45a08590511c8a6a9c6331645e60c41624924e848e29472e87c60ac956d50372",
  },
  "darwin-arm64": {
    platform: "macos-arm64",
    extension: "zip",
    sha256: "37a028506bf13578de66c906296803775df28cc2504b1a8c5d786b2803e757c7",
  },
  "win32-x64": {
    platform: "windows-amd64",
    extension: "zip",
    sha256: "ceb2b1e1cf9dbe1303c6c33ec83ffda86dda5c610b4def92064d3c7ebae8d9f4",
  },
};

/** Where k6's owners publish its releases. */
const RELEASES_URL = "https://github.com/grafana/k6/releases/download";
/** Ours: about 60 MB, on a slow line. */
const DOWNLOAD_TIME_LIMIT_MS = 5 * 60_000;
const UNPACK_TIME_LIMIT_MS = 60_000;

/**
 * Fetches, checks and unpacks k6 to that path. Throws `k6-download-failed`; an archive with another
 * checksum is never unpacked.
 */
export async function downloadK6(
  target: string,
  archive: ReleaseArchive,
  releasesUrl: string = RELEASES_URL,
): Promise<void> {
  const stem = stemOf(archive);
  const url = releaseUrl(archive, releasesUrl);
  const bytes = await fetchBytes(url);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== archive.sha256) {
    throw failure(`SHA-256 of ${url} is ${sha256}; expected ${archive.sha256}`);
  }
  await placeAtomically(target, async (temporaryPath) => {
    const folder = `${temporaryPath}.d`;
    try {
      await unpack(bytes, folder, stem, temporaryPath);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

function stemOf({ platform }: ReleaseArchive): string {
  return `k6-v${K6_VERSION}-${platform}`;
}

function releaseUrl(archive: ReleaseArchive, releasesUrl: string): string {
  return `${releasesUrl}/v${K6_VERSION}/${stemOf(archive)}.${archive.extension}`;
}

/** Ours: whoever asks what is missing waits for no slow network. */
const CHECK_TIME_LIMIT_MS = 5_000;

/** Why the archive can't be fetched from here, or null; fetches nothing but its head. */
export async function whyNotFetched(archive: ReleaseArchive): Promise<string | null> {
  const url = releaseUrl(archive, RELEASES_URL);
  try {
    const signal = AbortSignal.timeout(CHECK_TIME_LIMIT_MS);
    const { ok, status } = await fetch(url, { method: "HEAD", signal });
    return ok ? null : `${url} was answered ${status}`;
  } catch (error) {
    return `${url} cannot be reached: ${causeOf(error)}`;
  }
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIME_LIMIT_MS) });
    if (!response.ok) throw new Error(`the answer was ${response.status}; expected 200`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw failure(`could not fetch ${url}: ${causeOf(error)}`, { cause: error });
  }
}

async function unpack(
  bytes: Uint8Array,
  folder: string,
  stem: string,
  binaryPath: string,
): Promise<void> {
  await mkdir(folder);
  const file = path.join(folder, "archive");
  await writeFile(file, bytes);
  const result = await captureOutput("tar", ["-xf", file, "-C", folder], {
    env: process.env,
    timeLimitMs: UNPACK_TIME_LIMIT_MS,
  });
  if (result.exitCode !== 0) throw failure(`tar could not unpack it: ${result.stderr.trim()}`);
  const unpacked = path.join(folder, stem, executableName("k6"));
  await chmod(unpacked, 0o755);
  await rename(unpacked, binaryPath);
}

/** Of a failed fetch the cause tells more than its own "fetch failed". */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function failure(what: string, options?: ErrorOptions): K6UnavailableError {
  return new K6UnavailableError("k6-download-failed", what, options);
}
