/**
 * A worker may take no long texts, though its schema does not say so, or quote no more than a part
 * of them: the suite tries some, and neither blames a service for what becomes of them, nor offers
 * them as part of a load.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";
import { drawnCases } from "../drawn-cases.ts";

const CHARS_MAX = 1_000;
const REFUSES = "It refuses long texts";
const FAILS = "Jobs with long texts fail";
const QUOTES = "Results quote 1,000 characters of a long text";

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
  [QUOTES]: () => ({
    ending(state, job) {
      const data = { text: [...String(job.input.text)].slice(0, CHARS_MAX).join("") };
      const { error, meta } = job.worker.perform(job.input);
      if (error !== null) return state;
      job.performance = { outcome: { kind: "object", data }, meta, files: [], error };
      return state;
    },
  }),
};

const CASES = [
  [REFUSES, "A", "kept"],
  [REFUSES, "B", "kept"],
  [FAILS, "A", "kept"],
  [FAILS, "B", "kept"],
  [QUOTES, "A", "inconclusive"],
  [QUOTES, "B", "inconclusive"],
] as const;

it.each(drawnCases("texts", CASES, 2))(
  "%s: variant %s, nothing is broken",
  async (title, variant, verdict) => {
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
    expect(findings.filter((each) => each.verdict === "broken")).toEqual([]);
    expect(findingOf(findings, "job.own-result").verdict).toBe(verdict);
  },
);
