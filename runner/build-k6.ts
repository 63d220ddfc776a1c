/** Builds k6 from source with Go, from the module versions pinned in tools/k6. */

import { captureOutput } from "./capture-output.ts";
import type { Environment } from "./executables.ts";
import { K6_MODULE_DIR, placeAtomically } from "./k6-cache.ts";
import { K6UnavailableError } from "./k6-unavailable-error.ts";

/** Go that k6 2.2 needs; tools/k6/go.mod says the same. */
const GO_MINOR_MIN = 25;
export const GO_REQUIREMENT = `Go 1.${GO_MINOR_MIN} or newer`;

/** Ours: a cold build takes about 80 s on two cores, and far longer where others keep them busy. */
const BUILD_TIME_LIMIT_MS = 30 * 60_000;
const VERSION_TIME_LIMIT_MS = 15_000;
/** Ours: the end of Go's output names the cause. */
const OUTPUT_CHARS_MAX = 1_500;

export type GoState =
  | { usable: true; version: string }
  | { usable: false; version: string | null; reason: string };

/** Whether there is a Go that can build k6, without letting it fetch another toolchain. */
export async function inspectGo(env: Environment): Promise<GoState> {
  const { exitCode, stdout, missing } = await captureOutput("go", ["env", "GOVERSION"], {
    env: { ...env, GOTOOLCHAIN: "local" },
    timeLimitMs: VERSION_TIME_LIMIT_MS,
  });
  if (missing) return { usable: false, version: null, reason: "Go is not installed" };
  const version = /^go(\d+\.(\d+)\S*)/.exec(stdout.trim());
  if (exitCode !== 0 || version?.[1] === undefined) {
    return { usable: false, version: null, reason: "`go env GOVERSION` failed" };
  }
  if (Number(version[2]) >= GO_MINOR_MIN) return { usable: true, version: version[1] };
  return {
    usable: false,
    version: version[1],
    reason: `Go ${version[1]} is too old; expected ${GO_REQUIREMENT}`,
  };
}

/** Builds k6 at that path. Throws `k6-build-failed` with the end of Go's own words. */
export async function buildK6(
  env: Environment,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  await placeAtomically(target, async (temporaryPath) => {
    const result = await captureOutput("go", ["build", "-o", temporaryPath, "go.k6.io/k6/v2"], {
      cwd: K6_MODULE_DIR,
      env: { ...env, GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" },
      timeLimitMs: BUILD_TIME_LIMIT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.exitCode === 0) return;
    const what = result.timedOut
      ? `building k6 with Go took longer than ${BUILD_TIME_LIMIT_MS / 60_000} min; try again`
      : "building k6 with Go failed; check that Go's module proxy can be reached";
    const said = goWords(result.stderr).slice(-OUTPUT_CHARS_MAX);
    const quote = said === "" ? "" : `. Go said: ${said}`;
    throw new K6UnavailableError("k6-build-failed", `${what}, or put k6 2.x on PATH${quote}`);
  });
}

/** Without the progress of downloads, which buries the cause. */
function goWords(stderr: string): string {
  const lines = stderr.trim().split("\n");
  return lines.filter((line) => !line.startsWith("go: downloading ")).join("\n");
}
