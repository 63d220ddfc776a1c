/** A scenario with its plan as an archive of k6, which needs no other file where it runs. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { captureOutput } from "../../runner/capture-output.ts";
import type { Environment } from "../../runner/executables.ts";
import { K6_ENVIRONMENT } from "../../runner/run-k6.ts";
import { UsageError } from "../usage-error.ts";

/** Ours: some hundred files, on a busy machine. */
const TIME_LIMIT_MS = 120_000;

/** Stands in the archive for a secret of the place where it runs, whose environment goes first. */
const ELSEWHERE = "set-where-it-runs";

interface ArchiveInput {
  k6: string;
  script: string;
  plan: RunPlan;
  environment: Environment;
}

/** Packed by gzip: as it is, it comes close to what a ConfigMap may hold. Throws UsageError. */
export async function loadArchive({
  k6,
  script,
  plan,
  environment,
}: ArchiveInput): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "plumbline-archive-"));
  try {
    const [planFile, archive] = [path.join(folder, "plan.json"), path.join(folder, "load.tar")];
    await writeFile(planFile, JSON.stringify(plan));
    const asked = plan.receiver === null ? [] : [`${plan.receiver.querySecretEnv}=${ELSEWHERE}`];
    const variables = [`PLUMBLINE_PLAN=${planFile}`, ...asked].flatMap((each) => ["-e", each]);
    const args = ["archive", "--quiet", ...variables, "-O", archive, script];
    const { exitCode, stderr } = await captureOutput(k6, args, {
      env: { ...environment, ...K6_ENVIRONMENT },
      timeLimitMs: TIME_LIMIT_MS,
    });
    if (exitCode !== 0) throw new UsageError("invalid-file", [`k6 archive: ${stderr.trim()}`]);
    return await promisify(gzip)(await readFile(archive), { level: 9 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
