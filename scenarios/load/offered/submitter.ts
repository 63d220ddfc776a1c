/** Offers jobs on a schedule of absolute times: the open model, which waits for no answer. */

import type { ReceiverAccess } from "../../../contract/jobs/delivery.ts";
import { deliveryUrl } from "../../../contract/jobs/delivery.ts";
import { MARK_CHARS, markedInput, markOf } from "../../../contract/jobs/marks.ts";
import { addViolation } from "../../../contract/judges/load/violations.ts";
import { UNPRICED } from "../../../contract/limits/budget.ts";
import { recordValue } from "../../../contract/numbers/histogram.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { isSuccess, tookMsOf } from "../../../contract/requests/exchange.ts";
import { readMachine } from "../../client/receiver.ts";
import type { Charge } from "../../client/spending.ts";
import { delayUntil } from "../../world/world.ts";
import { cancelAccepted, cancelRunningLater, expectCancel } from "../cancels.ts";
import { onAnswer } from "../followed/follow.ts";
import type { Entry } from "../followed/ledger.ts";
import { newEntry } from "../followed/ledger.ts";
import { watchStart } from "../followed/start-stamp.ts";
import { backlogInSeries, lagInSeries, timeInSeries } from "../series.ts";
import type { Soak } from "../soak.ts";
import { statedLimitMs, thirdOf } from "../soak.ts";
import { scriptFor } from "../webhooks/retries.ts";
import type { Arrival } from "./arrivals.ts";
import { arrivalsOf } from "./arrivals.ts";
import { sendCounted } from "./requests.ts";

/** Ours: requests without an answer; beyond it a generator measures itself alone. */
const IN_FLIGHT_MAX = 5_000;
/** Ours: jobs that have not ended; beyond it the ledger would take hundreds of megabytes. */
const OPEN_JOBS_MAX = 20_000;
/**
 * Ours: what is overdue by more is dropped. Sent late it would come in a burst that nobody asked
 * for, and push all that follows further behind.
 */
const OVERDUE_MS = 2_000;
/** Ours: a hiccup is shorter; a generator that lacks a tenth of its rate is as late after 5 s. */
const BEHIND_MS = 500;
/**
 * Ours: the last ones of a load hang up once they are answered, so that no later one has to connect
 * anew and is answered later for it; so many are of several parts.
 */
const HANG_UP = 6;
/** Ours: a timer's lateness and the backlog are sampled this often. */
const SAMPLE_MS = 100;

/**
 * Until the last submission is due or it is stopped; false when the budget ended it before, or
 * nobody is answered any more. Of the arrivals of the whole load a shard offers each whose number
 * is its own, and counts the others.
 */
export async function offerLoad(soak: Soak): Promise<boolean> {
  const { index, count } = soak.context.world.shard;
  const intervalMs = 1_000 / (soak.jobsPerSecond * count);
  const { mix, keys, startMs, offerUntilMs } = soak;
  const next = arrivalsOf({ mix, keys, jobs: (offerUntilMs - startMs) / intervalMs });
  for (let n = 0; ; n += 1) {
    const dueMs = soak.startMs + n * intervalMs;
    if (dueMs >= soak.offerUntilMs) return true;
    const arrival = next();
    if (n % count !== index) continue;
    await delayUntil(soak.context.world, dueMs);
    if (soak.stopped !== null) return true;
    if (soak.context.isGone) return false;
    if (arrival === null || !offerOne(soak, arrival, n, dueMs)) return false;
  }
}

/** False when the budget does not allow another job. */
function offerOne(soak: Soak, arrival: Arrival, n: number, dueMs: number): boolean {
  const { tally, ledger } = soak;
  const { key } = arrival;
  tally.scheduled += 1;
  const lagMs = Math.max(0, soak.context.world.now() - dueMs);
  if (lagMs > BEHIND_MS) tellBehind(soak);
  if (lagMs > OVERDUE_MS) {
    tally.dropped += 1;
    tally.droppedLate += 1;
    return true;
  }
  recordValue(tally.lag, lagMs);
  timeInSeries(tally.series, "sendLag", dueMs, lagMs);
  if (key.heldUntilMs > soak.context.world.now()) {
    tally.throttled += 1;
    return true;
  }
  if (soak.inFlight >= IN_FLIGHT_MAX || ledger.open.size >= OPEN_JOBS_MAX) {
    tally.dropped += 1;
    return true;
  }
  const closes = soak.manners.verifies && isLast(soak, dueMs);
  const sending = { ...arrival, mark: n.toString(36), third: thirdOf(soak, dueMs), closes };
  const entry = send(soak, sending);
  if (entry === "later") tally.heldBack += 1;
  return entry !== "none";
}

function isLast({ offerUntilMs, jobsPerSecond }: Soak, dueMs: number): boolean {
  return dueMs >= offerUntilMs - (HANG_UP * 1_000) / jobsPerSecond;
}

/** Once: at what rate this machine offers what it is asked for, while it can be seen. */
function tellBehind(soak: Soak): void {
  if (soak.isBehind) return;
  soak.isBehind = true;
  const { tally, startMs, jobsPerSecond, context } = soak;
  const seconds = Math.max(1, context.world.now() - startMs) / 1_000;
  const [offered, asked] = [tally.offered / seconds, jobsPerSecond].map(Math.round);
  const dropped = `what is overdue by ${OVERDUE_MS / 1_000} s is dropped`;
  context.progress(
    `this machine is too slow: it offers about ${offered} jobs/s; asked ${asked}; ${dropped}`,
  );
}

interface Sending extends Pick<Entry, "mixPart" | "key" | "third"> {
  /** Tells its webhook's token from those of the other jobs of the soak. */
  mark: string;
  /** Whether its connection closes with the answer, which is no matter of the job's. */
  closes?: boolean;
}

/** Submits a job; or says that the budget does not allow it, or not yet. */
export function send(
  soak: Soak,
  { mark, closes = false, ...sending }: Sending,
): Entry | "none" | "later" {
  const { context, prices, ledger, tokenPrefix } = soak;
  const { id } = sending.mixPart.worker;
  const charge = context.spending.take(id, prices.get(id) ?? UNPRICED);
  if (charge === "none" || charge === "later") return charge;
  const entry = newEntry({
    ...sending,
    token: `${tokenPrefix}${mark}`,
    sentAtMs: soak.context.world.now(),
  });
  ledger.add(entry);
  expectCancel(soak, entry);
  void submit(soak, entry, charge, closes);
  return entry;
}

async function submit(soak: Soak, entry: Entry, charge: Charge, closes: boolean): Promise<void> {
  const { mixPart, key, token } = entry;
  const { receiver } = soak.plan;
  const webhook =
    receiver === null
      ? {}
      : { webhook: deliveryUrl(receiver.publicUrl, token, scriptFor(soak, entry)) };
  const exchange = await sendCounted(soak, key, {
    method: "POST",
    route: "submit",
    parameter: mixPart.worker.id,
    key: key.name,
    closes,
    body: JSON.stringify({ ...inputOf(soak, entry), ...webhook, ...controls(soak) }),
  });
  charge.answered(exchange);
  if (soak.phase === "over") return;
  if (exchange.error === "local") {
    // It never left this machine: no job was offered.
    soak.ledger.close(entry);
    return;
  }
  if (!closes) takeSubmitTime(soak, entry, exchange);
  onAnswer(soak, entry, exchange);
  if (entry.standing === "accepted") void watchStart(soak, entry, exchange);
  if (entry.standing === "accepted") await cancelByPart(soak, entry);
}

/** Where results are looked at, each with a mark of its own, which none but its own may hold. */
function inputOf({ manners }: Soak, { mixPart: { worker }, token }: Entry) {
  if (!manners.verifies) return worker.input;
  // Of base64url, in which tokens are, these two alone are neither letters nor digits.
  const letters = token.replaceAll("-", "").replaceAll("_", "");
  return markedInput(worker, markOf(letters.slice(-MARK_CHARS)));
}

/** Ours: often enough for every worker, seldom enough to leave the load what it is. Spec §4.3. */
const PRIORITY_ONE_IN = 10;

function controls({ tally, manners }: Soak): { priority?: "normal" } {
  const isDue = manners.verifies && tally.scheduled % PRIORITY_ONE_IN === 0;
  return isDue ? { priority: "normal" } : {};
}

async function cancelByPart(soak: Soak, entry: Entry): Promise<void> {
  const { part, worker } = entry.mixPart;
  if (part === "cancel") await cancelAccepted(soak, entry);
  const limitMs = statedLimitMs(soak, worker.id);
  if (part === "timeout" && limitMs !== null) cancelRunningLater(soak, entry, limitMs);
}

function takeSubmitTime(soak: Soak, entry: Entry, exchange: Exchange): void {
  const { submit: figures } = soak.tally;
  const tookMs = tookMsOf(exchange);
  if (!isSuccess(exchange)) return;
  recordValue(figures.all, tookMs);
  recordValue(figures.thirds[entry.third], tookMs);
  timeInSeries(soak.tally.series, "submit", entry.sentAtMs, tookMs);
  const { submitP99Ms } = soak.objectives;
  if (submitP99Ms === null || tookMs <= submitP99Ms) return;
  addViolation(figures.over, {
    what: `a submission was answered after ${Math.round(tookMs)} ms`,
    exchanges: [exchange],
  });
}

/** Ours: what the receiver tells reaches back two seconds. */
const HOST_SAMPLE_MS = 1_000;

/** Asks the receiver how busy this machine is, while the soak goes on. */
export async function watchHost(soak: Soak, access: ReceiverAccess): Promise<void> {
  const { world } = soak.context;
  for (
    let dueMs = world.now() + HOST_SAMPLE_MS;
    soak.phase !== "over";
    await world.delay(SAMPLE_MS)
  ) {
    if (world.now() < dueMs) continue;
    dueMs = world.now() + HOST_SAMPLE_MS;
    const reading = await readMachine(world, access).catch(() => null);
    if (reading === null) continue;
    if (soak.phase !== "offering") {
      lagInDrain(soak, reading.hostLagMs);
      continue;
    }
    recordValue(soak.tally.hostLag[thirdOf(soak, world.now())], reading.hostLagMs);
    lagInSeries(soak.tally.series, "hostLag", world.now(), reading.hostLagMs);
    recordValue(soak.tally.runnable, reading.runnablePerCore);
  }
}

function lagInDrain({ tally }: Soak, lagMs: number): void {
  tally.drainLagMs = Math.max(tally.drainLagMs, lagMs);
}

/** Samples the event loop, and the backlog while more is offered. */
export async function watchSoak(soak: Soak): Promise<void> {
  const { world } = soak.context;
  while (soak.phase !== "over") {
    const startMs = world.now();
    await world.delay(SAMPLE_MS);
    const delayMs = Math.max(0, world.now() - startMs - SAMPLE_MS);
    if (soak.phase !== "offering") {
      lagInDrain(soak, delayMs);
      continue;
    }
    recordValue(soak.tally.loopDelay, delayMs);
    lagInSeries(soak.tally.series, "loopDelay", startMs, delayMs);
    backlogInSeries(soak.tally.series, world.now(), soak.tally.waiting);
  }
}
