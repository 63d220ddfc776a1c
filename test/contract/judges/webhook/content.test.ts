/** What deliveries say and who signed them, judged case by case. */

import type { Delivery, SignatureState } from "../../../../contract/jobs/delivery.ts";
import { T0, withJson } from "../answers.ts";
import type { CaseChange } from "./healthy-run.ts";
import { caseOf, FIRST_AT, HEALTHY, NO_CASES, runWith } from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

/** A healthy run with one job more. */
const plus = (change: CaseChange) => () =>
  runWith({ first: () => [...HEALTHY.first(), caseOf("first", [0], change)] });
const saying = (fields: Record<string, unknown>, change: CaseChange = {}) =>
  plus({ ...change, body: (healthy) => ({ ...healthy, ...fields }) });
const failed: CaseChange = { endSeen: "failed", part: "failure" };
/** Nobody asked for it once it had ended. */
const UNSEEN: CaseChange = { looks: [], endSeen: null };

const firedAfter = (ms: number, zone = "Z") =>
  new Date(FIRST_AT + ms).toISOString().replace("Z", zone);

/** The submission of a job, which the service dates so. */
function acceptedAt(createdMs: number) {
  const created_at = new Date(createdMs).toISOString();
  const body = { job_uuid: "job-1", status: "queued", worker: "echo", created_at };
  return withJson(202, body, { sentAtMs: T0 - 5, receivedAtMs: T0 + 5 });
}

/** Deliveries of jobs that end so long after their submission, and are dated by that. */
const firedAtSubmission = (endsMs: readonly number[]) => () => {
  const fired_at = new Date(T0 + 3).toISOString();
  const body = (healthy: Record<string, unknown>) => ({ ...healthy, fired_at });
  const first = () => endsMs.map((endedMs) => caseOf("first", [0], { endedMs, body }));
  return runWith({ ...NO_CASES, first });
};

const LIST = { kind: "list", data: null, items: ["hello"], meta: {} };
const AS_LIST: CaseChange = {
  looks: [withJson(200, { job_id: "job-1", worker_id: "echo", status: "SUCCEEDED", output: LIST })],
};

table("webhook.body", [
  ["every body has the documented fields", () => runWith(), "kept", /documented fields/],
  [
    "one has no event",
    saying({ event: undefined }),
    "broken",
    /1 of \d+ deliveries: event is not a string/,
  ],
  ["one has a number for a time", saying({ fired_at: 1_700_000_000 }), "broken", /fired_at/],
  ["one has a local time", saying({ fired_at: "2026-01-02T03:04:05+01:00" }), "broken", /fired_at/],
  ["one has its result as a text", saying({ result: "{}" }), "broken", /result is not an object/],
  ["one lacks an object", saying({ result: null }), "broken", /result is not an object/],
  [
    "one has no object, as its job gives a list",
    saying({ result: null }, AS_LIST),
    "kept",
    /docum/,
  ],
  [
    "one has its job's list as a text",
    saying({ result: '["hello"]' }, { ...AS_LIST, part: "list" }),
    "broken",
    /result is not an object/,
  ],
  [
    "one has its job's list, and its worker gives lists",
    saying({ result: ["hello"] }, { ...AS_LIST, part: "list" }),
    "kept",
    /documented/,
  ],
  ["one has its job's list", saying({ result: ["hello"] }, AS_LIST), "kept", /documented/],
  [
    "one of an unseen job lacks an object, which others of its part give",
    saying({ result: null }, UNSEEN),
    "broken",
    /1 of \d+ deliveries: result is not an object/,
  ],
  [
    "one of an unseen job lacks an object, as it was cancelled after all",
    saying({ result: null, status: "cancelled" }, UNSEEN),
    "kept",
    /documented/,
  ],
  [
    "one of an unseen job lacks most fields, and says that it was cancelled",
    plus({ ...UNSEEN, body: ({ job_uuid }) => ({ job_uuid, status: "CANCELED" }) }),
    "kept",
    /documented/,
  ],
  [
    "one of an unseen job lacks most fields, and does not say how it ended",
    plus({ ...UNSEEN, body: ({ job_uuid }) => ({ job_uuid, status: "aborted" }) }),
    "kept",
    /documented/,
  ],
  [
    "one of an unseen job lacks most fields, and says that it was completed",
    plus({ ...UNSEEN, body: ({ job_uuid }) => ({ job_uuid, status: "completed" }) }),
    "broken",
    /1 of \d+ deliveries: event is not a string/,
  ],
  [
    "one lacks most fields, whose job was seen completed before it came",
    plus({ looks: [], body: ({ job_uuid }) => ({ job_uuid, status: "cancelled" }) }),
    "broken",
    /1 of \d+ deliveries: event is not a string/,
  ],
  [
    "one of an unseen job lacks an object, and no other of its part was seen",
    () => {
      const body = (healthy: object) => ({ ...healthy, result: null });
      return runWith({ ...NO_CASES, first: () => [caseOf("first", [0], { ...UNSEEN, body })] });
    },
    "kept",
    /documented/,
  ],
  ["one is a list", plus({ body: () => [] }), "broken", /not a JSON object/],
  ["there are further fields", saying({ attempt: 1, source: null }), "kept", /documented/],
  ["UTC is spelt +00:00", saying({ fired_at: firedAfter(0, "+00:00") }), "kept", /documented/],
  [
    "one was fired an hour after it came",
    saying({ fired_at: firedAfter(3_600_000) }),
    "broken",
    /1 of \d+ deliveries: fired_at \(.*\) is 3600 s after the arrival/,
  ],
  [
    "one was fired at the beginning of all times",
    saying({ fired_at: "0001-01-01T00:00:00Z" }),
    "broken",
    /fired_at \(0001-01-01T00:00:00Z\) is \d+ s before the submission/,
  ],
  [
    "one was fired as others were minutes before its submission",
    saying({ fired_at: firedAfter(-300_000) }),
    "broken",
    /fired_at \(.*\) is 299 s before the submission/,
  ],
  [
    "one was fired half a minute later, as a clock may be off",
    saying({ fired_at: firedAfter(30_000) }),
    "kept",
    /documented/,
  ],
  [
    "one was fired an hour later by a clock that is an hour ahead",
    saying({ fired_at: firedAfter(3_600_000) }, { submission: acceptedAt(T0 + 3_600_000) }),
    "kept",
    /documented/,
  ],
  [
    "each was fired when its job was submitted",
    firedAtSubmission([1_000, 1_000, 1_000]),
    "broken",
    /3 of 3 deliveries: fired_at is when the job was submitted or started/,
  ],
  [
    "each of two was fired when its job was submitted",
    firedAtSubmission([1_000, 1_000]),
    "kept",
    /documented/,
  ],
  [
    "each was fired when its job was submitted, and had ended",
    firedAtSubmission([40, 40, 40]),
    "kept",
    /documented/,
  ],
  [
    "a failed job has no result",
    saying({ result: null, event: "x" }, failed),
    "kept",
    /documented/,
  ],
  [
    "only failed jobs were delivered",
    () => runWith({ ...NO_CASES, first: () => [caseOf("first", [0], failed)] }),
    "unobserved",
    /no completed job/,
  ],
  [
    "no body could be read whole",
    () => {
      const delivery = () => ({ truncated: true, body: "packed" });
      return runWith({ ...NO_CASES, first: () => [caseOf("first", [0], { delivery })] });
    },
    "unobserved",
    /could be read whole/,
  ],
]);

/** Its end was seen long before its webhook came. */
function afterPolls(fields: object) {
  const each = caseOf("first", [0], { body: (healthy) => ({ ...healthy, ...fields }) });
  return { ...each, looks: [], endPoll: each.looks[0] ?? null };
}

/** The first attempt tells of an end at 123 ms past the second. */
function retold(completedAt: string) {
  return caseOf("recovery", [0, 5_002], {
    body: (healthy, attempt) => ({
      ...healthy,
      completed_at: attempt === 1 ? "2026-01-02T03:04:05.123Z" : completedAt,
    }),
  });
}

const otherJob = { job_uuid: "job-of-somebody", job_id: "job-of-somebody" };

/** The job endpoint tells such an end and cost. */
const costing = (credits: number, status = "completed"): CaseChange => ({
  looks: [withJson(200, { job_uuid: "job-1", status, worker: "echo", cost_credits: credits })],
});

const FILE = {
  ...{ id: "f-1", name: "a.txt", content_type: "text/plain", size_bytes: 1 },
  url: "https://storage.test/f-1",
};
/** The job endpoint shows so many files. */
const filed = (count: number): CaseChange => {
  const files = Array<typeof FILE>(count).fill(FILE);
  const job = { job_id: "job-1", worker_id: "echo", status: "SUCCEEDED", output: LIST, files };
  return { looks: [withJson(200, job)] };
};

table("webhook.truthful", [
  ["one tells the cost", saying({ cost_credits: 0.3 }, costing(0.3)), "kept", /agree/],
  [
    "one tells another cost",
    saying({ cost_credits: 0.6 }, costing(0.3)),
    "broken",
    /its cost is 0.6 credits, the job endpoint says 0.3/,
  ],
  [
    "one rounds the cost up and the job to the nearest",
    saying({ cost_credits: 0.38 }, costing(0.37)),
    "broken",
    /its cost is 0.38 credits, the job endpoint says 0.37/,
  ],
  ["one rounds the cost up", saying({ cost_credits: 0.37 }, costing(0.361)), "kept", /agree/],
  ["one rounds the cost", saying({ cost_credits: 0.4 }, costing(0.367)), "kept", /agree/],
  ["one tells no files", saying({ files: [] }, filed(2)), "broken", /no files, .* shows 2/],
  ["one tells no files of a job without any", saying({ files: [] }, filed(0)), "kept", /agree/],
  ["one was sent before the charge", saying({ cost_credits: 0 }, costing(0.3)), "kept", /agree/],
  [
    "one tells a cost of a timeout",
    saying({ cost_credits: 0.3, status: "timeout", event: "job.timeout" }, costing(0, "timeout")),
    "broken",
    /its cost is 0.3 credits, the job endpoint says 0/,
  ],
  ["identifier and status agree", () => runWith(), "kept", /agree with the job endpoint/],
  ["one names another job", saying(otherJob), "broken", /names job-of-somebody, expected job-/],
  [
    "one has the job object of another job",
    saying({ job_id: "job-of-somebody" }, AS_LIST),
    "broken",
    /its job_id is job-of-somebody, expected job-/,
  ],
  [
    "one has a job_id of its own, which variant A has not",
    saying({ job_id: "internal-7" }),
    "kept",
    /agree/,
  ],
  ["one says failed of a completed job", saying({ status: "failed" }), "broken", /says failed/],
  ["one spells the status in the other variant", saying({ status: "SUCCEEDED" }), "kept", /agree/],
  [
    "one has a status in another case",
    saying({ status: "COMPLETED" }),
    "broken",
    /says COMPLETED, which is no status, the job endpoint says completed/,
  ],
  [
    "one of a failed job has a status of its own",
    saying({ status: "errored", event: "job.errored" }, failed),
    "kept",
    /agree/,
  ],
  ["one has no status, which is another promise's", saying({ status: "" }), "kept", /agree/],
  ["one names the job by job_id", saying({ job_uuid: undefined }), "kept", /agree/],
  [
    "no job was seen in its end",
    () => runWith({ ...NO_CASES, first: () => [caseOf("first", [0], { looks: [] })] }),
    "inconclusive",
    /could not be polled after its end/,
  ],
  [
    "a webhook came after all polls of its job",
    () => runWith({ ...NO_CASES, first: () => [afterPolls({})] }),
    "kept",
    /^1 deliveries agree/,
  ],
  [
    "one that came after all polls says failed of a completed job",
    () => runWith({ ...NO_CASES, first: () => [afterPolls({ status: "failed" })] }),
    "broken",
    /says failed/,
  ],
  [
    "a retry tells its times more finely",
    () => runWith({ ...NO_CASES, recovery: () => [retold("2026-01-02T03:04:05.123456Z")] }),
    "kept",
    /agree/,
  ],
  [
    "a retry tells another time",
    () => runWith({ ...NO_CASES, recovery: () => [retold("2026-01-02T03:04:05.124Z")] }),
    "broken",
    /its completed_at differs from the first attempt's/,
  ],
  [
    "no body was JSON",
    () => {
      const delivery = () => ({ body: "<html>" });
      return runWith({ ...NO_CASES, first: () => [caseOf("first", [0], { delivery })] });
    },
    "unobserved",
    /JSON body/,
  ],
]);

const signed = (signature: SignatureState) => plus({ delivery: () => ({ signature }) });
const cut = { delivery: () => ({ truncated: true, signature: "present" as const }) };

/** Without the neutral name, and with another one that may be the service's own. */
const unnamed = { signature: "absent", unnamedSignature: "x-acme-signature" } as const;
/** All of a run without signatures under the neutral name, and one more delivery. */
const allUnnamed = (last: Partial<Delivery>) => {
  const named = (part: Partial<Delivery>) => ({ delivery: () => part });
  const cases = [caseOf("first", [0], named(unnamed)), caseOf("first", [0], named(last))];
  return runWith({ ...NO_CASES, first: () => cases });
};

table("webhook.signed", [
  ["every signature fits", () => runWith(), "kept", /valid by hmac-sha256/],
  ["one is missing", signed("absent"), "broken", /^1 of 42 deliveries: no signature/],
  ["one does not fit", signed("invalid"), "broken", /^1 of 42 deliveries: invalid signature/],
  [
    "one does not fit what came of the body",
    plus({ delivery: () => ({ signature: "invalid", body: '{"result":"Zürich' }) }),
    "broken",
    /^1 of 42 deliveries: invalid signature of a body of \d+ bytes that is no JSON/,
  ],
  ["one can only be seen to be there", signed("present"), "kept", /signature, not checked/],
  ["a body was cut, so that its signature can't be checked", plus(cut), "kept", /valid/],
  ["nothing was delivered", () => runWith(NO_CASES), "unobserved", /nothing was delivered/],
  [
    "each has a header that may be the signature's, under a name that nobody told",
    () => allUnnamed(unnamed),
    "unobserved",
    /no X-Service-Signature.*; it may be "x-acme-signature": set webhook.signature.header/,
  ],
  [
    "one has no such header, either",
    () => allUnnamed({ signature: "absent" }),
    "broken",
    /^no signature \(/,
  ],
  [
    "one has it under the neutral name, and another one not",
    () => allUnnamed({ signature: "present" }),
    "broken",
    /^1 of 2 deliveries: no signature/,
  ],
]);
