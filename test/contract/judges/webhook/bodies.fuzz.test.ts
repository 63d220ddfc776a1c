/**
 * Whatever a delivery of a completed job says: it fits the interface, or breaks the promise of its
 * body, as an independent schema has it; and it changes no verdict on times and attempts. Spec §6.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { nestsTooDeep } from "../../../../contract/answers/nesting.ts";
import type { PromiseId } from "../../../../contract/promises.ts";
import { spoilt } from "../../../spoilt.ts";
import { mutated } from "../../decode/bodies.ts";
import { deliverySchema } from "../../decode/service-schema.ts";
import { caseOf, doubts, FIRST_AT, HEALTHY, runWith } from "./healthy-run.ts";

/** What bodies are read for. */
const OF_BODIES: readonly PromiseId[] = [
  "webhook.body",
  "webhook.truthful",
  "webhook.result",
  "webhook.not-before-terminal",
];

function withBody(text: (healthy: string) => string) {
  let said = "";
  const delivery = ({ body }: { body: string }) => {
    said = text(body);
    return { body: said };
  };
  const run = runWith({ first: () => [...HEALTHY.first(), caseOf("first", [0], { delivery })] });
  return { said, verdicts: new Map(Object.entries(doubts(run))) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What once was found so, or may be next: each is read in every run. */
const CORPUS = [
  "",
  "null",
  "[]",
  '""',
  '"{}"',
  "{",
  "1e999",
  '{"__proto__": {"event": "x"}}',
  '{"constructor": null, "toString": 1}',
  `${'{"result":'.repeat(3_000)}1${"}".repeat(3_000)}`,
  "\u0000\ud800",
  "<html>502</html>",
];

const HEALTHY_BODY = {
  event: "job.completed",
  job_uuid: "job",
  status: "completed",
  result: { text: "hello" },
  fired_at: new Date(FIRST_AT).toISOString(),
};

/** Those with which bodies are spoilt are of other years. */
function isOfThatDay(body: unknown): boolean {
  const { fired_at: firedAt } = deliverySchema.parse(body);
  return Math.abs(Date.parse(firedAt) - FIRST_AT) < 3_600_000;
}

const texts: fc.Arbitrary<(healthy: string) => string> = fc.oneof(
  spoilt(fc.constant(JSON.stringify(HEALTHY_BODY))).map((text) => () => text),
  mutated(fc.constant(HEALTHY_BODY)).map((value) => () => JSON.stringify(value) ?? ""),
  fc.json().map((text) => () => text),
  fc.string({ unit: "binary" }).map((text) => () => text),
  fc.constant((healthy: string) => healthy),
);

it("fits the interface, breaks the promise of the body alone, or nests too deep to be read", () => {
  const unseen = [...withBody((body) => body).verdicts.keys()];
  const counts = { fits: 0, breaks: 0 };
  const holds = fc.property(texts, (text) => {
    const { said, verdicts } = withBody(text);
    const body = parsed(said);
    const fits = deliverySchema.safeParse(body).success && isOfThatDay(body);
    counts[fits ? "fits" : "breaks"] += 1;
    expect(verdicts.get("webhook.body") ?? "kept").toBe(
      fits || nestsTooDeep(said) ? "kept" : "broken",
    );
    const others = [...verdicts.keys()].filter((id) => !OF_BODIES.includes(id as PromiseId));
    expect(others).toEqual(unseen);
  });
  const examples = CORPUS.map((text): [(healthy: string) => string] => [() => text]);
  fc.assert(holds, { seed: 20_261_126, numRuns: 400, examples });
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(20);
});
