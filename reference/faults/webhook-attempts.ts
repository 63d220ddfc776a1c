/**
 * Faults of webhooks that show on some attempts only: of jobs of one end or worker, after one way
 * to fail, on a retry. What is never delivered is missing in a soak, too, and what is wrong in each
 * delivery is wrong there as well.
 */

import type { State } from "../../contract/states.ts";
import type { Attempt, Hooks, Outgoing, WebhookPost } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import { type Fields, fieldsIn, without } from "./answers.ts";
import { B_ONLY, chosenOneIn, type Fault, faultsOf, ofJobs, type Row } from "./fault.ts";
import { shifted, shownAs } from "./job-views.ts";

type Which = (attempt: Attempt) => boolean;

const of =
  (state: State) =>
  ({ job }: Pick<Attempt, "job">) =>
    job.state === state;
const answered =
  (...statuses: readonly number[]): Which =>
  ({ status }) =>
    statuses.includes(status);
const redirected: Which = ({ status }) => status >= 300 && status < 400;
const reset: Which = ({ cause }) => cause === "broken-off";
const silent: Which = ({ cause }) => cause === "no-answer";
const on =
  (...numbers: readonly number[]): Which =>
  ({ number }) =>
    numbers.includes(number);
const both =
  (...all: readonly Which[]): Which =>
  (attempt) =>
    all.every((each) => each(attempt));

const unretried = (which: Which) => (): Partial<Hooks> => ({
  retryWaitMs: (waitMs, attempt) => (which(attempt) ? null : waitMs),
});

const waiting = (waitMs: number, which: Which) => (): Partial<Hooks> => ({
  retryWaitMs: (healthy, attempt) => (healthy !== null && which(attempt) ? waitMs : healthy),
});

/** Also after the last attempt that is promised. */
const further = (waitMs: number, which: Which) => (): Partial<Hooks> => ({
  retryWaitMs: (healthy, attempt) => (which(attempt) ? waitMs : healthy),
});

const repeating = (waitMs: number, which: Which) => (): Partial<Hooks> => ({
  repeatMs: (healthy, attempt) => (which(attempt) ? waitMs : healthy),
});

type OutputKind = NonNullable<Job["performance"]>["outcome"]["kind"];

const puttingOut =
  (kind: OutputKind) =>
  ({ job }: Pick<Attempt, "job">) =>
    job.performance?.outcome.kind === kind;

const notOf = (kind: OutputKind, title: string): Row => [
  title,
  () => ({ webhook: (message, job) => (puttingOut(kind)({ job }) ? null : message) }),
  { companions: ["load.webhooks"] },
];

/** Bends what goes out as an attempt. */
const sending =
  (
    bend: (post: WebhookPost, outgoing: Outgoing) => WebhookPost,
    which: OutgoingTest = () => true,
  ) =>
  (): Partial<Hooks> => ({
    post: (post, outgoing) => (which(outgoing) ? bend(post, outgoing) : post),
  });
type OutgoingTest = (outgoing: Outgoing) => boolean;

const SIGNATURE = "X-Service-Signature";
const retry: OutgoingTest = ({ number }) => number > 1;

const unsigned = ({ headers, ...post }: WebhookPost): WebhookPost => ({
  ...post,
  headers: without(headers, SIGNATURE) as WebhookPost["headers"],
});

/** Rewrites the body and signs what goes out. */
const retold =
  (bend: (body: Fields, job: Job) => Fields) =>
  (post: WebhookPost, { job, signedHeaders }: Outgoing): WebhookPost => {
    const body = JSON.stringify(bend(JSON.parse(post.body), job));
    return { ...post, body, headers: { ...post.headers, ...signedHeaders(body) } };
  };
const saying = (bend: (body: Fields, job: Job) => Fields, which?: OutgoingTest) =>
  sending(retold(bend), which);

const headed = (name: string, value: (job: Job) => string) =>
  sending((post, { job }) => ({ ...post, headers: { ...post.headers, [name]: value(job) } }));

const result = (bend: (result: Fields, job: Job) => Fields): ReturnType<typeof saying> =>
  saying((body, job) => {
    const shown = fieldsIn(body, "result");
    return job.state === "completed" ? { ...body, result: bend(shown, job) } : body;
  });

const RETRY_FAULTS: readonly Fault[] = [
  ...faultsOf("webhook.retried", {
    "not-of-failed": ["Of a failed job nothing is retried", unretried(of("failed"))],
    "not-of-timeout": ["Of a job that timed out nothing is retried", unretried(of("timeout"))],
    "not-of-cancelled": ["Of a cancelled job nothing is retried", unretried(of("cancelled"))],
    "not-after-redirects": ["A redirection counts as taken", unretried(redirected)],
    "redirects-followed": [
      "A redirection is followed with a GET, whose 200 counts",
      unretried(({ namesPage }) => namesPage === true),
    ],
    "not-after-410": ["After a 410 nothing is sent any more", unretried(answered(410))],
    "not-after-429": ["A delivery that was answered 429 is dropped", unretried(answered(429))],
    "not-after-403": ["A delivery that was answered 403 is dropped", unretried(answered(403))],
    "not-after-5xx-of-gateways": [
      "A delivery that was answered 502 or 504 is dropped",
      unretried(answered(502, 504)),
    ],
    "not-after-400": ["A delivery that was answered 400 is dropped", unretried(answered(400))],
    "not-after-later-resets": [
      "A retry that was broken off is the last",
      unretried(both(reset, on(2, 3))),
    ],
    "not-after-second-404": [
      "The second attempt's 404 ends it",
      unretried(both(answered(404), on(2))),
    ],
    "no-third-retry-after-404": [
      "After a third 404 nothing comes",
      unretried(both(answered(404), on(3))),
    ],
  }),
  ...faultsOf("webhook.wait-1", {
    "1-s-after-404": ["1 s after a 404", waiting(1_000, both(answered(404), on(1)))],
    "15-s-of-failed": ["Of a failed job it is 15 s", waiting(15_000, both(of("failed"), on(1)))],
    "20-s-after-silence": ["After silence it is 20 s", waiting(20_000, both(silent, on(1)))],
    "9-s-after-redirects": [
      "After a redirection it is 9 s",
      waiting(9_000, both(redirected, on(1))),
    ],
    "12-s-of-lists": [
      "Of jobs that put out a list it is 12 s",
      waiting(12_000, both(puttingOut("list"), on(1))),
    ],
  }),
  ...faultsOf("webhook.wait-2", {
    "10-s-after-reset": ["It is 10 s after a reset", waiting(10_000, both(reset, on(2)))],
    "60-s-after-429": ["It is 60 s after a 429", waiting(60_000, both(answered(429), on(2)))],
    "45-s-of-timeout": ["Of timeouts it is 45 s", waiting(45_000, both(of("timeout"), on(2)))],
  }),
  ...faultsOf("webhook.wait-3", {
    "60-s-after-404": ["It is 60 s after a 404", waiting(60_000, both(answered(404), on(3)))],
    "100-s-of-failed": ["Of failed jobs it is 100 s", waiting(100_000, both(of("failed"), on(3)))],
  }),
  ...faultsOf("webhook.gives-up", {
    "fifth-after-reset": [
      "After a fourth attempt that was broken off a fifth comes",
      further(240_000, both(reset, on(4))),
    ],
    "fifth-after-340-s": [
      "After the fourth attempt a fifth comes 340 s later",
      further(340_000, on(4)),
    ],
    "fifth-of-failed": [
      "Of a failed job a fifth attempt comes after 300 s",
      further(300_000, both(of("failed"), on(4))),
    ],
  }),
  ...faultsOf("webhook.once", {
    "twice-of-failed": [
      "Of a failed job it comes twice",
      repeating(5_000, both(of("failed"), on(1))),
    ],
    "twice-of-cancelled": [
      "Of a cancelled job it comes twice",
      repeating(3_000, both(of("cancelled"), on(1))),
    ],
    "again-after-2-min": ["It comes again after 2 minutes", repeating(120_000, on(1))],
  }),
  ...faultsOf("webhook.recovers", {
    "goes-on-of-timeout": [
      "Of a job that timed out a retry that was answered 200 is not the last",
      repeating(
        30_000,
        both(of("timeout"), ({ number }) => number > 1 && number < 4),
      ),
    ],
  }),
  ...faultsOf("webhook.answer-time", {
    "retries-4-s": [
      "An answer to a retry counts within 4 s only",
      sending(({ limitMs, ...post }) => ({ ...post, limitMs: limitMs * 0.4 }), retry),
    ],
  }),
];

/** The same fields to whoever reads them: each character but those of a name as an escape. */
function escapedOtherwise(url: string): string {
  const [address = "", query] = url.split("?", 2);
  if (query === undefined) return url;
  const escapes = (text: string) =>
    decodeURIComponent(text).replace(/[^\w-]/g, (character) => encodeURIComponent(character));
  const fields = query.split("&").map((field) => field.split("=").map(escapes).join("="));
  return `${address}?${fields.join("&").replace(/%2c/gi, ",")}`;
}

const CONTENT_FAULTS: readonly Fault[] = [
  ...faultsOf("webhook.delivered", {
    "not-of-lists": notOf("list", "No webhook is sent for a job with a list as output"),
    "not-of-empty": notOf("empty", "No webhook is sent for a job with empty output"),
    "without-query": [
      "The query of a webhook's URL is dropped",
      sending((post) => ({ ...post, url: post.url.replace(/\?.*$/, "") })),
    ],
    "in-lower-case": [
      "A webhook's URL is written in lower case",
      sending((post) => ({ ...post, url: post.url.toLowerCase() })),
      { companions: ["load.webhooks"] },
    ],
    "near-query-escaped-otherwise": [
      "The query of a webhook's URL is escaped differently",
      sending((post) => ({ ...post, url: escapedOtherwise(post.url) })),
    ],
    "by-put": ["Deliveries are sent by PUT", sending((post) => ({ ...post, method: "PUT" }))],
    "retries-by-put": [
      "Retries are sent by PUT",
      sending((post) => ({ ...post, method: "PUT" }), retry),
    ],
  }),
  ...faultsOf("webhook.signed", {
    "not-of-failed": ["The signature is missing for failed jobs", sending(unsigned, of("failed"))],
    "not-on-retries": ["The signature is missing on retries", sending(unsigned, retry)],
    "of-another-body": [
      "The signature is that of the body with spaces",
      sending((post, { signedHeaders }) => {
        return { ...post, headers: signedHeaders(JSON.stringify(JSON.parse(post.body), null, 1)) };
      }),
    ],
    "of-the-first-body": [
      "Retries carry another body than the one that was signed",
      sending((post) => ({ ...post, body: `${post.body}\n` }), retry),
    ],
  }),
  ...faultsOf("webhook.truthful", {
    "failed-says-completed": [
      "The body of a failed job says that it completed",
      saying(shownAs("completed"), of("failed")),
    ],
    "retries-say-another-error": [
      "On retries a failed job has another error",
      saying(
        (body) => ({ ...body, error: { code: "GONE", message: "no longer known" } }),
        (outgoing) => retry(outgoing) && of("failed")(outgoing),
      ),
    ],
    "retries-say-another-event": [
      "Retries tell of another event",
      saying((body) => ({ ...body, event: "job.retried" }), retry),
    ],
    "header-says-completed": [
      "A header says job.completed of each job",
      headed("X-Service-Event", () => "job.completed"),
      { choices: { webhookEvents: "by-state" } },
    ],
    "says-running": [
      "Bodies of timed-out jobs still say that they run",
      saying(shownAs("running"), of("timeout")),
    ],
    "near-fired-anew": [
      "Each attempt is fired anew, with a number of its own, from another agent",
      sending((post, { number, signedHeaders }) => {
        const fired_at = shifted(JSON.parse(post.body).fired_at, number * 1_000);
        const body = JSON.stringify({ attempt: number, ...JSON.parse(post.body), fired_at });
        const agent = { "user-agent": `sender-${number}/2`, "x-service-event": "job" };
        return { ...post, body, headers: { ...signedHeaders(body), ...agent } };
      }),
    ],
  }),
  ...faultsOf("webhook.result", {
    "another-jobs": [
      "1 in 4 has the result of the job before",
      ofJobs(4, (chosen) => {
        let last: unknown = null;
        return {
          webhook(message, job) {
            if (message === null || job.state !== "completed") return message;
            const before = last;
            last = message.body.result;
            const isOther = JSON.stringify(before) !== JSON.stringify(last);
            if (!chosen(job) || before === null || !isOther) return message;
            return { ...message, body: { ...message.body, result: before } };
          },
        };
      }),
    ],
    empty: ["It is an empty object", result(() => ({}))],
    stale: [
      "It lacks what was added last",
      result((shown) => Object.fromEntries(Object.entries(shown).slice(1))),
    ],
    "first-item-only": [
      "Of a list it has the first item only",
      result((shown) =>
        Array.isArray(shown.items) ? { ...shown, items: shown.items.slice(0, 1) } : shown,
      ),
    ],
    "numbers-as-text": ["Its numbers are texts", result((shown) => asTexts(shown) as Fields)],
    "another-on-retries": [
      "Retries have a result that was cut",
      saying(
        (body) => ({ ...body, result: { cut: true } }),
        (outgoing) => retry(outgoing) && of("completed")(outgoing),
      ),
    ],
    "near-as-output": [
      "It is the output as it stands",
      saying((body) => ("output" in body ? { ...body, result: body.output } : body)),
      B_ONLY,
    ],
    "near-within": [
      "It stands within an object that says more",
      saying((body) => {
        const { kind, items, data } = fieldsIn(body, "output");
        return kind === "list"
          ? { ...body, result: { count: 3, items } }
          : { ...body, result: data };
      }, of("completed")),
      B_ONLY,
    ],
  }),
];

/** So rare that the many jobs of a soak are needed to meet them. */
const IN_SOAK = { seenWith: ["load.webhooks"] } as const;

const ofSome =
  (bend: (post: WebhookPost, outgoing: Outgoing) => WebhookPost): Fault["create"] =>
  ({ random }) => {
    const chosen = chosenOneIn(150, random);
    return { post: (post, outgoing) => (chosen(outgoing.job) ? bend(post, outgoing) : post) };
  };

const telling = (bend: (body: Fields) => Fields) => ofSome(retold(bend));

const RARE_FAULTS: readonly Fault[] = [
  ...faultsOf("webhook.signed", {
    "1-in-150": ["1 in 150 jobs' deliveries are not signed", ofSome(unsigned), IN_SOAK],
  }),
  ...faultsOf("webhook.truthful", {
    "1-in-150": [
      "1 in 150 jobs' deliveries tell of another job",
      telling((body) => {
        const id = `job_${"0".repeat(32)}`;
        return { ...body, job_uuid: id, ...("job_id" in body ? { job_id: id } : {}) };
      }),
      IN_SOAK,
    ],
  }),
  ...faultsOf("webhook.once", {
    "1-in-150": [
      "1 in 150 jobs' deliveries come again after 2 s",
      ofJobs(150, (chosen) => ({
        repeatMs: (healthy, { job, number }) => (number === 1 && chosen(job) ? 2_000 : healthy),
      })),
      IN_SOAK,
    ],
  }),
  ...faultsOf("webhook.result", {
    "1-in-150": [
      "1 in 150 jobs' deliveries have another result",
      telling((body) => (body.result ? { ...body, result: { other: true } } : body)),
      IN_SOAK,
    ],
  }),
];

function asTexts(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asTexts(each)]));
}

export const WEBHOOK_ATTEMPT_FAULTS: readonly Fault[] = [
  ...RETRY_FAULTS,
  ...CONTENT_FAULTS,
  ...RARE_FAULTS,
];
