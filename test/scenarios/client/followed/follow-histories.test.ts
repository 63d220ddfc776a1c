/** What holds of a job that is followed, whatever the service answers on the way. */

import { describe, expect, it } from "vitest";
import { decodeJob } from "../../../../contract/decode/job.ts";
import { contextOf } from "../../../../scenarios/client/context.ts";
import {
  followToEnd,
  givenUpAtMs,
  isEnded,
  pollAgain,
} from "../../../../scenarios/client/followed/follow.ts";
import type { FollowedJob } from "../../../../scenarios/client/followed/followed-job.ts";
import { submit } from "../../../../scenarios/client/submit.ts";
import { reporterOf } from "../../../../scenarios/world/reporter.ts";
import type { WireRequest, World } from "../../../../scenarios/world/world.ts";
import { preparing } from "../../../../scenarios/world/world.ts";
import type { Draw } from "../../../../simulation/chance.ts";
import { bytes, exponential, stream } from "../../../../simulation/chance.ts";
import { VirtualClock } from "../../../../simulation/virtual-clock.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);
const JOBS = 12;
const WAIT_MS = 20_000;
/** The longest advised wait of a job so short, and what a request and its turn take. */
const POLL_WAIT_MS = 2_000;
const TURN_MS = 1_000;
const START_MS = Date.UTC(2026, 0, 1);
const LATER_MS = [300, 900];

/** Shares of the answers: lost, failed, and older than what was shown before. */
interface Mishaps {
  lost: number;
  failed: number;
  stale: number;
  /** Jobs that never end. */
  endless: number;
}

const NONE: Mishaps = { lost: 0, failed: 0, stale: 0, endless: 0 };
const KINDS: readonly (readonly [string, Mishaps])[] = [
  ["that answers well", NONE],
  ["whose answers are lost", { ...NONE, lost: 0.3 }],
  ["that fails now and then", { ...NONE, failed: 0.3 }],
  ["that shows old views", { ...NONE, stale: 0.4 }],
  ["whose jobs may never end", { ...NONE, endless: 0.5 }],
  ["with all of it", { lost: 0.2, failed: 0.2, stale: 0.3, endless: 0.2 }],
];

/** A service of a few lines: each job runs for a time by chance, and costs what it is called. */
class ChanceService {
  readonly endsMs: number[] = [];
  readonly #clock: VirtualClock;
  readonly #draw: Draw;
  readonly #mishaps: Mishaps;

  constructor(clock: VirtualClock, draw: Draw, mishaps: Mishaps) {
    this.#clock = clock;
    this.#draw = draw;
    this.#mishaps = mishaps;
  }

  answer({ method, url }: WireRequest): { status: number; body: string } {
    if (method === "POST") return { status: 202, body: JSON.stringify(this.#accepted()) };
    const { lost, failed, stale } = this.#mishaps;
    if (this.#draw() < lost) return { status: 0, body: "" };
    if (this.#draw() < failed) return { status: 503, body: "{}" };
    const number = Number(url.split("_").at(-1));
    const isOver = this.#clock.nowMs() >= (this.endsMs[number] ?? 0) && this.#draw() >= stale;
    return { status: 200, body: JSON.stringify(shown(number, isOver)) };
  }

  #accepted() {
    const isEndless = this.#draw() < this.#mishaps.endless;
    const runMs = isEndless ? Number.POSITIVE_INFINITY : exponential(this.#draw, 3_000);
    this.endsMs.push(this.#clock.nowMs() + runMs);
    return { job_uuid: `job_${this.endsMs.length - 1}`, status: "queued", ...OF_A };
  }
}

const OF_A = { worker: "echo", created_at: "2026-01-01T00:00:00Z" };

function shown(number: number, isOver: boolean) {
  const status = isOver ? "completed" : "running";
  return { job_uuid: `job_${number}`, status, cost_credits: isOver ? 2 : null, ...OF_A };
}

async function historyOf(seed: number, mishaps: Mishaps) {
  const clock = new VirtualClock(START_MS);
  const service = new ChanceService(clock, stream(seed, "service"), mishaps);
  const draw = stream(seed, "client");
  const world: World = {
    now: () => Math.floor(clock.nowMs()),
    delay: (ms) => clock.sleep(ms),
    async request(request) {
      await clock.sleep(1);
      const answered = service.answer(request);
      await clock.sleep(1);
      const error = answered.status === 0 ? "reset" : null;
      return { headers: {}, ...answered, error, transportMs: 2, bodyMs: 0, isReused: true };
    },
    prepare: preparing((request) => world.request(request)),
    randomBytes: (count) => bytes(draw, count),
    env: () => "a-key",
    emit: () => {},
    shard: { index: 0, count: 1 },
    beganAtMs: () => START_MS,
  };
  const limits = { plan: "pro", sustained: 50, burst: 100, account: null } as const;
  const plan = {
    ...BASE_PLAN,
    keys: [{ name: "key", env: "SAMPLE_KEY", state: "active", ...limits } as const],
    roles: { ...BASE_PLAN.roles, caller: "key" },
    budget: { jobs: null, credits: 1_000, usd: null },
  };
  const context = contextOf(world, plan, [], reporterOf(world, "a"), START_MS + 600_000);
  const price = { credits: 2, usd: null };
  const worker = { id: "echo", input: {} };
  const one = async () => {
    const job = await submit(context, { worker, price, part: "success", waitMs: WAIT_MS });
    if (job === null) throw new Error("the budget has room for all");
    await followToEnd(context, job);
    const followed = job.polls.length;
    const { endSeenAtMs } = job;
    await pollAgain(context, job, LATER_MS);
    return { job, followed, endSeenAtMs };
  };
  const run = Promise.all(Array.from({ length: JOBS }, one));
  return { jobs: await clock.run(run, 900_000), service, spent: context.spending.spent() };
}

const showsEnd = (poll: FollowedJob["polls"][number]) =>
  poll.status === 200 && isEnded(decodeJob(JSON.parse(poll.body)).value);

describe.each(KINDS)("jobs of a service %s", (_kind, mishaps) => {
  it.each(SEEDS)("end or are given up, once and in time: seed %i", async (seed) => {
    const { jobs, service, spent } = await historyOf(seed, mishaps);
    for (const { job, followed, endSeenAtMs } of jobs) {
      const polls = job.polls.slice(0, followed);
      const first = polls.findIndex(showsEnd);
      expect(first).toBe(job.end === null ? -1 : followed - 1);
      expect(job.endSeenAtMs).toBe(polls[first]?.receivedAtMs ?? null);
      expect(endSeenAtMs).toBe(job.endSeenAtMs);
      expect(job.gaveUpAtMs === null).toBe(job.end !== null);
      const lateMs = (polls.at(-1)?.sentAtMs ?? 0) - givenUpAtMs(job);
      expect(lateMs).toBeLessThanOrEqual(POLL_WAIT_MS + TURN_MS);
      expect(job.polls.length - followed).toBe(job.end === null ? 0 : LATER_MS.length);
      const endMs = service.endsMs[Number(job.issuedId?.split("_")[1])] ?? 0;
      const isPlain = mishaps.lost + mishaps.failed + mishaps.stale === 0;
      if (isPlain && endMs < givenUpAtMs(job)) {
        expect(job.endSeenAtMs).toBeLessThanOrEqual(endMs + POLL_WAIT_MS + TURN_MS);
      }
    }
    // Each job is charged once: what it cost where its end was seen, what is held for it else.
    expect(spent).toEqual({ jobs: JOBS, credits: 2 * JOBS, usd: 0 });
  });
});
