/** A quick gate with real k6 of a service whose results would overflow a reader's stack. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { startReference } from "../../reference/service.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { deepResults } from "../simulation/hostile/deep-results.ts";
import { quickRun } from "./quick-run.ts";

const LIMIT_MS = 240_000;

async function verdictsOn(fault: Fault, only: readonly PromiseId[]) {
  const given = { timeScale: 0.02, seed: 1, faults: [fault.name] };
  const service = await startReference(given, [fault]);
  try {
    const { findings } = await quickRun({ ...embeddedTarget(service), only });
    const own = findings.filter(({ promise }) => only.includes(promise));
    return new Map(own.map(({ promise, verdict, summary }) => [promise, { verdict, summary }]));
  } finally {
    await service.close();
  }
}

it(covers("results of 20,000 levels are not judged, and said so", "19 gate"), {
  timeout: LIMIT_MS,
}, async () => {
  const only = ["job.shape", "job.own-result", "job.never-lost", "webhook.result"] as const;
  const found = await verdictsOn(deepResults(20_000), only);
  expect([...found.keys()].sort()).toEqual([...only].sort());
  expect(found.get("job.shape")?.verdict).toBe("kept");
  expect(found.get("job.own-result")?.verdict).toBe("unobserved");
  expect(found.get("webhook.result")?.verdict).toBe("unobserved");
  const lost = found.get("job.never-lost");
  expect(lost?.verdict).toBe("inconclusive");
  expect(lost?.summary).toContain("nests deeper than 500 levels");
});
