/**
 * The specification names no time by which a job stands in the list: an index may lag behind by
 * some 10 s. A list that lacks jobs for longer than half a minute keeps them back.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { promisesWith } from "../contract/findings.ts";

const LISTED_MAX = 100;
const NAME = "job.list-own/late";

/** The list shows the latest of the jobs that are so old. */
function listedAfter(seconds: number): Fault {
  return {
    name: NAME,
    promise: "job.list-own",
    title: `A job is listed ${seconds} s after it was accepted`,
    nearMiss: seconds < 30,
    create: ({ clock }) => ({
      listed: (_, recent) =>
        recent
          .filter(({ submittedAtMs }) => clock.nowMs() - submittedAtMs > seconds * 1_000)
          .slice(-LISTED_MAX)
          .reverse(),
    }),
  };
}

it.each([
  ["A", 12, []],
  ["B", 28, []],
  ["A", 40, ["job.list-own"]],
  ["B", 40, ["job.list-own"]],
] as const)("variant %s, a list that lags by %i s breaks %j", async (variant, seconds, broken) => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: ["job.list-own", "job.list-limit", "load.no-losses"],
    service: { variant, faults: [NAME] },
    otherFaults: [listedAfter(seconds)],
  });
  expect(promisesWith(findings, "broken")).toEqual(broken);
});

it("without a load, jobs that take two places are seen in lists of earlier steps", async () => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: ["job.list-own", "job.list-limit", "job.error-only-on-failure"],
    service: { variant: "B", faults: ["job.list-limit/failed-twice"] },
  });
  expect(promisesWith(findings, "broken")).toEqual(["job.list-limit"]);
});
