/** What holds of a budget whatever becomes of its jobs: counted in whole cents beside it. */

import { describe, expect, it } from "vitest";
import { decodeJob } from "../../../contract/decode/job.ts";
import type { Charge } from "../../../scenarios/client/spending.ts";
import { spendingOf } from "../../../scenarios/client/spending.ts";
import type { Draw } from "../../../simulation/chance.ts";
import { stream } from "../../../simulation/chance.ts";
import { answer, withJson } from "../../contract/judges/answers.ts";

const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);
const STEPS = 300;
const CEILING = { jobs: 60, cents: 317 };
/** Advertised prices; a job costs that or less, and 0 where it times out. */
const PRICES: Readonly<Record<string, number>> = { echo: 1, resize: 7, render: 13 };
const TIMES = { submitted_at: "2026-01-01T00:00:00.000Z" };

interface Taken {
  id: string;
  worker: string;
  charge: Charge;
  /** What the budget owes to it: its price, what it cost, or nothing. */
  cents: number;
  state: "sent" | "accepted" | "over";
}

const accepted = ({ id, worker }: Taken) =>
  withJson(202, { job_uuid: id, worker_id: worker, status: "QUEUED", ...TIMES });

function endedAt({ id, worker }: Taken, cents: number) {
  const status = cents === 0 ? "TIMED_OUT" : "SUCCEEDED";
  const cost = { total_usd: cents / 100, run_usd: cents / 100, infra_usd: 0 };
  const body = { job_id: id, worker_id: worker, status, timestamps: TIMES, cost };
  const job = decodeJob(body).value;
  if (job === null) throw new Error("the fixture is no job");
  return job;
}

class History {
  readonly spending = spendingOf(
    { jobs: CEILING.jobs, credits: null, usd: 3.17 },
    () => {},
    () => 0,
  );
  readonly taken: Taken[] = [];
  withdrawn = 0;
  readonly #draw: Draw;

  constructor(seed: number) {
    this.#draw = stream(seed, "budget");
  }

  jobs(): number {
    return this.taken.length - this.withdrawn;
  }

  cents(): number {
    return this.taken.reduce((sum, { cents }) => sum + cents, 0);
  }

  step(): void {
    const open = this.taken.filter(({ state }) => state !== "over");
    const one = open[Math.floor(this.#draw() * open.length)];
    if (one === undefined || this.#draw() < 0.4) this.#take();
    else if (one.state === "sent") this.#answer(one);
    else this.#end(one);
  }

  #take(): void {
    const names = Object.keys(PRICES);
    const worker = names[Math.floor(this.#draw() * names.length)] ?? "echo";
    const cents = PRICES[worker] ?? 0;
    const charge = this.spending.take(worker, { usd: cents / 100, credits: null });
    const isFull = this.jobs() >= CEILING.jobs || this.cents() + cents > CEILING.cents;
    if (charge !== "later") expect(charge === "none").toBe(isFull);
    if (typeof charge === "string") return;
    this.taken.push({ id: `job_${this.taken.length}`, worker, charge, cents, state: "sent" });
  }

  #answer(one: Taken): void {
    const way = this.#draw();
    if (way < 0.1) {
      one.charge.unsent();
      this.withdrawn += 1;
    } else if (way < 0.2) one.charge.answered(answer(422));
    else if (way < 0.3) one.charge.answered(answer(0));
    else one.charge.answered(accepted(one));
    one.state = way < 0.3 ? "over" : "accepted";
    if (way < 0.2) one.cents = 0;
  }

  #end(one: Taken): void {
    const cost = Math.floor(this.#draw() * (one.cents + 1));
    // Two polls may show the same end.
    this.spending.ended(one.id, endedAt(one, cost));
    this.spending.ended(one.id, endedAt(one, cost));
    one.cents = cost;
    one.state = "over";
  }
}

describe("a budget", () => {
  it.each(SEEDS)("counts each job once, to the cent, and is never crossed: seed %i", (seed) => {
    const history = new History(seed);
    for (let n = 0; n < STEPS; n += 1) {
      history.step();
      const { jobs, usd } = history.spending.spent();
      expect(jobs).toBe(history.jobs());
      expect(usd).toBe(history.cents() / 100);
      expect(jobs).toBeLessThanOrEqual(CEILING.jobs);
      expect(usd).toBeLessThanOrEqual(CEILING.cents / 100);
    }
  });
});
