/** Deliveries judged attempt by attempt: method, signature's time, result, and what differs. */

import { expect, it } from "vitest";
import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import { deliveryUrl, parseScript } from "../../../../contract/jobs/delivery.ts";
import { withJson } from "../answers.ts";
import type { CaseChange } from "./healthy-run.ts";
import { caseOf, FIRST_AT, HEALTHY, runWith, webhookFinding } from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

const among = (...cases: readonly ReturnType<typeof caseOf>[]) => ({
  first: () => [...HEALTHY.first(), ...cases],
});
const status = (code: number) => ({ kind: "status", status: code, delayMs: 0 }) as const;
const failing = (...codes: readonly number[]): CaseChange => ({
  script: [...codes, 200].map(status),
});
const changed = (change: Partial<Delivery>) => ({ delivery: () => change });
const AFAR = { isLocal: false };

table("webhook.delivered", [
  [
    "one comes by PUT",
    () => runWith(among(caseOf("first", [0], changed({ method: "PUT" })))),
    "broken",
    /1 of 22 jobs .*: job-\d+, attempt 1 at 20\S+ arrived by PUT, promised POST/,
  ],
]);

table("webhook.retried", [
  [
    "a redirection on the second attempt was not",
    () => runWith(among(caseOf("recovery", [0, 5_000], failing(404, 302)))),
    "broken",
    /^1 of 20 failed deliveries were not retried: no attempt came after status 302/,
  ],
  [
    "one last retry was not, on the way from elsewhere",
    () => {
      const lost = caseOf("recovery", [0, 5_000, 35_000], {
        ...failing(404, 302, 503),
        watchedUntilMs: FIRST_AT + 700_000,
      });
      return runWith(among(lost), AFAR);
    },
    "inconclusive",
    /be lost/,
  ],
]);

const after404 = () => caseOf("recovery", [0, 1_000], failing(404));

table("webhook.wait-1", [
  [
    "it is 1 s after a 410",
    () => runWith(among(caseOf("recovery", [0, 1_000], failing(410)))),
    "broken",
    /after status 410 job-\d+'s attempt 2 came 4000 to 4001 ms early/,
  ],
  [
    "it is 1 s after each 404, on the way from elsewhere",
    () => runWith({ ...among(after404(), after404()), "not-found": () => [] }, AFAR),
    "broken",
    /2 of 9 waits were 999 to 1000 ms/,
  ],
  [
    "after silence it counts from the start",
    () => runWith({ silent: () => [caseOf("silent", [0, 10_100])] }),
    "kept",
    /promised 5/,
  ],
  [
    "after silence it is 15 s from its end",
    () => runWith({ silent: () => [caseOf("silent", [0, 25_000])] }),
    "broken",
    /after no response .* late/,
  ],
]);

const signedAt = (ms: number) => changed({ signedAtMs: FIRST_AT + ms });

table("webhook.signed", [
  [
    "it is two minutes old",
    () => runWith(among(caseOf("first", [0], signedAt(-120_000)))),
    "kept",
    /valid/,
  ],
  [
    "it is ten minutes older than the job's end",
    () => runWith(among(caseOf("first", [0], signedAt(-600_000)))),
    "broken",
    /1 of 42 deliveries: it is signed as of another time/,
  ],
  [
    "it is an hour ahead",
    () => runWith(among(caseOf("first", [0], signedAt(3_600_000)))),
    "broken",
    /1 of 42 deliveries: it is signed as of another time/,
  ],
  [
    "the job tells an end that is an hour ahead",
    () => {
      const ahead = { ...signedAt(0), endedMs: 3_600_000 };
      return runWith(among(caseOf("first", [0], ahead)));
    },
    "kept",
    /valid/,
  ],
  [
    "the last retry has that of the first attempt",
    () => {
      const script = failing(500, 500, 500);
      const late = caseOf("recovery", [0, 5_000, 35_000, 335_000], { ...script, ...signedAt(0) });
      return runWith(among(late));
    },
    "kept",
    /valid/,
  ],
]);

const retriedWith = (body: CaseChange["body"]) =>
  runWith(among(caseOf("recovery", [0, 5_000], { ...failing(503), ...(body && { body }) })));

table("webhook.truthful", [
  [
    "a retry tells of another event",
    () =>
      retriedWith((healthy, attempt) => ({
        ...healthy,
        event: attempt > 1 ? "job.x" : healthy.event,
      })),
    "broken",
    /its event differs from the first attempt's/,
  ],
  [
    "a retry is fired anew",
    () =>
      retriedWith((healthy, attempt) => ({
        ...healthy,
        fired_at: `2026-01-01T00:00:0${attempt}Z`,
      })),
    "kept",
    /agree/,
  ],
  [
    "a retry says more of its times",
    () =>
      retriedWith((healthy, attempt) => ({
        ...healthy,
        timestamps: { submitted_at: "2026-01-01T00:00:00Z", ...(attempt > 1 && { sent: attempt }) },
      })),
    "kept",
    /agree/,
  ],
  [
    "each attempt tells when the job was touched last, and how often it was told",
    () =>
      retriedWith((healthy, attempt) => ({
        ...healthy,
        timestamps: { submitted_at: "2026-01-01T00:00:00Z", touched_at: `0${attempt}` },
        error: { code: "E", message: "it broke", told: attempt },
      })),
    "kept",
    /agree/,
  ],
  [
    "a retry tells of another end",
    () =>
      retriedWith((healthy, attempt) => ({
        ...healthy,
        timestamps: { finished_at: `2026-01-01T00:00:0${attempt}Z` },
      })),
    "broken",
    /its timestamps differs from the first attempt's/,
  ],
  [
    "a header names another end",
    () => runWith(among(caseOf("first", [0], changed({ headers: { "x-event": "job.failed" } })))),
    "broken",
    /its header x-event says job\.failed, its body says job\.completed/,
  ],
  [
    "a header names the kind of event only",
    () => runWith(among(caseOf("first", [0], changed({ headers: { "x-event": "job" } })))),
    "kept",
    /agree/,
  ],
]);

/** A delivery's result beside what the job endpoint shows, in variant B's words. */
function resultRun(result: unknown, output: object) {
  return besideRun({ result }, output);
}

function besideRun(told: object, output: object) {
  const each = beside(told, output);
  return () => runWith(among(each));
}

/** One job's delivery tells what the job endpoint shows of another. */
function swappedRun(result: { text: string }) {
  const [own, other] = [{ text: `${MARK.slice(0, -1)}0` }, result].map((data) => {
    return beside({ result }, { ...OBJECT, data });
  });
  return () => runWith({ first: () => [own, other].flatMap((each) => each ?? []) });
}

function beside(told: object, output: object) {
  const each = caseOf("first", [0], { body: (healthy) => ({ ...healthy, ...told }) });
  const job = {
    ...{ job_id: each.jobId, worker_id: "echo", status: "SUCCEEDED", output },
    timestamps: { submitted_at: "2026-01-01T00:00:00.000Z" },
  };
  const times = { sentAtMs: FIRST_AT + 30, receivedAtMs: FIRST_AT + 40 };
  return { ...each, looks: [withJson(200, job, times)] };
}

const DATA = { text: "hi", at: null };
const OBJECT = { kind: "object", data: DATA, items: [], meta: {} };
const LIST = { kind: "list", data: null, items: [{ n: 1 }, { n: 2 }], meta: { count: 2 } };
const EMPTY = { kind: "empty", data: null, items: [], meta: { ok: true } };
const MARK = "plumbline-0123456789abcdef";
const KEPT = /have the result/;
const OTHER = /its result differs from the job endpoint's \(job-\d+, attempt 1 at 20/;

table("webhook.result", [
  ["it is the data", resultRun(DATA, OBJECT), "kept", KEPT],
  ["it is the data without its nulls", resultRun({ text: "hi" }, OBJECT), "kept", KEPT],
  ["it is the output", resultRun(OBJECT, OBJECT), "kept", KEPT],
  ["it is the items", resultRun(LIST.items, LIST), "kept", KEPT],
  ["it holds the items", resultRun({ items: LIST.items, total: 2 }, LIST), "kept", KEPT],
  ["a list has none", resultRun({}, LIST), "kept", KEPT],
  [
    "it is the output with more meta",
    resultRun({ ...OBJECT, meta: { n: 1 } }, OBJECT),
    "kept",
    KEPT,
  ],
  [
    "it is another",
    resultRun({ text: "h\u0083" }, OBJECT),
    "broken",
    /the job endpoint's: text is "h\\u0083", there "hi" \(job-\d+, attempt 1 at 20/,
  ],
  ["it is that of another job", swappedRun({ text: MARK }), "broken", /result is that of job-\d+,/],
  ["it is a part", resultRun({ items: [{ n: 1 }] }, LIST), "broken", OTHER],
  ["it is empty", resultRun({}, OBJECT), "broken", OTHER],
  ["it tells more of an empty one", resultRun({ rows: 0 }, EMPTY), "kept", KEPT],
  [
    "it is empty but for a mark that the job shows",
    resultRun({ note: MARK }, { ...EMPTY, meta: { input: MARK } }),
    "kept",
    KEPT,
  ],
  [
    "it holds a mark where the job has no result",
    resultRun({ text: MARK }, EMPTY),
    "broken",
    /its result holds "plumbline-0123456789abcdef", and the job endpoint shows none/,
  ],
  [
    "it has an empty object where the job endpoint has null",
    besideRun({ result: {}, output: { ...EMPTY, data: {} } }, EMPTY),
    "kept",
    KEPT,
  ],
  [
    "its output has no data, and the job endpoint's has",
    besideRun({ result: DATA, output: { ...OBJECT, data: {} } }, OBJECT),
    "broken",
    /its output differs from the job endpoint's/,
  ],
  ["it is the output with other data", resultRun({ ...OBJECT, data: {} }, OBJECT), "broken", OTHER],
]);

it("names job, attempts, times and requests of what is broken", () => {
  const put = changed({ method: "PUT", headers: { "user-agent": "sender/1" } });
  const { evidence, observations } = webhookFinding(
    "webhook.delivered",
    runWith(among(caseOf("first", [0], put))),
  );
  expect(evidence.shown).toEqual([
    {
      job: expect.stringMatching(/^job-/),
      part: "success",
      end: "completed",
      attempts: ["1: 2023-11-14T22:13:21.012Z PUT, 200 after 1 ms"],
    },
  ]);
  expect(observations[0]?.request).toMatch(/^PUT webhook of job-\d+, attempt 1, 2023-/);
  expect(observations[0]?.requestBody).toMatch(/^user-agent: sender\/1\n\n\{"event"/);
});

it("tells an answer with a slow body in words", () => {
  const slow = { kind: "status", status: 500, delayMs: 0, bodyMs: 4_000 } as const;
  const put = changed({ method: "PUT", answer: slow });
  const { evidence, observations } = webhookFinding(
    "webhook.delivered",
    runWith(among(caseOf("first", [0], put))),
  );
  expect(JSON.stringify(evidence.shown)).toContain("PUT, 500 after 1 ms, its body 4000 ms later");
  expect(observations[0]?.answer).toBe("500, its body 4000 ms later");
});

it("writes a slow body into the script, and reads it", () => {
  const steps = [{ kind: "status", status: 500, delayMs: 0, bodyMs: 4_000 }] as const;
  const script = deliveryUrl("http://r", "t", steps).split("/").at(-1) ?? "";
  expect(script).toBe("500~4000");
  expect(parseScript(script)).toEqual(steps);
});
