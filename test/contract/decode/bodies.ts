/** Generators of lawful bodies of the service, and of bodies with one thing changed. */

import fc from "fast-check";
import { A_STATUSES, B_STATUSES } from "./service-schema.ts";

const text = fc.string({ minLength: 1, maxLength: 12 });
const amount = fc.double({ min: 0, max: 1_000, noNaN: true });
const whole = fc.nat({ max: 10_000_000 });
const nothing = fc.constantFrom<unknown>(null, undefined, "", {}, []);
const utc = fc
  .tuple(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }), fc.boolean())
  .map(([date, zulu]) => (zulu ? date.toISOString() : date.toISOString().replace("Z", "+00:00")));
const utcAny = fc.oneof(
  utc,
  utc.map((each) => each.replace(/\.\d+/, "")),
  utc.map((each) => each.replace(/(\.\d+)/, "$1456")),
);
const record = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

function due(isDue: boolean, values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return isDue ? values : fc.oneof(nothing, values);
}

function object(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc.record({ ...members, [`extra_${Object.keys(members).length}`]: nothing });
}

const errorObject = object({ code: text, message: fc.string() });

const file = object({
  id: text.map((each) => `f${each}`),
  name: text.map((each) => `n${each}`),
  content_type: fc.constantFrom("image/png", "text/plain; charset=utf-8"),
  size_bytes: whole,
  url: fc.constantFrom("https://storage.example.com/a?b=c", "http://127.0.0.1:80/a"),
});

const meta = fc.oneof(record, fc.constantFrom(null, undefined));
const output = fc.oneof(
  object({ kind: fc.constant("object"), data: record, items: nothingListed(), meta }),
  object({
    kind: fc.constant("list"),
    data: fc.constantFrom(null, undefined),
    items: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
    meta,
  }),
  object({
    kind: fc.constant("empty"),
    data: fc.constantFrom(null, {}),
    items: nothingListed(),
    meta,
  }),
);

function nothingListed(): fc.Arbitrary<unknown> {
  return fc.constantFrom<unknown>([], undefined);
}

function jobA(status: string): fc.Arbitrary<unknown> {
  const completed = status === "completed";
  const ran = completed || status === "timeout";
  return object({
    job_uuid: text,
    status: fc.constant(status),
    worker: text,
    cost_credits: due(completed, amount),
    duration_ms: due(ran, whole),
    created_at: utcAny,
    completed_at: due(completed, utcAny),
    result: completed ? record : fc.oneof(nothing, record),
    error: status === "failed" ? errorObject : nothing,
  });
}

function jobB(status: string): fc.Arbitrary<unknown> {
  const completed = status === "SUCCEEDED";
  const ran = completed || status === "TIMED_OUT";
  const begun = { submitted_at: utc, started_at: utc, finished_at: utc, duration_ms: whole };
  const times = {
    submitted_at: utc,
    started_at: due(ran, utc),
    finished_at: due(ran, utc),
    duration_ms: due(ran, whole),
  };
  const unstarted = { ...times, started_at: nothing, finished_at: utc };
  return object({
    job_id: text,
    worker_id: text,
    status: fc.constant(status),
    timestamps: status === "FAILED" ? fc.oneof(object(unstarted), object(begun)) : object(times),
    output: completed ? output : fc.oneof(nothing, output),
    files: due(completed, fc.array(file, { maxLength: 2 })),
    cost: due(
      completed,
      object({ total_usd: amount, run_usd: amount, infra_usd: amount, billing_mode: text }),
    ),
    error: status === "FAILED" ? errorObject : nothing,
  });
}

export const job = fc.oneof(...A_STATUSES.map(jobA), ...B_STATUSES.map(jobB));

export const accepted = fc.oneof(
  object({
    job_uuid: text,
    status: fc.constant("queued"),
    worker: text,
    cost_estimate_credits: fc.oneof(amount, fc.constantFrom(null, undefined)),
    created_at: utcAny,
  }),
  object({ job_uuid: text, worker_id: text, status: fc.constant("QUEUED"), submitted_at: utc }),
);

export const workerList = object({
  workers: fc.array(
    object({
      worker_id: text,
      name: text,
      price_per_run_usd: amount,
      billing_mode: fc.constantFrom("per_run", "per_event"),
      short_description: fc.oneof(fc.string(), fc.constant(null)),
      category: fc.oneof(fc.string(), fc.constant(null)),
      tags: fc.oneof(fc.array(fc.string(), { maxLength: 2 }), fc.constant(null)),
    }),
    { maxLength: 3 },
  ),
});

const limits = [{ timeout_seconds: fc.nat().map((n) => n + 1) }, { max_duration: fc.constant(60) }];

export const worker = fc.oneof(
  ...limits.map((limit) =>
    object({
      worker_id: text,
      name: text,
      status: fc.constantFrom("ACTIVE", "PAUSED"),
      billing_mode: text,
      ...limit,
      input_schema: record,
      output_schema: fc.oneof(record, fc.constantFrom(null, undefined)),
      readme_content: fc.oneof(fc.string(), fc.constantFrom(null, undefined)),
    }),
  ),
);

export const authError = object({ error: text, message: fc.string(), status: fc.constant(401) });

/** What stands in place of a value; ordinary values of other members are among it. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, "", {}, [], 0, -1, 1.5, 401, true, "401", "empty"),
  fc.constantFrom<unknown>("list", "object", "per_run", { a: 1 }, [1], [{}], "text", Infinity, NaN),
  fc.constantFrom(...A_STATUSES, ...B_STATUSES, "Queued", "DONE"),
  fc.constantFrom("2026-02-29T00:00:00Z", "2024-02-29T23:59:59.999Z", "2024-02-29T23:59:60Z"),
  fc.constantFrom("2026-01-01T00:00:00.12Z", "2026-01-01T00:00:00.123+01:00", "2026-01-01"),
  fc.constantFrom("2026-13-01T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01 00:00:00Z"),
  fc.anything({ maxDepth: 2 }),
);

/** A lawful body with the value at one place replaced, or with a place more. */
export function mutated(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(body, fc.nat(), junk)
    .map(([value, pick, other]) => replaceAt(value, pick % countPlaces(value), other));
}

function countPlaces(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, each) => sum + countPlaces(each), 0);
}

/** Places are counted depth first; 0 is the value itself. */
function replaceAt(value: unknown, place: number, other: unknown): unknown {
  if (place === 0 || typeof value !== "object" || value === null) return other;
  let rest = place - 1;
  const entries = Object.entries(value).map(([name, each]) => {
    const size = countPlaces(each);
    const here = rest >= 0 && rest < size;
    const result = [name, here ? replaceAt(each, rest, other) : each] as const;
    rest -= size;
    return result;
  });
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
