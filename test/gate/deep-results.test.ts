/** A quick gate with real k6 of a service whose results would overflow a reader's stack. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { startReference } from "../../reference/service.ts";
import { EVIDENCE_FILE } from "../../report/report-directory.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";
import { deepResults, nested } from "../simulation/hostile/deep-results.ts";
import { quickRun } from "./quick-run.ts";

const LIMIT_MS = 600_000;

async function runOn(fault: Fault, only: readonly PromiseId[]) {
  const service = await startReference({ timeScale: 0.02, seed: 1, faults: [fault.name] }, [fault]);
  const outputDir = await temporaryFolder();
  try {
    const { findings } = await quickRun({ ...embeddedTarget(service), only, outputDir });
    const evidence = await readFile(path.join(outputDir, EVIDENCE_FILE), "utf8");
    return { own: findings.filter(({ promise }) => only.includes(promise)), evidence };
  } finally {
    await service.close();
  }
}

it(covers("results of 20,000 levels are not read, and later ones are", "19 gate"), {
  timeout: LIMIT_MS,
}, async () => {
  const only = ["job.shape", "job.own-result", "job.never-lost"] as const;
  const { own, evidence } = await runOn(deepResults(20_000, 2), only);
  expect(own.map(({ verdict }) => verdict)).toEqual(["kept", "kept", "kept"]);
  expect(evidence).toContain('"unread"');
  expect(evidence).not.toContain(nested(1_000));
});
