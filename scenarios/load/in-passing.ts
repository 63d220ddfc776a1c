/**
 * What a load sees of its jobs in passing: each is judged once, when the load is over, as judging
 * takes the time of k6's one thread. A sample is polled while it lives, and again after its end.
 */

import { decodeJob } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import type { Delivery } from "../../contract/jobs/delivery.ts";
import { judgeAnsweredAtEnd } from "../../contract/judges/asynchronous/index.ts";
import { judgeAnsweredByWorker } from "../../contract/judges/asynchronous/with-some.ts";
import { endedAlone } from "../../contract/judges/cancel/cancels-seen.ts";
import type { JobReading } from "../../contract/judges/job/reading.ts";
import { isAnothers, pollOf } from "../../contract/judges/job/reading.ts";
import { accountOf } from "../../contract/judges/load/accounting/readings.ts";
import { addRefusedAmid, isRefusedAmid } from "../../contract/judges/load/refused-amid.ts";
import { mergePassing, missedFirst, passingOf, seenOfJobs } from "../../contract/judges/passing.ts";
import { bodyOf } from "../../contract/judges/webhook/attempts.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isGone, isSuccess } from "../../contract/requests/exchange.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken } from "../../contract/verdict.ts";
import { isSmall, tryFile } from "../client/tried-files.ts";
import { cancelEnded } from "./cancels.ts";
import type { Entry } from "./followed/ledger.ts";
import { historyOf, lineOf } from "./followed/ledger.ts";
import { askFor, eachByKey } from "./offered/requests.ts";
import type { Soak } from "./soak.ts";

/** Ours: enough to agree on a clock's offset, and few enough to be judged between two answers. */
const JUDGED_TOGETHER = 64;
/** Ours: all shards of a longer load hold a sample of so many jobs, each as likely as any other. */
const HELD_MAX = 3_000;
/** Ours: a job in so many is of the sample, and no more than so many a second. */
const SAMPLED_ONE_IN = 20;
const SAMPLED_PER_SECOND = 1;
/**
 * Ours: fewer ends of a load seldom meet what strikes one in ten for a while. Of a short load
 * others are polled after their ends as well, which takes two requests each.
 */
const ENDS_MIN = 30;
/** Ours: so many ended jobs of the sample wait for their last poll; older ones had theirs. */
const SAMPLE_MAX = 200;
/** Ours: so many cancelled jobs beside the sample, the latest, are polled after the load. */
const CANCELLED_MAX = 200;
/**
 * Ours: the second poll of an ended job comes anywhere in between, so that all of them together
 * meet what strikes for a while at any time after an end; in the last seconds of a load, while it
 * goes on. What stays is seen by the poll after the load, too.
 */
const SECOND_POLL_MS = { earliest: 3_000, usual: 6_000, latest: 20_000 };
/** Ours: several lists of the account's latest hundred hold no more. */
const LATEST_MAX = 1_000;
/** Ours: jobs whose files are asked for after the load; a fault of one in four is among twenty. */
const FILED_MAX = 20;
/** Ours: polls of a job that are kept; of more alike, the first and the last. */
const POLLS_MAX = 12;
/** Ours: a repeated answer that finds nothing, before a job is gone. */
const GONE_REPEAT_MS = 1_200;
/** Ours: refusals whose webhooks are listened for; the earliest are as good as any. */
const REFUSED_MAX = 2_000;

interface Sampling extends Pick<Soak, "bystander" | "jobsPerSecond"> {
  load: Pick<Soak["load"], "durationMs">;
  context: Pick<Soak["context"], "random"> & { world: Pick<Soak["context"]["world"], "shard"> };
}

/** Remembers the latest jobs, and draws those of its sample. */
export function takeAccepted(soak: Soak, entry: Entry): void {
  const { bystander, manners } = soak;
  if (!manners.verifies) return;
  bystander.taking.add(entry.mixPart.worker.id);
  if (!bystander.first.has(entry.key)) bystander.first.set(entry.key, entry);
  bystander.latest.push(entry);
  if (bystander.latest.length > LATEST_MAX) bystander.latest.shift();
  drawSampled(soak, entry);
}

/** Of each group of jobs one; of a short load another one of each, for its end alone. */
export function drawSampled(
  { bystander, jobsPerSecond, load, context }: Sampling,
  entry: Pick<Entry, "isSampled" | "isPolledAfter">,
): void {
  const { world, random } = context;
  const group = Math.max(SAMPLED_ONE_IN, Math.ceil(jobsPerSecond / SAMPLED_PER_SECOND));
  const jobs = (world.shard.count * jobsPerSecond * load.durationMs) / 1_000;
  const at = bystander.accepted % group;
  if (at === 0) bystander.nextSampled = Math.floor(random.next() * group);
  const further = (bystander.nextSampled + Math.floor(group / 2)) % group;
  entry.isSampled = at === bystander.nextSampled;
  entry.isPolledAfter = entry.isSampled || (jobs < ENDS_MIN * SAMPLED_ONE_IN && at === further);
  bystander.accepted += 1;
}

/** The job that an answer shows; null where it shows none, or another one. */
export function takePoll(entry: Entry, exchange: Exchange): Job | null {
  if (!isSuccess(exchange)) return null;
  const poll = pollOf(exchange);
  const { polls } = entry;
  const isOther = isAnothers(poll, polls.at(-1), entry.id);
  const isLikeLast = polls.at(-1)?.job?.statusText === poll.job?.statusText;
  if (polls.length >= POLLS_MAX && isLikeLast) polls.pop();
  if (polls.length < POLLS_MAX) polls.push(poll);
  return isOther ? null : poll.job;
}

/** Takes the job in, once its entry is closed. */
export function passBy(soak: Soak, entry: Entry): void {
  const { bystander, manners } = soak;
  if (!manners.verifies || entry.submission === null) return;
  const files = entry.end?.files?.length ?? null;
  if (files !== null && entry.end?.state === "completed" && entry.mixPart.part === "files") {
    bystander.ofFiles.completed += 1;
    if (files > 0) bystander.ofFiles.filed += 1;
    else keptLatest(bystander.unfiled, FILED_MAX, entry);
  }
  if (files !== null && files > 0 && !tryFileAtEnd(soak, entry)) {
    keptLatest(bystander.filed, FILED_MAX, entry);
  }
  // What is given back for a cancelled job may be given back again, which the balance alone shows.
  if (entry.end?.state === "cancelled") void cancelEnded(soak, entry);
  const isLeft = entry.isPolledAfter && entry.end !== null && entry.missing.length === 0;
  if (!isLeft) {
    const isCancelled = entry.end?.state === "cancelled" && entry.cancelRequests.length > 0;
    const left = isCancelled ? keptLatest(bystander.cancelled, CANCELLED_MAX, entry) : entry;
    if (left !== null) add(soak, left);
    return;
  }
  const oldest = keptLatest(bystander.sample, SAMPLE_MAX, entry);
  if (isCancelledFresh(entry)) void cancelEnded(soak, entry);
  soak.follower.remind(secondPollAtMs(soak), () => {
    void pollAgain(soak, entry);
  });
  if (oldest !== null) add(soak, oldest);
}

function secondPollAtMs({ bystander, context, offerUntilMs }: Soak): number {
  const { earliest, usual, latest } = SECOND_POLL_MS;
  const nowMs = context.world.now();
  const mostMs = Math.min(latest, Math.max(usual, offerUntilMs - nowMs));
  const share = (bystander.accepted * GOLDEN_RATIO) % 1;
  return nowMs + earliest + share * (mostMs - earliest);
}

/** Its multiples leave no gaps between 0 and 1. */
const GOLDEN_RATIO = 0.618_034;

/** Takes the entry in, and gives back the oldest where there were too many; null: there is room. */
function keptLatest(entries: Entry[], most: number, entry: Entry): Entry | null {
  entries.push(entry);
  return entries.length > most ? (entries.shift() ?? null) : null;
}

/** Ours: an end may be settled some seconds later; in one third the cancel comes before. */
function isCancelledFresh({ third }: Entry): boolean {
  return third === 1;
}

/** The last polls of the sample and of cancelled jobs, after the load; then all is judged. */
export async function pollLastInPassing(soak: Soak): Promise<void> {
  const { bystander } = soak;
  const sample = [...bystander.sample.splice(0), ...bystander.cancelled.splice(0)];
  await pollEach(soak, sample);
  const gone = sample.filter((entry) => entry.missing.length > 0);
  if (gone.length > 0) {
    await soak.context.world.delay(GONE_REPEAT_MS);
    await pollEach(soak, gone);
  }
  for (const entry of sample) add(soak, entry);
}

function pollEach(soak: Soak, entries: readonly Entry[]): Promise<void> {
  return eachByKey(soak, entries, { isOver: () => false, act: (each) => poll(soak, each) });
}

async function pollAgain(soak: Soak, entry: Entry): Promise<void> {
  await entry.key.pacer.turn();
  if (soak.phase === "over" || !soak.bystander.sample.includes(entry)) return;
  await poll(soak, entry);
  if (!isCancelledFresh(entry)) await cancelEnded(soak, entry);
}

async function poll(soak: Soak, entry: Entry): Promise<void> {
  const exchange = await askFor(soak, entry);
  if (isGone(exchange)) entry.missing.push(exchange);
  else takePoll(entry, exchange);
}

/** A reservoir: of n jobs so far each is held with a chance of HELD_MAX / n. */
function add({ bystander, context }: Soak, entry: Entry): void {
  const reading = readingOf(entry);
  if (reading === null) return;
  const { pending } = bystander;
  const most = HELD_MAX / context.world.shard.count;
  bystander.seen += 1;
  if (pending.length < most) {
    pending.push(reading);
    return;
  }
  const at = Math.floor(context.random.next() * bystander.seen);
  if (at < most) pending[at] = reading;
}

function readingOf(entry: Entry): JobReading | null {
  const { submission, accepted, cancelRequests, missing, missed } = entry;
  if (submission === null) return null;
  const polls = [...entry.polls].sort((a, b) => a.exchange.sentAtMs - b.exchange.sentAtMs);
  const answers = [...polls.map(({ exchange }) => exchange), ...missed, ...missing];
  answers.sort((a, b) => a.sentAtMs - b.sentAtMs);
  return { history: { ...historyOf(entry, submission, answers), cancelRequests }, accepted, polls };
}

/** Judges what was taken in, and lets others have their turn in between. */
export async function judgeInPassing({ bystander, tally, context }: Soak): Promise<void> {
  const uncancelled = endedAlone(bystander.pending);
  const late = [judgeAnsweredAtEnd, judgeAnsweredByWorker];
  for (const finding of late.flatMap((judge) => judge(bystander.pending))) {
    tally.passing = mergePassing(tally.passing, passingOf([finding]));
  }
  bystander.pending.sort(missedFirst);
  while (bystander.pending.length > 0) {
    const readings = bystander.pending.splice(0, JUDGED_TOGETHER);
    tally.passing = mergePassing(tally.passing, seenOfJobs(readings, uncancelled));
    await context.world.delay(0);
  }
}

/** Two jobs under one identifier: the second is not followed, as nobody can tell the two apart. */
export function takeDuplicate(soak: Soak, id: string, exchange: Exchange): void {
  const first = soak.ledger.byId(id)?.submission ?? null;
  const exchanges = first === null ? [exchange] : [first, exchange];
  const issuedAtMs = soak.ledger.issuedAtMs(id);
  const at = issuedAtMs === null ? "" : `, first at ${new Date(issuedAtMs).toISOString()}`;
  const what = `the identifier "${id}" was issued twice${at}; expected one a job`;
  const evidence = { samples: 1, faults: 1, job: id };
  takeFinding(soak, broken("submit.unique-id", what, { evidence, exchanges }));
}

export function takeRefusal(soak: Soak, entry: Entry, exchange: Exchange): void {
  const { bystander, manners } = soak;
  if (!manners.verifies) return;
  const { id } = entry.mixPart.worker;
  if (BODY_REFUSED.has(exchange.status) && bystander.taking.has(id)) {
    const body = `a body for "${id}" as it had accepted, with webhook and maybe priority,`;
    const what = `${body} was answered ${exchange.status}; promised that it is accepted`;
    const evidence = { samples: 1, faults: 1, worker: id };
    takeFinding(
      soak,
      broken("submit.control-parameters", what, { evidence, exchanges: [exchange] }),
    );
  }
  if (bystander.refused.size < REFUSED_MAX) bystander.refused.set(entry.token, exchange);
  const since = bystander.refusedSince.get(lineOf(entry));
  if (isRefusedAmid(exchange) && since !== undefined && since.length < SINCE_MAX)
    since.push(exchange);
}

/** Ours: more in a row are none amid others. */
const SINCE_MAX = 20;

/** A submission was accepted: those alike that were refused before had no good reason to be. */
export function takeAcceptance(
  { bystander, tally }: Soak,
  entry: Entry,
  { sentAtMs }: Exchange,
): void {
  const line = lineOf(entry);
  const since = bystander.refusedSince.get(line);
  if (since === undefined) bystander.refusedSince.set(line, []);
  // So it nearly always is, at each job of a load.
  if (since === undefined || since.length === 0) return;
  const isOver = ({ receivedAtMs }: Exchange) => receivedAtMs < sentAtMs;
  for (const each of since.filter(isOver)) {
    addRefusedAmid(tally.refusedAmid, accountOf(entry.key), each);
  }
  bystander.refusedSince.set(
    line,
    since.filter((each) => !isOver(each)),
  );
}

/** Answers by which a body is refused as invalid, rather than its sender, or its rate. Spec §7. */
const BODY_REFUSED: ReadonlySet<number> = new Set([400, 422]);

/** A webhook of the service's own that tells the end of a job whose submission was refused. */
export function takeRefusedRun(soak: Soak, delivery: Delivery): void {
  const { token, body, arrivedAtMs } = delivery;
  const refusal = soak.bystander.refused.get(token);
  const job = refusal === undefined ? null : jobOf(delivery);
  if (refusal === undefined || job?.state == null || !HAS_RUN.has(job.state)) return;
  soak.bystander.refused.delete(token);
  const { status } = refusal;
  const ran = `job "${job.id}" was ${job.statusText} at ${new Date(arrivedAtMs).toISOString()}`;
  const what = `${ran}, though its submission was answered ${status}; promised that none runs`;
  const promise = status === 429 ? "rate.rejected-not-run" : "submit.rejected-runs-nothing";
  const evidence = { samples: 1, faults: 1, jobs: [job.id], delivered: body.slice(0, 600) };
  takeFinding(soak, broken(promise, what, { evidence, exchanges: [refusal] }));
}

const HAS_RUN: ReadonlySet<string> = new Set(["completed", "failed", "timeout"]);

function takeFinding(soak: Soak, finding: Finding): void {
  soak.tally.passing = mergePassing(soak.tally.passing, passingOf([finding]));
}

/** The job that a delivery tells of; null where it tells of none. */
export function jobOf(delivery: Delivery): Job | null {
  return decodeJob(bodyOf(delivery)).value;
}

/** Ours: a fault of one job in four is among those of three thirds, nine times in ten. */
const TRIED_IN_A_THIRD = 3;

/** Whether the job is one of those; of several shards the first asks for all of them. */
function tryFileAtEnd({ bystander, context }: Soak, entry: Entry): boolean {
  const { plan, world } = context;
  if (world.shard.index > 0 || !plan.promises.includes("job.files-readable")) return false;
  const others = bystander.filedAtEnd.filter((each) => each.entry.third === entry.third);
  const file = entry.end?.files?.find(isSmall);
  if (file === undefined || others.length >= TRIED_IN_A_THIRD) return false;
  const atEnd = tryFile(world, file.url, () => bystander.fileThere).then((tried) => {
    if (isSuccess(tried)) bystander.fileThere = tried.url;
    return tried;
  });
  bystander.filedAtEnd.push({ entry, atEnd });
  return true;
}
