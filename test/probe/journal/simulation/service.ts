/** A service on virtual time that loses answers, fails, and is used by others as well. */

import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { RouteName } from "../../../../contract/requests/routes.ts";
import type { EndState } from "../../../../contract/states.ts";
import type { ProbeRequest } from "../../../../probe/client/paced-client.ts";
import type { VirtualClock } from "../../../../simulation/virtual-clock.ts";
import type { Chance } from "./chance.ts";

export interface SimulatedJob {
  id: string;
  owner: "probe" | "stranger";
  workerId: string;
  createdMs: number;
  /** When its submission was sent: the day that it counts for. */
  sentMs: number;
  startedMs: number;
  finishedMs: number;
  end: EndState;
  usd: number;
  text: string | null;
  webhook: string | null;
  /** Whether an answer that showed its end has reached the probe. */
  isEndShown: boolean;
}

/** Advertised and true price of each worker's job; those that time out cost nothing. */
export const PRICES: Readonly<Record<string, number>> = { echo: 0.02, sleep: 0.05 };

type Answer = Pick<Exchange, "status" | "body" | "headers" | "error">;

const LOST = { status: 0, body: "", headers: {} };
/** What the probe's client gives up after. */
const ANSWER_TIMEOUT_MS = 15_000;

export interface Troubles {
  /** Share of the answers that are lost, refused or wrong. */
  share: number;
  listShowsInputs: boolean;
  /** Whether the catalogue can be read, and so the price be known beforehand. */
  listsPrices: boolean;
}

export class SimulatedService {
  readonly jobs: SimulatedJob[] = [];
  /** Submissions that were sent, whether they arrived or not. */
  submissions = 0;
  /** Hands a delivery over; false when nobody takes it. */
  deliver: (token: string, job: SimulatedJob) => boolean = () => false;
  readonly #time: VirtualClock;
  readonly #chance: Chance;
  readonly troubles: Troubles;

  constructor(time: VirtualClock, chance: Chance, troubles: Troubles) {
    this.#time = time;
    this.#chance = chance;
    this.troubles = troubles;
  }

  /** Answers after a while; `give` may be called when nobody waits for it any more. */
  request(request: ProbeRequest, give: (exchange: Exchange) => void): void {
    const chance = this.#chance;
    const sentAtMs = this.#time.nowMs();
    const isTroubled = chance.happens(this.troubles.share);
    const isFree = request.route === "workers";
    const trouble = isTroubled && !isFree ? chance.pick(TROUBLES) : null;
    if (request.route === "submit") this.submissions += 1;
    const arrivesMs = sentAtMs + chance.between(1, 40);
    const limitMs = Math.min(request.timeoutMs ?? ANSWER_TIMEOUT_MS, ANSWER_TIMEOUT_MS);
    const answer = (at: number, given: Answer) => {
      const isLate = at > sentAtMs + limitMs;
      const receivedAtMs = isLate ? sentAtMs + limitMs : at;
      const shown: Answer = isLate ? { ...LOST, error: "timeout" } : given;
      this.#time.at(receivedAtMs, () =>
        give({ ...common(request, sentAtMs), ...shown, receivedAtMs }),
      );
      return !isLate && given.error === null;
    };
    if (trouble === "unsent") return void answer(arrivesMs, { ...LOST, error: "reset" });
    this.#time.at(arrivesMs, () => {
      const { given, shows } = this.#handle(request, sentAtMs, trouble);
      const isSlow = trouble === "late";
      const at = arrivesMs + (isSlow ? chance.between(500, 40_000) : chance.between(1, 200));
      const isGiven = answer(at, trouble === "lost" ? { ...LOST, error: "reset" } : given);
      if (isGiven && trouble !== "lost" && shows !== null) shows.isEndShown = true;
    });
  }

  #handle(
    request: ProbeRequest,
    sentMs: number,
    trouble: Trouble | null,
  ): { given: Answer; shows: SimulatedJob | null } {
    const bare = (status: number, headers = {}) => ({
      given: { status, body: "{}", headers, error: null },
      shows: null,
    });
    if (trouble === "401") return bare(401);
    if (trouble === "429") return bare(429, { "retry-after": "2" });
    if (trouble === "500") return bare(500);
    if (request.route === "submit") {
      const job = this.#create(request, sentMs);
      if (trouble === "500-runs") return bare(500);
      const id = trouble === "nameless" ? {} : { job_uuid: job.id };
      const accepted = { ...id, worker_id: job.workerId, status: "QUEUED" };
      return ok(202, { ...accepted, submitted_at: iso(job.createdMs) });
    }
    if (request.route === "job") return this.#show(request.parameter ?? "");
    if (request.route === "jobs") return ok(200, { jobs: this.#list() });
    if (request.route === "workers") {
      return ok(200, { workers: this.troubles.listsPrices ? WORKERS : [] });
    }
    return ok(200, {});
  }

  #create({ parameter, body }: ProbeRequest, sentMs: number): SimulatedJob {
    const input = (body ?? {}) as { text?: string; webhook?: string };
    const job = this.#newJob("probe", parameter ?? "", sentMs);
    job.text = input.text ?? null;
    job.webhook = input.webhook ?? null;
    if (job.webhook !== null) this.#announce(job, job.webhook);
    return job;
  }

  /** Somebody else on the same account and worker. */
  createForStranger(workerId: string): void {
    this.#newJob("stranger", workerId, this.#time.nowMs());
  }

  #newJob(owner: SimulatedJob["owner"], workerId: string, sentMs: number): SimulatedJob {
    const chance = this.#chance;
    const createdMs = this.#time.nowMs();
    const startedMs = createdMs + chance.between(0, 2_000);
    const end = chance.pick({ completed: 85, failed: 10, timeout: 5 });
    const isSlow = chance.happens(0.08);
    const finishedMs =
      startedMs + (isSlow ? chance.between(40_000, 200_000) : chance.between(50, 9_000));
    const usd = end === "timeout" ? 0 : (PRICES[workerId] ?? 0);
    const id = `job_${this.jobs.length}`;
    const times = { createdMs, sentMs, startedMs, finishedMs };
    const blank = { text: null, webhook: null, isEndShown: false };
    const job: SimulatedJob = { id, owner, workerId, ...times, end, usd, ...blank };
    this.jobs.push(job);
    return job;
  }

  /** Tries as Spec §6 says, until somebody takes it. */
  #announce(job: SimulatedJob, token: string): void {
    const waitsMs = [5_000, 30_000, 300_000];
    const attempt = () => {
      if (this.deliver(token, job)) return;
      const waitMs = waitsMs.shift();
      if (waitMs !== undefined) this.#time.at(this.#time.nowMs() + waitMs, attempt);
    };
    this.#time.at(job.finishedMs + this.#chance.between(1, 500), attempt);
  }

  #show(id: string): { given: Answer; shows: SimulatedJob | null } {
    const job = this.jobs.find((each) => each.id === id);
    if (job === undefined) {
      return { given: { status: 404, body: "{}", headers: {}, error: null }, shows: null };
    }
    const { given } = ok(200, render(job, this.#time.nowMs()));
    return { given, shows: this.#time.nowMs() >= job.finishedMs ? job : null };
  }

  #list(): readonly object[] {
    return this.jobs
      .slice(-100)
      .reverse()
      .map((job) => ({
        ...head(job, this.#time.nowMs()),
        ...(this.troubles.listShowsInputs ? { input: { text: job.text } } : {}),
      }));
  }
}

const TROUBLES = {
  lost: 20,
  unsent: 15,
  late: 15,
  "500": 15,
  "500-runs": 10,
  nameless: 5,
  "429": 10,
  "401": 5,
} as const;
type Trouble = keyof typeof TROUBLES;

const WORKERS = Object.entries(PRICES).map(([worker_id, price_per_run_usd]) => {
  return { worker_id, name: worker_id, price_per_run_usd, billing_mode: "per_run" };
});

function ok(status: number, body: object): { given: Answer; shows: null } {
  return { given: { status, body: JSON.stringify(body), headers: {}, error: null }, shows: null };
}

function common({ method, route, parameter, body }: ProbeRequest, sentAtMs: number) {
  const path = `/v1/${route}/${parameter ?? ""}`;
  const requestBody = body === undefined ? null : JSON.stringify(body);
  const name: RouteName = route;
  return { method: method ?? "GET", route: name, path, key: "pro", requestBody, sentAtMs };
}

const END_NAMES = { completed: "SUCCEEDED", failed: "FAILED", timeout: "TIMED_OUT", cancelled: "" };

function head(job: SimulatedJob, nowMs: number) {
  const isOver = nowMs >= job.finishedMs;
  const open = nowMs >= job.startedMs ? "RUNNING" : "QUEUED";
  return {
    job_id: job.id,
    worker_id: job.workerId,
    status: isOver ? END_NAMES[job.end] : open,
    timestamps: {
      submitted_at: iso(job.createdMs),
      started_at: nowMs >= job.startedMs ? iso(job.startedMs) : null,
      finished_at: isOver ? iso(job.finishedMs) : null,
      duration_ms: isOver ? Math.floor(job.finishedMs) - Math.floor(job.startedMs) : null,
    },
  };
}

function render(job: SimulatedJob, nowMs: number): object {
  if (nowMs < job.finishedMs) return { ...head(job, nowMs), files: [], error: null };
  const data = job.end === "completed" ? { text: job.text } : null;
  const kind = data === null ? "empty" : "object";
  return {
    ...head(job, nowMs),
    output: { kind, data, items: [], meta: {} },
    files: [],
    cost: { total_usd: job.usd, run_usd: job.usd, infra_usd: 0, billing_mode: "per_run" },
    error: job.end === "failed" ? { code: "E", message: "failed" } : null,
  };
}

/** The body of the webhook. */
export function deliveryBody(job: SimulatedJob, nowMs: number): string {
  const event = `job.${job.end}`;
  return JSON.stringify({ event, job_uuid: job.id, fired_at: iso(nowMs), ...render(job, nowMs) });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
