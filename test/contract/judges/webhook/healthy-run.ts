/** A watched run of a healthy service in real time, as a table of arrivals; tests change one. */

import type { AnswerStep, Delivery } from "../../../../contract/jobs/delivery.ts";
import type {
  CaseKind,
  WebhookCase,
  WebhookRun,
} from "../../../../contract/judges/webhook/case.ts";
import { judgeWebhooks } from "../../../../contract/judges/webhook/index.ts";
import type { PromiseId } from "../../../../contract/promises.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { EndState } from "../../../../contract/states.ts";
import type { Finding, Verdict } from "../../../../contract/verdict.ts";
import { arrived } from "../../../receiver/arrived.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { findingOf } from "../../findings.ts";
import { T0, withJson } from "../answers.ts";

/** A job ends that long after its submission, and its webhook arrives that long after its end. */
const RUN_MS = 1_000;
const LAG_MS = 12;
/** Not at the full second, whose zeros may be all that a store keeps. */
const CREATED_AT = T0 + 3;
export const FIRST_AT = T0 + RUN_MS + LAG_MS;
/** Long enough for everything: the retry schedule, and the silence after it. */
const WATCHED_MS = 650_000;

const status = (code: number, delayMs = 0): AnswerStep => ({
  kind: "status",
  status: code,
  delayMs,
});
export const OK = status(200);
export const ERROR = status(500);

const SCRIPTS: Readonly<Record<CaseKind, readonly AnswerStep[]>> = {
  first: [OK],
  ladder: [ERROR],
  "not-found": [status(404), OK],
  reset: [{ kind: "reset" }, OK],
  silent: [{ kind: "silent" }, OK],
  refused: [OK],
  "in-time": [status(200, 9_000)],
  "too-late": [status(200, 11_000), OK],
  recovery: [ERROR, OK],
};

export interface CaseChange extends Partial<WebhookCase> {
  /** Changes each body. */
  body?: (healthy: Record<string, unknown>, attempt: number) => unknown;
  /** Changes each delivery. */
  delivery?: (healthy: Delivery) => Partial<Delivery>;
  /** When the job ended, after its submission; the polls show it. */
  endedMs?: number;
}

const RESULT = { text: "hello" };

let lastId = 0;

/** A job whose deliveries arrive at these times after the first was due. */
export function caseOf(
  kind: CaseKind,
  arrivedMs: readonly number[],
  change: CaseChange = {},
): WebhookCase {
  lastId += 1;
  const { body, delivery, endedMs = RUN_MS, ...rest } = change;
  const jobId = `job-${lastId}`;
  const state = rest.endSeen ?? "completed";
  const script = rest.script ?? SCRIPTS[kind];
  const fields = { id: jobId, state, endedMs };
  const deliveries = arrivedMs.map((ms, index) => {
    const attempt = kind === "refused" ? index + 2 : index + 1;
    const made = deliveryOf(fields, script, { attempt: index + 1, ms });
    const text =
      body === undefined ? made.body : JSON.stringify(body(JSON.parse(made.body), attempt));
    const changed = { ...made, body: text };
    return { ...changed, ...delivery?.(changed) };
  });
  return {
    kind,
    part: "success",
    endSeen: state,
    script,
    submission: withJson(202, accepted(jobId), { sentAtMs: T0 - 5, receivedAtMs: T0 + 5 }),
    jobId,
    deliveries,
    looks: deliveries.length === 0 ? [] : [pollAt(fields)],
    endKnownAtMs: FIRST_AT + 40,
    watchedUntilMs: FIRST_AT + WATCHED_MS,
    lagsMs: deliveries.slice(1).map(() => 0),
    ...(kind === "refused" ? { refusal: { openAtMs: FIRST_AT + 1_500, lagMs: 0 } } : {}),
    ...rest,
  };
}

interface JobFields {
  id: string;
  state: string;
  endedMs: number;
}

function accepted(id: string) {
  const created_at = new Date(CREATED_AT).toISOString();
  return { job_uuid: id, status: "queued", worker: "echo", cost_estimate_credits: 1, created_at };
}

/** An answer of the job endpoint, sent soon after the first arrival. */
export function pollAt(
  { id, state, endedMs }: JobFields,
  times = { sentAtMs: FIRST_AT + 30, receivedAtMs: FIRST_AT + 40 },
) {
  const ended = ["completed", "failed", "timeout", "cancelled"].includes(state);
  const job = {
    job_uuid: id,
    status: state,
    worker: "echo",
    created_at: new Date(CREATED_AT).toISOString(),
    ...(ended ? { completed_at: new Date(T0 + endedMs + 1).toISOString() } : {}),
    ...(state === "completed" ? { result: RESULT } : {}),
  };
  return withJson(200, job, times);
}

function deliveryOf(
  { id, state, endedMs }: JobFields,
  script: readonly AnswerStep[],
  { attempt, ms }: { attempt: number; ms: number },
): Delivery {
  const answer = script[attempt - 1] ?? script.at(-1) ?? OK;
  const arrivedAtMs = FIRST_AT + ms;
  const body = {
    event: `job.${state}`,
    job_uuid: id,
    status: state,
    result: RESULT,
    fired_at: new Date(T0 + endedMs).toISOString(),
  };
  return arrived({
    token: `token-${id}`,
    attempt,
    arrivedAtMs,
    body: JSON.stringify(body),
    signature: "valid",
    answer,
    ...answeredAt(answer, arrivedAtMs),
  });
}

function answeredAt(answer: AnswerStep, arrivedAtMs: number) {
  const waits = answer.kind === "silent" || (answer.kind === "status" && answer.delayMs > 10_000);
  if (waits) return { answeredAtMs: null, hungUpAtMs: arrivedAtMs + 10_001 };
  const delayMs = answer.kind === "status" ? answer.delayMs : 0;
  return { answeredAtMs: arrivedAtMs + delayMs + 1, hungUpAtMs: null };
}

const ends = (endSeen: EndState): CaseChange => ({ endSeen, part: "slow" });

/** As the scenario has it: whose answers are held back come when others have waited. */
const after45s = (arrivedMs: readonly number[]) => arrivedMs.map((ms) => 45_000 + ms);

/** Of each kind what a healthy service does. */
export const HEALTHY = {
  first: () => [
    ...Array.from({ length: 6 }, () => caseOf("first", [0])),
    ...(["failed", "timeout", "cancelled"] as const).map((end) => caseOf("first", [0], ends(end))),
  ],
  ladder: () => [0, 1, 2].map(() => caseOf("ladder", [0, 5_002, 35_004, 335_006])),
  "not-found": () => [caseOf("not-found", [0, 5_002])],
  reset: () => [caseOf("reset", [0, 5_002])],
  silent: () => [caseOf("silent", after45s([0, 15_003]))],
  refused: () => [0, 1, 2].map(() => caseOf("refused", [5_003])),
  "in-time": () => [0, 1].map(() => caseOf("in-time", after45s([0]))),
  "too-late": () => [0, 1].map(() => caseOf("too-late", after45s([0, 15_003]))),
  recovery: () => [
    caseOf("recovery", [0, 5_002]),
    caseOf("recovery", [0, 5_002, 35_004], { script: [ERROR, ERROR, OK] }),
  ],
} as const satisfies Record<CaseKind, () => readonly WebhookCase[]>;

export type CaseTable = { readonly [Kind in CaseKind]?: () => readonly WebhookCase[] };

/** A healthy run with the cases of some kinds in the place of the healthy ones. */
export function runWith(cases: CaseTable = {}, change: Partial<WebhookRun> = {}): WebhookRun {
  const table: Record<CaseKind, () => readonly WebhookCase[]> = { ...HEALTHY, ...cases };
  return {
    cases: Object.values(table).flatMap((make) => make()),
    unasked: [{ jobId: "job-unasked", endKnownAtMs: T0, watchedUntilMs: T0 + WATCHED_MS }],
    times: BASE_PLAN.times,
    lagMs: 4,
    signatureScheme: "hmac-sha256",
    pushedOut: { deliveries: 0, tokens: 0 },
    isProxied: false,
    isLocal: true,
    receiverReach: "sure",
    ...change,
  };
}

export const NO_CASES: CaseTable = Object.fromEntries(
  Object.keys(HEALTHY).map((kind) => [kind, () => []]),
);

/** All verdicts of a run that are not `kept`. */
export function doubts(run: WebhookRun): Partial<Record<PromiseId, Verdict>> {
  const found = judgeWebhooks(run).filter(({ verdict }) => verdict !== "kept");
  return Object.fromEntries(found.map(({ promise, verdict }) => [promise, verdict]));
}

export function webhookFinding(promise: PromiseId, run: WebhookRun): Finding {
  return findingOf(judgeWebhooks(run), promise);
}

/** Three cases of a kind with the same arrivals. */
export const three = (
  kind: Parameters<typeof caseOf>[0],
  arrivedMs: readonly number[],
  change = {},
) => ({
  [kind]: () => [0, 1, 2].map(() => caseOf(kind, arrivedMs, change)),
});

/** A delivery that comes a second after its 200. */
export const repeating = { first: () => [...HEALTHY.first(), caseOf("first", [0, 1_000])] };

/** From elsewhere, where each answer of the service takes 0.6 s. */
export function afar(cases: CaseTable): WebhookRun {
  const run = runWith({ ...NO_CASES, ...cases }, { isLocal: false });
  const slowed = (answer: Exchange) => ({ ...answer, receivedAtMs: answer.sentAtMs + 600 });
  const far = ({ submission, looks: polls, ...rest }: WebhookCase) => {
    return { ...rest, submission: slowed(submission), looks: polls.map(slowed) };
  };
  return { ...run, cases: run.cases.map(far) };
}

/** Three ladders whose attempts came then, in ms after the first. */
export const schedule =
  (...arrivedMs: readonly number[]) =>
  () =>
    runWith({ ...three("ladder", arrivedMs), recovery: () => [] });

/** No failed attempt is followed by another. */
export const unretried: CaseTable = {
  ...three("ladder", [0]),
  ...three("not-found", [0]),
  ...three("reset", [0]),
  ...three("silent", [0]),
  ...three("refused", []),
  ...three("recovery", [0]),
};
