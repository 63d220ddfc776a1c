/** Submits jobs within the budget. */

import { issuedIdIn } from "../../contract/decode/accepted.ts";
import {
  longMarkOf,
  MARK_CHARS,
  markedInput,
  markOf,
  mayBeLongInput,
} from "../../contract/jobs/marks.ts";
import type { Price } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Part, WorkerPart } from "../../contract/run/run-plan.ts";
import { ENDS_BY_PART } from "../../contract/run/run-plan.ts";
import type { Json } from "../../contract/verdict.ts";
import type { Context } from "./context.ts";
import type { FollowedJob } from "./followed/followed-job.ts";
import type { Charge } from "./spending.ts";

/** Ours: an answer tells an estimate at once; an end, the cost of a job that is short. */
const COST_WAIT_MS = 10_000;
const COST_POLL_MS = 10;

/** A worker's path parameter and price, for the budget. */
export interface Submission {
  worker: WorkerPart;
  price: Price;
  part: Part | null;
  /** How long to wait for its end at the most. */
  waitMs: number;
  /** As in `JobHistory`. */
  lostAfterMs?: number | null;
  /** Fields beside the worker's own. */
  control?: { readonly [name: string]: Json };
  /** `short`: as those that the worker has taken before; left out: long by chance. */
  text?: "short" | "long";
  /** Whether the caller hangs up once it is answered, which is no matter of the job's. */
  closes?: boolean;
  /** An earlier one, which is sent again as it was. */
  again?: Exchange;
}

/** Takes the job out of the budget and submits it; null when the budget does not allow it. */
export async function submit(
  context: Context,
  submission: Submission,
): Promise<FollowedJob | null> {
  const key = context.caller;
  const charge = key === null ? null : await takeRoom(context, submission);
  if (key === null || charge === null) return null;
  const { worker, part, control, text, closes = false } = submission;
  const sent = submission.again?.requestBody ?? null;
  const exchange = await context.ask({
    method: "POST",
    route: "submit",
    parameter: worker.id,
    key,
    closes,
    body:
      sent ??
      JSON.stringify({
        ...inputOf(worker, markOf(context.random.token(MARK_CHARS)), text),
        ...control,
      }),
  });
  charge.answered(exchange);
  const issuedId = issuedIdIn(exchange);
  if (issuedId !== null) context.ownIds.add(issuedId);
  return {
    submission: exchange,
    issuedId,
    workerId: worker.id,
    part,
    polls: [],
    cancelRequests: [],
    expected: part === null ? null : ENDS_BY_PART[part],
    gaveUpAtMs: null,
    deadlineMs: submission.waitMs,
    lostAfterMs: submission.lostAfterMs ?? null,
    endSeenAtMs: null,
    end: null,
  };
}

function inputOf(worker: WorkerPart, mark: string, text: Submission["text"]) {
  if (text === "short") return markedInput(worker, mark);
  return mayBeLongInput(worker, text === "long" ? longMarkOf(mark) : mark);
}

/** Waits while a job on its way may yet tell what this one costs; null: there is no room for it. */
async function takeRoom(context: Context, submission: Submission): Promise<Charge | null> {
  const { world } = context;
  const untilMs = Math.min(
    world.now() + Math.min(submission.waitMs, COST_WAIT_MS),
    context.deadlineAtMs,
  );
  for (;;) {
    const taken = context.spending.take(submission.worker.id, submission.price);
    if (taken === "none") return null;
    if (taken !== "later") return taken;
    if (world.now() > untilMs) return null;
    await world.delay(COST_POLL_MS);
  }
}
