/** Doubts that a broken promise explains name it, and its key where keys are judged apart. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";
import { drawnCases } from "../drawn-cases.ts";

const KEYS = ["pro-a", "free-a"];

const CASES: readonly [fault: string, doubt: PromiseId, by: PromiseId, keys: readonly string[]][] =
  [
    ["rate.limited/503", "rate.sustained", "rate.limited", KEYS],
    ["rate.limited/503", "rate.burst", "rate.limited", KEYS],
    ["rate.limited/503", "rate.all-endpoints", "rate.limited", KEYS],
    ["rate.limited/503", "rate.per-key", "rate.limited", KEYS.slice(0, 1)],
    [
      "rate.retry-after-not-excessive/12-s-too-long",
      "rate.retry-after-sufficient",
      "rate.retry-after-not-excessive",
      KEYS,
    ],
    ["webhook.retried/never", "webhook.wait-1", "webhook.retried", []],
    ["webhook.retried/never", "webhook.answer-time", "webhook.retried", []],
    ["webhook.once/twice", "webhook.answer-time", "webhook.once", []],
    ["webhook.signed/not-on-retries", "webhook.answer-time", "webhook.signed", []],
    ["webhook.signed/missing", "load.webhooks", "webhook.signed", []],
    ["load.no-losses/1-in-20", "load.accounting", "load.no-losses", []],
  ];

it.each(drawnCases("explained", CASES, 2))(
  "%s leaves %s in doubt, explained by %s of %j",
  async (fault, doubt, by, keys) => {
    const { findings } = await simulateGate({
      seed: 1,
      only: [doubt, by],
      service: { variant: "B", faults: [fault] },
      target: (target) =>
        keys.length === 0
          ? target
          : { ...target, keys: target.keys.filter(({ name }) => KEYS.includes(name)) },
    });
    const found = findingOf(findings, doubt);
    expect(found.verdict).toBe("inconclusive");
    const own = keys.length === 0 ? [{ promise: by }] : keys.map((key) => ({ promise: by, key }));
    expect(found.explainedBy).toEqual(expect.arrayContaining(own));
    const cause = findingOf(findings, by);
    expect(cause.verdict).toBe("broken");
    expect(cause.keys).toEqual(keys.length === 0 ? undefined : expect.arrayContaining([...keys]));
  },
);

it("a key that nothing is wrong with is not among those of a broken limit", async () => {
  const { findings } = await simulateGate({
    seed: 1,
    only: ["rate.sustained"],
    service: { variant: "B", faults: ["test/slow-key"] },
    otherFaults: [
      {
        name: "test/slow-key",
        promise: "rate.sustained",
        title: "one key is given half of its plan",
        nearMiss: false,
        create: () => ({
          limit: (limit, { name }) =>
            name === "free-a" ? { ...limit, sustained: limit.sustained / 2 } : limit,
        }),
      },
    ],
    target: (target) => ({
      ...target,
      keys: target.keys.filter(({ name }) => KEYS.includes(name)),
    }),
  });
  const found = findingOf(findings, "rate.sustained");
  expect(found).toMatchObject({ verdict: "broken", keys: ["free-a"] });
});
