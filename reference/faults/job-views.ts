/** Bends what the job endpoint shows of a job; webhooks and lists keep telling the truth. */

import type { State } from "../../contract/states.ts";
import { STATE_SPELLINGS } from "../../contract/states.ts";
import type { Clock } from "../../contract/time/clock.ts";
import { parseTimestamp } from "../../contract/time/timestamps.ts";
import { wholeMs } from "../clock.ts";
import type { Hooks } from "../hooks.ts";
import type { AnswerContext } from "../http.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { at, type Fields, fieldsIn, onBody, resultField } from "./answers.ts";
import { type Fault, ofJobs } from "./fault.ts";

/** Some faults hang on the time at which a job is polled. */
export type Which = (job: Job, clock: Clock) => boolean;
type Bend = (body: Fields, job: Job, clock: Clock) => unknown;

/** Rewrites the answers of the job endpoint that tell of one of the jobs that `which` picks. */
export function onJob(
  which: (job: Job) => boolean,
  bend: (body: Fields, job: Job) => unknown,
): Partial<Hooks> {
  const shown = (context: AnswerContext) =>
    at("job", "served")(context) && context.job !== null && which(context.job);
  return onBody(shown, (body, { job }) => (job === null ? body : bend(body, job)));
}

/** The same, as what a fault is created from, for 1 job in `oneOf`, each for good. */
export function jobs(which: Which, bend: Bend, oneOf = 1): Fault["create"] {
  return ofJobs(oneOf, (chosen, { clock }) =>
    onJob(
      (job) => which(job, clock) && chosen(job),
      (body, job) => bend(body, job, clock),
    ),
  );
}

export const any = () => true;
export const done = isDone;
export const ofState = (state: State) => (job: Job) => job.state === state;
export const completed = ofState("completed");
export const failed = ofState("failed");

/** Shown as ended for at least so long. */
export function endedBefore(ms: number): Which {
  return (job, clock) => job.endedAtMs !== null && wholeMs(clock) - job.endedAtMs >= ms;
}

/** Shown as ended for less than so long. */
export function endedWithin(ms: number): Which {
  return (job, clock) => job.endedAtMs !== null && wholeMs(clock) - job.endedAtMs < ms;
}

/** Accepted less than so long ago. */
export function youngerThan(ms: number): Which {
  return (job, clock) => wholeMs(clock) - job.submittedAtMs < ms;
}

export function both(first: Which, second: Which): Which {
  return (job, clock) => first(job, clock) && second(job, clock);
}

/** Bends variant B's `timestamps`, or the job itself in variant A. */
export function withTimes(body: Fields, bend: (times: Fields, names: TimeNames) => Fields): Fields {
  if (!("timestamps" in body)) return bend(body, NAMES_A);
  return { ...body, timestamps: bend(fieldsIn(body, "timestamps"), NAMES_B) };
}

/** One time of a job, off by so much, from what it was or from the other time. */
export function timeOff(
  name: "submitted" | "finished",
  byMs: number,
  from: "submitted" | "finished" = name,
): Bend {
  return (body) =>
    withTimes(body, (times, names) => {
      return { ...times, [names[name]]: shifted(times[names[from]], byMs) };
    });
}

/** Of a job that tells how long it took. */
export const withDuration = (bend: (durationMs: number) => unknown) => (body: Fields) =>
  withTimes(body, (times) => {
    const { duration_ms: ms } = times;
    return typeof ms === "number" ? { ...times, duration_ms: bend(ms) } : times;
  });

interface TimeNames {
  submitted: string;
  started: string | null;
  finished: string;
}

const NAMES_A: TimeNames = { submitted: "created_at", started: null, finished: "completed_at" };
const NAMES_B: TimeNames = {
  submitted: "submitted_at",
  started: "started_at",
  finished: "finished_at",
};

/** The names of all times that a job object has. */
function timeNames({ submitted, started, finished }: TimeNames): string[] {
  return started === null ? [submitted, finished] : [submitted, started, finished];
}

/** In another state, in the words of the variant. */
export function shownAs(state: State): (body: Fields) => Fields {
  return (body) => ({ ...body, status: STATE_SPELLINGS["job_id" in body ? "B" : "A"][state] });
}

export const asRunning = shownAs("running");

export const archived = (body: Fields) => ({ ...body, archived: true });

/** With another result, in variant B another output. */
export function withResult(body: Fields, bend: (result: unknown) => unknown): Fields {
  const name = resultField(body);
  return { ...body, [name]: bend(body[name]) };
}

export const withoutResult = (body: Fields) => withResult(body, () => null);

/** Bends what is shown of completed jobs. */
export const ofCompleted = (bend: Bend, oneOf = 1) => jobs(completed, bend, oneOf);
/** Bends what is shown of running jobs. */
export const ofRunning = (bend: Bend, oneOf = 1) => jobs(ofState("running"), bend, oneOf);

/** Every time of the job, bent as a text; those without a value are left alone. */
export function everyTime(bend: (text: string) => unknown): Bend {
  return (body) =>
    withTimes(body, (times, names) => {
      const changed = { ...times };
      for (const name of timeNames(names)) {
        const text = times[name];
        if (typeof text === "string" && text !== "") changed[name] = bend(text);
      }
      return changed;
    });
}

/** What a text means that the service wrote, in whichever format. Throws where it is no time. */
export function timeMs(text: unknown): number {
  const time = parseTimestamp(String(text));
  if (time === null) throw new Error(`no time: ${text}`);
  return Math.floor(time.ms);
}

export function shifted(text: unknown, byMs: number): string {
  return new Date(timeMs(text) + byMs).toISOString();
}

/** In any format. */
export function withoutZone(text: string): string {
  return text.replace(/(?:Z|[+-]00:?00)$/i, "");
}

/** What becomes of variant A's credits, and which fields of variant B's cost are others. */
export type CostBends = [a: (credits: number) => number, b?: (cost: Fields) => Fields];

/** A job that tells no cost yet is left as it is. */
export function withCost(body: Fields, a: CostBends[0], b: CostBends[1] = () => ({})): Fields {
  if (!tellsCost(body)) return body;
  if ("cost_credits" in body) return { ...body, cost_credits: a(Number(body.cost_credits)) };
  const cost = fieldsIn(body, "cost");
  return { ...body, cost: { ...cost, ...b(cost) } };
}

const tellsCost = ({ cost_credits, cost }: Fields) => (cost_credits ?? cost ?? null) !== null;

/** Bends 1 completed job in `oneOf`, once its cost was told so long ago. */
export function costToldBefore(
  ms: number,
  bend: (body: Fields) => Fields,
  oneOf = 1,
): Fault["create"] {
  return (scene) => {
    const toldAtMs = new WeakMap<Job, number>();
    const later: Bend = (body, job, clock) => {
      if (!tellsCost(body)) return body;
      const nowMs = wholeMs(clock);
      const firstMs = toldAtMs.get(job) ?? nowMs;
      toldAtMs.set(job, firstMs);
      return nowMs - firstMs >= ms ? bend(body) : body;
    };
    return ofCompleted(later, oneOf)(scene);
  };
}

/** A credit or a cent more than it was. */
export const dearer = (body: Fields): Fields =>
  withCost(
    body,
    (credits) => credits + 1,
    (cost) => ({
      total_usd: Number(cost.total_usd) + 0.01,
      run_usd: Number(cost.run_usd) + 0.01,
    }),
  );
