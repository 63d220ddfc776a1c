/** One soak on virtual time, against a service of a few lines whose mishaps a seed draws. */

import type { Delivery } from "../../../contract/jobs/delivery.ts";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import type { PlanKey, RunPlan } from "../../../contract/run/run-plan.ts";
import { promisedTimes } from "../../../contract/time/promised-times.ts";
import { soakScenario } from "../../../scenarios/soak/scenario.ts";
import { runScenario } from "../../../scenarios/world/scenario.ts";
import type { WireRequest, WireResponse, World } from "../../../scenarios/world/world.ts";
import { preparing } from "../../../scenarios/world/world.ts";
import type { Draw } from "../../../simulation/chance.ts";
import { bytes, exponential, stream } from "../../../simulation/chance.ts";
import { VirtualClock } from "../../../simulation/virtual-clock.ts";
import { arrived } from "../../receiver/arrived.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";

/** Shares of requests and jobs to which something happens. */
export interface Mishaps {
  /** Submissions whose answer is lost, though a job began. */
  lostAnswers: number;
  /** Submissions that are answered when their job may have ended long ago. */
  slowAnswers: number;
  /** Submissions that never leave this machine, as it has no descriptor left. */
  unsent: number;
  /** Submissions that are refused with 429, whatever the limit says. */
  refusals: number;
  /** Submissions that are answered with the identifier of the job before, and begin none. */
  repeats: number;
  /** Accepted jobs that nobody finds any more, from their first poll on. */
  lostJobs: number;
  /** Webhooks that come twice; that never come. */
  twice: number;
  never: number;
  /** Whose signature does not fit. */
  forged: number;
  /** Answers of the receiver that fail. */
  deafness: number;
  /** Jobs that stand in the queue for ever; that run for ever. */
  stuck: number;
  endless: number;
  /** Jobs whose end polls show only so long after it; Infinity: never. */
  unshown: number;
  unshownMs: number;
}

interface Submission {
  token: string;
  atMs: number;
  began: boolean;
  isLost: boolean;
  /** Its job never ends. */
  stands: boolean;
}

export interface History {
  submissions: readonly Submission[];
  /** When the service was asked, by any request with a key. */
  requestsMs: readonly number[];
  /** The measurement that the soak reports. */
  measured: Readonly<Record<string, unknown>>;
  records: readonly EvidenceRecord[];
  /** From its first record to its last. */
  tookMs: number;
}

const KEY: PlanKey = {
  name: "key",
  env: "SAMPLE_KEY",
  state: "active",
  plan: "pro",
  sustained: 50,
  burst: 10,
  account: null,
};
const QUERY_URL = "http://receiver.example";
const ONE_WAY_MS = 2;
const SLOW_ANSWER_MS = 800;
const START_MS = Date.UTC(2026, 0, 1);

export function planOf(jobsPerSecond: number, jobsMax: number, hears = true): RunPlan {
  const receiver = {
    publicUrl: QUERY_URL,
    queryUrl: QUERY_URL,
    querySecretEnv: "SAMPLE_SECRET",
    refusingUrl: null,
    tokenPrefix: "t-",
    signature: { header: "x-signature", scheme: "hmac-sha256" as const },
  };
  const none = { submitP99Ms: null, queueWaitP99Ms: null, driftShare: null };
  const objectives = { ...none, throughputShare: null, errorShare: null };
  const mix = { success: 1 };
  const durationMs = 2_000;
  return {
    ...BASE_PLAN,
    promises: ["load.no-losses", "load.webhooks"],
    keys: [KEY],
    roles: { ...BASE_PLAN.roles, loaded: ["key"] },
    workers: { success: { id: "echo", input: {} } },
    times: promisedTimes({ ...BASE_PLAN, timeScale: 0.02 }),
    receiver: hears ? receiver : null,
    load: { jobsPerSecond, durationMs, keys: null, beyondPlan: false, mix, objectives },
    budget: { jobs: jobsMax, credits: null, usd: null },
  };
}

export async function historyOf(seed: number, plan: RunPlan, mishaps: Mishaps): Promise<History> {
  const clock = new VirtualClock(START_MS);
  const service = new ChanceService(clock, stream(seed, "service"), mishaps);
  const records: EvidenceRecord[] = [];
  const draw = stream(seed, "scenario");
  const world: World = {
    now: () => Math.floor(clock.nowMs()),
    delay: (ms) => clock.sleep(ms),
    async request(request) {
      await clock.sleep(ONE_WAY_MS);
      const response = await service.answer(request);
      await clock.sleep(ONE_WAY_MS);
      return response;
    },
    prepare: preparing((request) => world.request(request)),
    randomBytes: (count) => bytes(draw, count),
    env: () => "a-key",
    emit: (record) => void records.push(record),
    shard: { index: 0, count: 1 },
    beganAtMs: () => START_MS,
  };
  await clock.run(runScenario(soakScenario, world, plan), 600_000);
  const measured = records.find((each) => each.type === "measurement");
  if (measured?.type !== "measurement") throw new Error(`no figures: ${JSON.stringify(records)}`);
  const { submissions, requestsMs } = service;
  const value = measured.value as History["measured"];
  return { submissions, requestsMs, measured: value, records, tookMs: world.now() - START_MS };
}

interface Run {
  id: string;
  createdMs: number;
  /** Infinity: it runs for ever. */
  endMs: number;
  /** From when on polls show the end. */
  shownMs: number;
  isStuck: boolean;
  isLost: boolean;
}

class ChanceService {
  readonly submissions: Submission[] = [];
  readonly requestsMs: number[] = [];
  readonly #clock: VirtualClock;
  readonly #draw: Draw;
  readonly #mishaps: Mishaps;
  readonly #runs = new Map<string, Run>();
  readonly #arrivals: Delivery[] = [];

  constructor(clock: VirtualClock, draw: Draw, mishaps: Mishaps) {
    this.#clock = clock;
    this.#draw = draw;
    this.#mishaps = mishaps;
  }

  async answer({ method, url, body }: WireRequest): Promise<WireResponse> {
    if (url.startsWith(QUERY_URL)) return await this.#receive(url);
    const { unsent } = this.#mishaps;
    if (method === "POST" && unsent > 0 && this.#draw() < unsent) return unanswered("local");
    this.requestsMs.push(this.#clock.nowMs());
    if (method === "POST") return await this.#submitted(body ?? "");
    const run = this.#runs.get(url.split("/").at(-1) ?? "");
    if (run === undefined) return answered(200, {});
    return run.isLost ? answered(404, {}) : answered(200, this.#shown(run, run.shownMs));
  }

  async #submitted(body: string): Promise<WireResponse> {
    const { slowAnswers } = this.#mishaps;
    const answer = this.#submit(body);
    if (slowAnswers > 0 && this.#draw() < slowAnswers) await this.#clock.sleep(SLOW_ANSWER_MS);
    return answer;
  }

  #submit(body: string): WireResponse {
    const { refusals, repeats, lostJobs, lostAnswers } = this.#mishaps;
    const { webhook } = JSON.parse(body) as { webhook?: string };
    const token = webhook?.split("/d/")[1]?.split("/")[0] ?? null;
    const last = [...this.#runs.values()].at(-1);
    const isRepeated = last !== undefined && this.#draw() < repeats;
    const began = !isRepeated && this.#draw() >= refusals;
    const isLost = began && this.#draw() < lostJobs;
    const nowMs = this.#clock.nowMs();
    const isStuck = this.#draw() < this.#mishaps.stuck;
    const isEndless = this.#draw() < this.#mishaps.endless;
    const stands = began && !isLost && (isStuck || isEndless);
    const name = token ?? `job ${this.submissions.length}`;
    this.submissions.push({ token: name, atMs: nowMs, began, isLost, stands });
    if (isRepeated) return answered(202, acceptedAs(last));
    if (!began) return { ...answered(429, {}), headers: { "retry-after": "1" } };
    const id = `job_${this.submissions.length}`;
    const runMs = 20 + exponential(this.#draw, 200);
    const endMs = stands ? Number.POSITIVE_INFINITY : nowMs + runMs;
    const { unshown, unshownMs } = this.#mishaps;
    const shownMs = unshown > 0 && this.#draw() < unshown ? endMs + unshownMs : endMs;
    const run = { id, createdMs: nowMs, endMs, shownMs, isLost, isStuck };
    this.#runs.set(id, run);
    if (!isLost && !stands && token !== null)
      this.#clock.at(endMs, () => this.#deliver(token, run));
    if (this.#draw() < lostAnswers) return unanswered("reset");
    return answered(202, acceptedAs(run));
  }

  #shown({ id, createdMs, endMs, isStuck }: Run, shownMs: number) {
    const isOver = this.#clock.nowMs() >= shownMs;
    const at = (ms: number) => new Date(ms).toISOString();
    const times = isStuck
      ? { submitted_at: at(createdMs) }
      : { submitted_at: at(createdMs), started_at: at(createdMs) };
    const ended = isOver
      ? { finished_at: at(endMs), duration_ms: Math.round(endMs - createdMs) }
      : {};
    return {
      job_id: id,
      worker_id: "echo",
      status: isOver ? "SUCCEEDED" : isStuck ? "QUEUED" : "RUNNING",
      timestamps: { ...times, ...ended },
      ...(isOver
        ? { output: { kind: "empty", data: null, items: [], meta: null }, files: [] }
        : {}),
      ...(isOver ? { cost: { total_usd: 0.01, run_usd: 0.01, infra_usd: 0 } } : {}),
    };
  }

  #deliver(token: string, run: Run): void {
    if (this.#draw() < this.#mishaps.never) return;
    const times = this.#draw() < this.#mishaps.twice ? 2 : 1;
    const { forged } = this.#mishaps;
    const signature = forged > 0 && this.#draw() < forged ? "invalid" : "valid";
    const body = JSON.stringify(this.#shown(run, run.endMs));
    for (let attempt = 1; attempt <= times; attempt += 1) {
      const arrivedAtMs = this.#clock.nowMs();
      this.#arrivals.push(arrived({ token, attempt, arrivedAtMs, body, signature }));
    }
  }

  async #receive(url: string): Promise<WireResponse> {
    if (!url.includes("/arrivals")) return answered(200, {});
    if (this.#draw() < this.#mishaps.deafness) return answered(503, {});
    const after = Number(/after=(\d+)/.exec(url)?.[1] ?? 0);
    if (this.#arrivals.length === after) await this.#clock.sleep(100);
    const deliveries = this.#arrivals.slice(after);
    const now = this.#clock.nowMs();
    return answered(200, { deliveries, next: after + deliveries.length, evicted: 0, now });
  }
}

function acceptedAs({ id, createdMs }: Run) {
  const submitted_at = new Date(createdMs).toISOString();
  return { job_uuid: id, worker_id: "echo", status: "QUEUED", submitted_at };
}

function unanswered(error: NonNullable<WireResponse["error"]>): WireResponse {
  return { ...answered(0, ""), body: "", error };
}

function answered(status: number, body: unknown): WireResponse {
  const times = { transportMs: 2 * ONE_WAY_MS, bodyMs: 0, isReused: true };
  return { status, headers: {}, body: JSON.stringify(body), error: null, ...times };
}
