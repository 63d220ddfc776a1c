/**
 * Services at fault for whole gates: what spoils their answers on the way, and faults of their own
 * that follow a count and no chance. Each is made afresh for a run.
 */

import type { Variant } from "../../contract/states.ts";
import { STATE_SPELLINGS } from "../../contract/states.ts";
import type { Choices } from "../../reference/choices.ts";
import type { Fields } from "../../reference/faults/answers.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import type { Hooks } from "../../reference/hooks.ts";
import type { Job } from "../../reference/jobs/job.ts";
import type { Asked, Passage, Passing } from "../fronts/rewriting-front.ts";
import type { Behaviour } from "../probe/client/hostile-service.ts";

export interface HostileService {
  variant: Variant;
  choices?: Partial<Choices>;
  fault?: Fault;
  front?: Passage;
}

const isPoll = ({ method, url }: Asked) => method === "GET" && url.startsWith("/v1/jobs/");

/** True once in so many times that it is asked. */
function eachOf(every: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % every === 0;
  };
}

/** Ours: often enough for runs of four jobs, and seldom enough that each is followed. */
const EVERY = 3;

/** One poll in three is answered by another than the service; so many at the most. */
export function pollsAnswered(
  variant: Variant,
  answer: Behaviour,
  most = Number.POSITIVE_INFINITY,
): HostileService {
  const isTime = eachOf(EVERY);
  let times = 0;
  return {
    variant,
    front: {
      instead(asked) {
        if (!isPoll(asked) || !isTime() || times === most) return null;
        times += 1;
        return answer;
      },
    },
  };
}

export function pollsRewritten(
  variant: Variant,
  toClient: (answer: Passing) => Passing,
): HostileService {
  return {
    variant,
    front: { toClient: (answer, asked) => (isPoll(asked) ? toClient(answer) : answer) },
  };
}

/** Names that every object has, and one that every job has, where only an object's own count. */
const INHERITED =
  '"__proto__":{"polluted":true,"status":"failed"},' +
  '"constructor":{"prototype":{"polluted":true}},"toString":0,"hasOwnProperty":null,';

export function inheritedNames(answer: Passing): Passing {
  const text = answer.text
    .replace('"result":{', `"result":{${INHERITED}`)
    .replace(/^\{/, `{${INHERITED}`);
  return { ...answer, text };
}

/** Bytes that no text in UTF-8 has, in the result. */
export function notUtf8(answer: Passing): Passing {
  const [before = "", after = ""] = answer.text.split('"result":{');
  if (after === "") return answer;
  const bytes = Buffer.concat([
    Buffer.from(`${before}"result":{"note":"ä`),
    Buffer.of(0xff, 0xc3, 0xed),
    Buffer.from(`ö",${after}`),
  ]);
  return { ...answer, bytes };
}

const OWN_ID = /job_[0-9a-f]{32}/g;
/** Ours: escaped thrice as long, and still within the 16 KB that Node takes of a head. */
const LONG_CHARS = 2_000;
/** What ends a text, or begins something else, in HTML, XML, Markdown, paths and logs. */
export const SCRIPT = "<script>alert(1)</script>";
const ODD = `"'>${SCRIPT}]]>&lt;|\`\n# odd\u2028\u001b[31m/../..?a=b#c%00 späße `;

/** The same for each mention of a job. Half of them are long. */
function oddId(id: string): string {
  return id + ODD + (/[0-7]$/.test(id) ? "x".repeat(LONG_CHARS) : "");
}

/** Identifiers that are odd everywhere; one poll in three names another job. */
export function oddIdentifiers(variant: Variant, unknown: string[]): HostileService {
  const isTime = eachOf(EVERY);
  const renamed = (text: string, rename: (id: string) => string) =>
    text.replace(OWN_ID, (id) => JSON.stringify(rename(id)).slice(1, -1));
  return {
    variant,
    front: {
      toService(url) {
        const [path = "", ...query] = url.split("?");
        const own = path.replace(/[^/]+$/, (last) => {
          const asked = decodeURIComponent(last);
          const id = asked.match(OWN_ID)?.[0];
          if (id !== undefined && asked !== oddId(id)) unknown.push(asked);
          return id ?? last;
        });
        return [own, ...query].join("?");
      },
      toClient(answer, asked) {
        const isOther = isPoll(asked) && isTime();
        const rename = isOther
          ? (id: string) => oddId(`job_${id.slice(4).split("").reverse().join("")}`)
          : oddId;
        return { ...answer, text: renamed(answer.text, rename) };
      },
    },
  };
}

function withHooks(variant: Variant, hooks: Fault["create"]): HostileService {
  return { variant, fault: faultOf("job.shape", "hostile", "The service is at fault", hooks) };
}

/** Jobs by number, from 1 on, in the order in which they were asked about first. */
function numbering(): (job: Job) => number {
  const numbers = new Map<Job, number>();
  return (job) => {
    const number = numbers.get(job) ?? numbers.size + 1;
    numbers.set(job, number);
    return number;
  };
}

/** Of a job its number and that of the poll, from 1 on. */
interface Count {
  number: number;
  poll: number;
}

type Shown = (body: Fields, job: Job, count: Count) => Fields | string;

/** What polls of jobs show. */
function showing(shown: Shown): Partial<Hooks> {
  const numberOf = numbering();
  const polls = new Map<Job, number>();
  return {
    answer(answer, { request, job, reason }) {
      if (request.route !== "job" || reason !== "served" || job === null) return answer;
      const poll = (polls.get(job) ?? 0) + 1;
      polls.set(job, poll);
      const body = shown(answer.body as Fields, job, { number: numberOf(job), poll });
      return typeof body === "string" ? { ...answer, text: body } : { ...answer, body };
    },
  };
}

export function jobsShown(variant: Variant, shown: Shown): HostileService {
  return withHooks(variant, () => showing(shown));
}

/** Completed jobs of variant A that state these costs in turn, in JSON; `charged`: what is true. */
export function jobsOfCost(costs: readonly string[], charged: number[]): HostileService {
  const shown: Shown = (body, { state }, { number }) => {
    if (state !== "completed") return body;
    const cost = costs[(number - 1) % costs.length] ?? "";
    return JSON.stringify({ ...body, cost_credits: "stated" }).replace('"stated"', cost);
  };
  return withHooks("A", () => ({
    ...showing(shown),
    charge(microUsd) {
      charged.push(microUsd);
      return microUsd;
    },
  }));
}

/** A job of variant B as variant A has it. Spec §2.5. */
export function asVariantA(body: Fields): Fields {
  const { job_id, worker_id, status, timestamps, output, cost, error } = body;
  const times = timestamps as Fields;
  const [state] = Object.entries(STATE_SPELLINGS.B).find(([, text]) => text === status) ?? [];
  const { finished_at: completed_at, submitted_at: created_at, duration_ms } = times;
  return {
    job_uuid: job_id,
    status: STATE_SPELLINGS.A[state as Job["state"]] ?? STATE_SPELLINGS.A.running,
    worker: worker_id,
    cost_credits: (cost as Fields | null)?.total_usd ?? null,
    duration_ms,
    created_at,
    completed_at,
    result: (output as Fields | null)?.data ?? null,
    error,
  };
}

/** A job of variant B that has a start and no end. Spec §2.5. */
export function asRunning(body: Fields): Fields {
  const { submitted_at, started_at } = body.timestamps as Fields;
  const timestamps = { submitted_at, started_at, finished_at: null, duration_ms: null };
  return { ...body, status: "RUNNING", timestamps, output: null, cost: null };
}

/** Every second job, from the second on: those that are sent first are waited for. */
const isSecond = (number: number) => number % 2 === 0;

export function jobsNotFound(variant: Variant): HostileService {
  const numberOf = numbering();
  return withHooks(variant, () => ({
    visible: (visible, job) => visible && !isSecond(numberOf(job)),
  }));
}

export function jobsThatNeverEnd(variant: Variant): HostileService {
  const numberOf = numbering();
  const never = (ms: number, job: Job) => (isSecond(numberOf(job)) ? Number.POSITIVE_INFINITY : ms);
  return withHooks(variant, () => ({ runMs: never, limitMs: never }));
}

/**
 * From the first poll of another job on that comes once the first one was shown completed. The
 * others don't end by themselves: however late they are polled, there is something to be refused.
 */
export function keysRevoked(variant: Variant): HostileService {
  const numberOf = numbering();
  const runsOn = (ms: number, job: Job) => (numberOf(job) === 1 ? ms : Number.POSITIVE_INFINITY);
  const ended = new Set<string>();
  let isRevoked = false;
  return withHooks(variant, () => ({
    runMs: runsOn,
    limitMs: runsOn,
    authenticate(outcome, { route, parameter }) {
      isRevoked ||= route === "job" && ended.size > 0 && !ended.has(parameter);
      return isRevoked ? { key: null, refusal: "revoked-key" } : outcome;
    },
    answer(answer, { request: { route }, job }) {
      if (route === "job" && job?.state === "completed") ended.add(job.id);
      return answer;
    },
  }));
}

/** After so many submissions the credits have run out. */
export function creditsGone(variant: Variant, after: number, refused: string[]): HostileService {
  let submissions = 0;
  return withHooks(variant, () => ({
    affordable(isSo, { id }) {
      submissions += 1;
      if (submissions > after) refused.push(id);
      return isSo && submissions <= after;
    },
  }));
}

/** Four answers in ten are 500, one after the other, and repeat the headers, as in debug mode. */
export function burstsOf500(variant: Variant, served: string[]): HostileService {
  let answers = 0;
  return withHooks(variant, () => ({
    answer(answer, { request: { route, rawHeaders } }) {
      if (route !== "job" && route !== "submit") return answer;
      answers += 1;
      if (answers % 10 < 7) return answer;
      served.push(route);
      return { ...answer, status: 500, body: { headers: rawHeaders } };
    },
  }));
}

/** Refusals with these values of Retry-After in turn. */
export function retryAfter(variant: Variant, values: readonly string[]): HostileService {
  let refusals = 0;
  return withHooks(variant, () => ({
    answer(answer) {
      if (answer.status !== 429) return answer;
      const value = values[refusals % values.length] ?? "";
      refusals += 1;
      return { ...answer, headers: { ...answer.headers, "retry-after": value } };
    },
  }));
}

/** Ours: longer than a job is polled anyway. */
export const DATE_MS = 4_000;

/** Values of Retry-After, one at a time: a date, what is none, and one beyond all time. */
export function* waitsTold(): Generator<string> {
  yield new Date(Date.now() + DATE_MS).toUTCString();
  yield "Fri, 31 Feb 2026 25:00:00 GMT";
  yield "Wed, 21 Oct 9999 07:28:00 GMT";
}

/** What a poll is refused with, and when the service was asked for that job again. */
export interface Refusal {
  value: string;
  againMs: number | null;
}

/** One poll in three is refused, with these values of Retry-After, as long as there are some. */
export function pollsRefused(
  variant: Variant,
  values: Iterator<string>,
  refusals: Refusal[],
): HostileService {
  const isTime = eachOf(EVERY);
  const open = new Map<string, (nowMs: number) => void>();
  return withHooks(variant, ({ clock }) => ({
    answer(answer, { request: { route, parameter } }) {
      if (route !== "job") return answer;
      open.get(parameter)?.(clock.nowMs());
      open.delete(parameter);
      const { value, done } = isTime() ? values.next() : { value: "", done: true };
      if (done === true) return answer;
      const refusal: Refusal = { value, againMs: null };
      const refusedMs = clock.nowMs();
      open.set(parameter, (nowMs) => {
        refusal.againMs = nowMs - refusedMs;
      });
      refusals.push(refusal);
      return { status: 429, headers: { "retry-after": value }, body: {} };
    },
  }));
}

/** The mark of a job's input: none is used twice. */
const OWN_MARK = /plumbline-[a-z0-9]{16}/;

export interface Submissions {
  marks: string[];
  /** Identifiers of jobs whose answers were lost, and of those of them that were asked for. */
  lost: Set<string>;
  found: Set<string>;
}

/** One answer in three to a submission is lost, and its job runs. */
export function answersLost(variant: Variant, seen: Submissions): HostileService {
  const isTime = eachOf(EVERY);
  return withHooks(variant, () => ({
    answer(answer, { request: { route, parameter, body }, job }) {
      if (route === "job" && seen.lost.has(parameter)) seen.found.add(parameter);
      if (route !== "submit" || answer.status !== 202 || job === null) return answer;
      seen.marks.push(...(OWN_MARK.exec(body) ?? []));
      if (!isTime()) return answer;
      seen.lost.add(job.id);
      return { ...answer, delivery: "reset" };
    },
  }));
}
