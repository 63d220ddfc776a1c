/** Workers that are free of charge run for an account without credits, and are right to. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { Worker } from "../../../reference/catalogue/worker.ts";
import { WORKERS } from "../../../reference/catalogue/workers.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { findingOf } from "../../contract/findings.ts";
import { strangerIn } from "../../stranger/open-stranger.ts";

const ID = "submit.insufficient-credits";
const FREE = { priceMicroUsd: 0, infraMicroUsd: 0 };

async function judged(
  isFree: (worker: Worker) => boolean,
  faults: readonly string[] = [],
  besides: readonly PromiseId[] = [],
) {
  const workers = WORKERS.map((worker) => (isFree(worker) ? { ...worker, ...FREE } : worker));
  const { findings } = await simulateGate({
    seed: 3,
    workers,
    service: { faults },
    only: [ID, ...besides],
    target: ({ load, ...target }) => ({ ...target, load: load && { ...load, durationMs: 8_000 } }),
  });
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
    reason: "no worker is known to take credits before a run",
  });
});

it("a load asks for a worker that takes credits, or for none", async () => {
  const ofLoad = ["load.no-losses"] as const;
  expect(await judged(({ id }) => id === "echo", [], ofLoad)).toMatchObject({ verdict: "kept" });
  expect(await judged(() => true, [], ofLoad)).not.toMatchObject({ verdict: "broken" });
});

it.each([
  ["timeout-on-the-balance", "timeout.free"],
  ["rejected-is-charged", "submit.rejected-runs-nothing"],
] as const)("a free success part hides no charge: %s", async (fault, promise) => {
  const judge = async (faults: readonly string[]) => {
    const openService = strangerIn({ variant: "B", choices: ["freeWorkers=one"], faults });
    const { findings } = await simulateGate({ seed: 1, openService, only: [promise] });
    return findingOf(findings, promise).verdict;
  };
  expect([await judge([]), await judge([fault])]).toEqual(["kept", "broken"]);
});

it("a worker that is not listed may be free, and hides no other one", async () => {
  const judge = async (faults: readonly string[]) => {
    const choices = ["listedWorkers=others", "freeWorkers=one"];
    const openService = strangerIn({ variant: "B", choices, faults });
    const { findings } = await simulateGate({ seed: 1, openService, only: [ID] });
    return findingOf(findings, ID).verdict;
  };
  const open = "credit-check-times-out-open";
  expect([await judge([]), await judge([open])]).toEqual(["kept", "broken"]);
});
