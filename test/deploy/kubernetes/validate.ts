/** What Kubernetes would say of manifests, as far as it can be known without a cluster. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { captureOutput } from "../../../runner/capture-output.ts";
import { schemaLocation } from "../../../tools/kubernetes/schemas.ts";
import { goTool } from "../../go-tool.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";

const run = (command: string, args: readonly string[]) =>
  captureOutput(command, args, { env: process.env, timeLimitMs: 60_000 });

async function fileOf(manifests: string): Promise<string> {
  const file = path.join(await temporaryFolder(), "manifests.yaml");
  await writeFile(file, manifests);
  return file;
}

/** The manifests of a folder, as `kubectl apply -k` would send them. */
export async function built(folder: string): Promise<string> {
  const kustomize = await goTool("kustomize");
  const { exitCode, stdout, stderr } = await run(kustomize, ["build", folder]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

const BETWEEN = /^---$/m;

/** The manifests of a text that another has not: to validate the rest as well takes most time. */
export function changed(before: string, after: string): string {
  const known = new Set(before.split(BETWEEN));
  return after
    .split(BETWEEN)
    .filter((each) => !known.has(each))
    .join("---");
}

/** What is wrong by the schemas, a line each; unknown fields and unknown kinds are. */
export async function problemsOf(manifests: string): Promise<readonly string[]> {
  const kubeconform = await goTool("kubeconform");
  const location = await schemaLocation(process.env);
  const args = ["-strict", "-schema-location", location, await fileOf(manifests)];
  const { stdout, stderr } = await run(kubeconform, args);
  return `${stdout}${stderr}`.split("\n").filter(Boolean);
}

/**
 * What is critical by good practice. Left out: a limit of the processor, which makes a probe late;
 * and that an image is always pulled, as those that are pinned stay what they are.
 */
export async function criticismOf(manifests: string): Promise<string> {
  const score = await goTool("kube-score");
  const left = ["--ignore-container-cpu-limit", "--ignore-test=container-image-pull-policy"];
  const { exitCode, stdout } = await run(score, ["score", ...left, await fileOf(manifests)]);
  return exitCode === 0 ? "" : stdout;
}
