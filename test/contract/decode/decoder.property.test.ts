/** The decoders against an independent zod schema: both accept a body, or both refuse it. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { decodeAccepted } from "../../../contract/decode/accepted.ts";
import { decodeAuthError } from "../../../contract/decode/auth-error.ts";
import { decodeJob } from "../../../contract/decode/job.ts";
import { decodeWorker, decodeWorkerList } from "../../../contract/decode/worker.ts";
import { parseStatus } from "../../../contract/states.ts";
import * as bodies from "./bodies.ts";
import * as schemas from "./service-schema.ts";

/** Ours: enough to reach each member of each shape many times, in a few seconds. */
const RUNS = { seed: 20_260_102, numRuns: 3_000 };

/** The status text is judged apart from the decoding, by job.known-states. */
function acceptsJob(body: unknown): boolean {
  const { value, variant, problems } = decodeJob(body);
  if (value === null || value.statusText === null || problems.length > 0) return false;
  return parseStatus(value.statusText)?.variant === variant;
}

interface Pair {
  name: string;
  lawful: fc.Arbitrary<unknown>;
  schema: z.ZodType;
  accepts: (body: unknown) => boolean;
}

const PAIRS: readonly Pair[] = [
  { name: "jobs", lawful: bodies.job, schema: schemas.jobSchema, accepts: acceptsJob },
  {
    name: "accepted objects",
    lawful: bodies.accepted,
    schema: schemas.acceptedSchema,
    accepts: (body) => decodeAccepted(body).problems.length === 0,
  },
  {
    name: "worker lists",
    lawful: bodies.workerList,
    schema: schemas.workerListSchema,
    accepts: (body) => decodeWorkerList(body).problems.length === 0,
  },
  {
    name: "workers",
    lawful: bodies.worker,
    schema: schemas.workerSchema,
    accepts: (body) => decodeWorker(body).problems.length === 0,
  },
  {
    name: "bodies of a 401",
    lawful: bodies.authError,
    schema: schemas.authErrorSchema,
    accepts: (body) => decodeAuthError(body).problems.length === 0,
  },
];

describe.each(PAIRS)("$name", ({ lawful, schema, accepts }) => {
  it("are accepted by both when they are lawful", () => {
    fc.assert(
      fc.property(lawful, (body) => {
        expect([accepts(body), schema.safeParse(body).success]).toEqual([true, true]);
      }),
      RUNS,
    );
  });

  it("are accepted or refused by both when one thing is changed", () => {
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(bodies.mutated(lawful), (body) => {
        const agreed = schema.safeParse(body).success;
        verdicts[agreed ? "accepted" : "refused"] += 1;
        expect(accepts(body)).toBe(agreed);
      }),
      RUNS,
    );
    expect(verdicts.accepted).toBeGreaterThan(RUNS.numRuns / 50);
    expect(verdicts.refused).toBeGreaterThan(RUNS.numRuns / 10);
  });
});

describe("whatever the body", () => {
  const decoders = [decodeJob, decodeAccepted, decodeWorker, decodeWorkerList, decodeAuthError];

  it("no decoder throws, and each problem is a short text", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 4 }), (body) => {
        for (const decode of decoders) {
          for (const { got } of decode(body).problems) expect(got.length).toBeLessThanOrEqual(80);
        }
      }),
      RUNS,
    );
  });

  it("deep nesting and odd names do no harm", () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
    const odd = JSON.parse(
      '{"__proto__": {"job_uuid": "x"}, "constructor": 1, "status": "running", "worker": "w"}',
    ) as unknown;
    for (const decode of decoders) {
      expect(decode({ job_uuid: deep, result: deep, workers: [deep] }).problems).not.toEqual([]);
      expect(decode(odd).problems).not.toEqual([]);
    }
    expect(decodeJob(odd).value?.id).toBeNull();
  });
});
