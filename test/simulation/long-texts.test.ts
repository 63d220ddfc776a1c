/**
 * A worker may take no long texts, though its schema does not say so: the suite tries some, and
 * neither blames a service for what becomes of them, nor offers them as part of a load.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

const CHARS_MAX = 1_000;
const REFUSES = "It refuses long texts";
const FAILS = "Jobs with long texts fail";

const CREATED: Readonly<Record<string, Fault["create"]>> = {
  [REFUSES]: () => ({
    bodyProblem: (problem, _worker, { body }) =>
      problem ?? (body.length > CHARS_MAX ? "schema-violation" : null),
  }),
  [FAILS]: () => ({
    ending(state, job) {
      if (JSON.stringify(job.input).length <= CHARS_MAX) return state;
      const error = { code: "too_long", message: "the text is too long" };
      job.performance = { outcome: { kind: "empty" }, meta: {}, files: [], error };
      return "failed";
    },
  }),
};

it.each([
  [REFUSES, "A"],
  [REFUSES, "B"],
  [FAILS, "A"],
  [FAILS, "B"],
] as const)("%s: variant %s, nothing is broken", async (title, variant) => {
  const create = CREATED[title] ?? (() => ({}));
  const fault: Fault = {
    name: "job.own-result/here",
    promise: "job.own-result",
    title,
    nearMiss: true,
    create,
  };
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    service: { variant, faults: [fault.name] },
    otherFaults: [fault],
  });
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(findings.find(({ promise }) => promise === "job.own-result")?.verdict).toBe("kept");
});
