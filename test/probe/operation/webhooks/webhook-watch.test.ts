/** What a run keeps of its deliveries. */

import { expect, it } from "vitest";
import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import { newRun } from "../../../../probe/operation/runs/run.ts";
import { listenFor } from "../../../../probe/operation/webhooks/webhook-watch.ts";
import { covers } from "../../../../tools/robustness/covers.ts";
import { arrived } from "../../../receiver/arrived.ts";

const RUN = {
  runId: "run-1",
  canary: "main",
  workerId: "echo",
  expected: "completed",
  deadlineMs: 60_000,
  token: "probe-1",
  mark: null,
  intendedAtMs: 0,
} as const;

const CANARY = {
  name: "main",
  part: "success",
  workerId: "echo",
  input: {},
  marker: null,
  everyMs: 60_000,
  jitterShare: 0,
  deadlineMs: 60_000,
  webhook: true,
  expected: "completed",
  overlapMax: 3,
} as const;

function delivery(attempt: number): Delivery {
  const body = JSON.stringify({ event: "job.completed", job_uuid: "job_1", status: "completed" });
  return arrived({ token: RUN.token, attempt, arrivedAtMs: attempt, body });
}

/** A desk that hands over what the test delivers. */
function deskInHand() {
  let listener = (_: Delivery) => {};
  const watch = (_: string, onDelivery: (delivery: Delivery) => void) => {
    listener = onDelivery;
    return () => {};
  };
  return { desk: { watch }, deliver: (delivery: Delivery) => listener(delivery) };
}

/** Hears of deliveries where signatures are checked. */
function listening() {
  const run = newRun(RUN, CANARY);
  const { desk, deliver } = deskInHand();
  const webhook = {
    ...{ listen: { host: "127.0.0.1", port: 0 }, publicUrl: null },
    signature: { header: "x-signature", scheme: "hmac-sha256", secretEnvs: ["SECRET"] },
  } as const;
  listenFor({ target: { webhook }, desk, journal: { note: async () => {} } }, run);
  return { run, deliver };
}

it("a cut delivery, not to be checked, is neither its webhook nor a forged one", () => {
  const { run, deliver } = listening();
  deliver({ ...delivery(1), truncated: true });
  expect([run.deliveriesCame, run.deliveries, run.unsigned, run.isCut]).toEqual([
    0,
    [],
    null,
    true,
  ]);
  deliver({ ...delivery(2), signature: "valid" });
  expect(run.deliveriesCame).toBe(1);
});

it("a delivery that its own sender broke off is none, and leaves nothing in doubt", () => {
  const { run, deliver } = listening();
  deliver({ ...delivery(1), truncated: true, answeredAtMs: null, hungUpAtMs: 2 });
  expect([run.deliveriesCame, run.unsigned, run.isCut]).toEqual([0, null, false]);
});

it("a cut delivery without a signature is a forged one", () => {
  const { run, deliver } = listening();
  const forged = { ...delivery(1), truncated: true, signature: "absent" } as const;
  deliver(forged);
  expect([run.deliveriesCame, run.unsigned, run.isCut]).toEqual([0, forged, false]);
});

it("a delivery over the cap whose signature fits is its webhook", () => {
  const { run, deliver } = listening();
  deliver({ ...delivery(1), truncated: true, signature: "valid" });
  expect([run.deliveriesCame, run.isCut]).toEqual([1, false]);
});

it(
  covers(
    "of deliveries without end all are counted, and few are kept, in memory or on disk",
    "44 probe",
  ),
  () => {
    const run = newRun(RUN, CANARY);
    const { desk, deliver } = deskInHand();
    let noted = 0;
    const note = async () => {
      noted += 1;
    };
    listenFor({ target: { webhook: null }, desk, journal: { note } }, run);
    for (let attempt = 1; attempt <= 1_000; attempt += 1) deliver(delivery(attempt));
    expect([run.deliveriesCame, run.deliveries.length, noted]).toEqual([1_000, 16, 16]);
    expect(run.deliveries[0]?.attempt).toBe(1);
  },
);
