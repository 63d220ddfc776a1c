/** A service that does nothing but limit a key, in virtual time, with what it remembers of it. */

import { forgottenWithinMs, requestsEach } from "../../contract/limits/capacity-rates.ts";
import type { CapacityOrder, StepMeasurement } from "../../contract/run/capacity-step.ts";
import type { Choices } from "../../reference/choices.ts";
import { createLimiter } from "../../reference/limiters/index.ts";
import type { Limiter } from "../../reference/limiters/limiter.ts";
import type { Ask } from "../../scenarios/client/burst.ts";
import { spendBurst } from "../../scenarios/client/burst.ts";
import type { Draw } from "../../simulation/chance.ts";
import { between, exponential } from "../../simulation/chance.ts";
import { VirtualClock } from "../../simulation/virtual-clock.ts";
import { measuredJobs } from "./simulated-service.ts";

interface Limited {
  kind: Choices["limiter"];
  sustained: number;
  burst: number;
  refusedCount: boolean;
  /** From here to the service; messages vary by a tenth of it, and half a millisecond. */
  oneWayMs: number;
  draw: Draw;
}

/** From one step to the next: the last jobs end, and another process starts. */
const REST_MS = [500, 2_500] as const;
/** As of a step: this long after the bursts are spent, rounded up to a whole interval. */
const START = { afterMs: 100, gridMs: 500 };
const STEP_MS_MAX = 1e6;

export class LimitedService {
  readonly #given: Limited;
  readonly #limiter: Limiter;
  readonly #clock = new VirtualClock(Date.UTC(2026, 0, 1));

  constructor(given: Limited) {
    this.#given = given;
    this.#limiter = createLimiter(given.kind, given);
  }

  /** A counter leaves room for one request less a window. */
  get sustainedPerSecond(): number {
    const { kind, sustained, burst } = this.#given;
    return kind === "sliding-counter" ? (sustained * (burst - 1)) / burst : sustained;
  }

  step(order: CapacityOrder): Promise<StepMeasurement> {
    return this.#clock.run(this.#step(order), STEP_MS_MAX);
  }

  async #step(order: CapacityOrder): Promise<StepMeasurement> {
    const clock = this.#clock;
    await clock.sleep(between(this.#given.draw, ...REST_MS));
    const start = { atMs: Number.POSITIVE_INFINITY };
    const time = { now: () => Math.floor(clock.nowMs()), delay: (ms: number) => clock.sleep(ms) };
    const perSecond = order.ratePerSecond * requestsEach("jobs", true);
    const windowMs = forgottenWithinMs([this.#given]);
    if (order.beyondPlan) await spendBurst(time, this.#ask, { perSecond, windowMs, start });
    start.atMs = Math.ceil((clock.nowMs() + START.afterMs) / START.gridMs) * START.gridMs;
    await clock.sleep(start.atMs - clock.nowMs());
    const jobs = Array.from(
      { length: Math.floor((order.ratePerSecond * order.durationMs) / 1_000) },
      (_, n) => {
        const sentAt = n / order.ratePerSecond;
        return { sentAt, arrivesMs: start.atMs + sentAt * 1_000 + this.#wayMs(), isRefused: false };
      },
    );
    for (const job of jobs.toSorted((a, b) => a.arrivesMs - b.arrivesMs)) {
      job.isRefused = !this.#limiter.take(job.arrivesMs).admitted;
    }
    await clock.sleep(order.durationMs);
    return measuredJobs(jobs, order);
  }

  readonly #ask: Ask = async () => {
    await this.#clock.sleep(this.#wayMs());
    const { admitted, waitMs } = this.#limiter.take(this.#clock.nowMs());
    await this.#clock.sleep(this.#wayMs());
    return admitted ? null : Math.ceil(waitMs / 1_000) * 1_000;
  };

  #wayMs(): number {
    const { oneWayMs, draw } = this.#given;
    return oneWayMs + exponential(draw, 0.5 + oneWayMs / 10);
  }
}
