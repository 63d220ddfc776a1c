/** Workers that are free of charge run for an account without credits, and are right to. */

import { expect, it } from "vitest";
import type { Worker } from "../../../reference/catalogue/worker.ts";
import { WORKERS } from "../../../reference/catalogue/workers.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { findingOf } from "../../contract/findings.ts";

const ID = "submit.insufficient-credits";
const FREE = { priceMicroUsd: 0, infraMicroUsd: 0 };

async function judged(isFree: (worker: Worker) => boolean, faults: readonly string[] = []) {
  const workers = WORKERS.map((worker) => (isFree(worker) ? { ...worker, ...FREE } : worker));
  const { findings } = await simulateGate({ seed: 3, workers, service: { faults }, only: [ID] });
  return findingOf(findings, ID);
}

it("a free worker beside others is left out", async () => {
  expect(await judged(({ id }) => id === "nothing")).toMatchObject({ verdict: "kept" });
});

it("a free success part hides no worker that runs without credits", async () => {
  const found = await judged(({ id }) => id === "echo", [`${ID}/answers-403`]);
  expect(found).toMatchObject({ verdict: "broken" });
});

it("where all are free nothing is looked at", async () => {
  expect(await judged(() => true)).toMatchObject({
    verdict: "unobserved",
    reason: "all workers are free, so credits decide nothing",
  });
});
