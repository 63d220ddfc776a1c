/** Submits all jobs of the scenario and waits for the first delivery of each. */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { followToEnd } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import { submit } from "../client/submit.ts";
import { delayUntil } from "../world/world.ts";
import type { SharedTokens } from "./addresses.ts";
import { canCancel, cancelLast } from "./cancelled.ts";
import type { Round } from "./cases.ts";
import {
  holdsAnswers,
  largerBurst,
  lastingSpecs,
  lateSpecs,
  promptSpecs,
  refusedSpecs,
  roomIn,
  unaskedParts,
  within,
} from "./cases.ts";
import type { DuePolls } from "./due-polls.ts";
import { openAfterEnds } from "./refused.ts";
import type { Watched } from "./watch.ts";
import { awaitFirst, startCase } from "./watch.ts";

export interface Session {
  context: Context;
  access: ReceiverAccess;
  catalogue: Catalogue;
  shared: SharedTokens;
  duePolls: DuePolls;
  /** Resolve when the first delivery was seen or is given up. */
  waiting: Promise<void>[];
}

export interface Submitted {
  watched: readonly Watched[];
  unasked: readonly FollowedJob[];
}

/** Ours: the run's other scenarios start at the same time, and keep the machine busy till then. */
const START_PAUSE_MS = 4_000;
/**
 * Ours: a sender that makes few deliveries at a time is held up by answers that are held back. They
 * come once the others have waited 5 s and 30 s, and run a few seconds before; 5 s where a run ends
 * before the 30 s are over. So does what is late at its address.
 */
const HELD_AFTER_MS = { quick: 12_000, standard: 45_000, soak: 45_000 } as const;

export async function submitAll(session: Session): Promise<Submitted> {
  const { context } = session;
  const { plan, world } = context;
  const lasting = lastingSpecs(plan);
  const room = roomIn(context.spending.left(), lasting.length);
  const all = [...promptSpecs(plan), refusedSpecs(plan), lateSpecs(plan)];
  const rounds = within(all, room.prompt);
  const late = rounds.slice(-1);
  const prompt = rounds.slice(0, -1);
  const held = [...late, ...prompt.map((round) => round.filter(holdsAnswers))];
  const others = prompt.map((round) => round.filter((spec) => !holdsAnswers(spec)));
  const watched: Watched[] = [];
  await world.delay(START_PAUSE_MS);
  for (const round of others) watched.push(...(await startRound(session, round)));
  const startedAtMs = world.now();
  watched.push(...(await startBurst(session, lasting.slice(0, room.lasting))));
  const unasked = await submitUnasked(session, room.unasked);
  await delayUntil(world, startedAtMs + ownMs(plan.times, HELD_AFTER_MS[plan.profile]));
  for (const round of held) watched.push(...(await startRound(session, round)));
  await Promise.all(session.waiting);
  return { watched, unasked };
}

/** One after the other in the order of the list: the budget's last jobs go to what matters less. */
async function startRound(session: Session, round: Round): Promise<readonly Watched[]> {
  const { context, access, catalogue, shared, waiting } = session;
  const starting = round.map(async (spec) => {
    const watched = await startCase(context, access, catalogue, { spec, shared });
    if (watched !== null && spec.kind !== "refused") {
      waiting.push(awaitFirst(session, watched));
    }
    return watched;
  });
  const started = (await Promise.all(starting)).filter((each) => each !== null);
  const refused = started.filter(({ spec }) => spec.kind === "refused");
  if (refused.length > 0) waiting.push(awaitRefused(session, refused));
  return started;
}

async function awaitRefused(session: Session, refused: Watched[]): Promise<void> {
  await openAfterEnds(session.context, session.access, refused);
  await Promise.all(refused.map((each) => awaitFirst(session, each)));
}

/** On a rested key, so that the jobs come close together and polls of them don't have to wait. */
async function startBurst(session: Session, round: Round): Promise<readonly Watched[]> {
  const { context } = session;
  await context.rest(context.caller);
  const burst = await startRound(session, round);
  if (!canCancel(context) || (await cancelLast(context, burst))) return burst;
  const larger = largerBurst(context.plan);
  const isWhole = round.length === lastingSpecs(context.plan).length;
  if (!isWhole || larger.length === 0 || context.spending.left() < larger.length) return burst;
  await context.rest(context.caller);
  const second = await startRound(session, larger);
  if (!(await cancelLast(context, second))) {
    context.note("no job could be cancelled while it queued; no such end was awaited by webhook");
  }
  return [...burst, ...second];
}

async function submitUnasked(session: Session, count: number): Promise<readonly FollowedJob[]> {
  const { context, catalogue, waiting } = session;
  const submissions = unaskedParts(context.plan, count).flatMap(
    (part) => submissionOf(context, catalogue, part) ?? [],
  );
  const jobs = await Promise.all(submissions.map((each) => submit(context, each)));
  const accepted = jobs.flatMap((job) => (job?.issuedId == null ? [] : [job]));
  waiting.push(...accepted.map((job) => followToEnd(context, job)));
  return accepted;
}
