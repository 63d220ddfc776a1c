/**
 * Faults of the run limit. What a balance loses without a job that says so is missing in the sum
 * of all costs, and a limit that fails under load fails: hence the companions.
 */

import type { State } from "../../contract/states.ts";
import { toUsd } from "../accounts/account.ts";
import { runPrice } from "../catalogue/worker.ts";
import type { Hooks } from "../hooks.ts";
import { totalMicroUsd } from "../jobs/job.ts";
import { loadOf } from "./current-load.ts";
import { B_ONLY, type Fault, type FaultScene, faults, faultsOf, ofJobs } from "./fault.ts";
import { jobs, withCost } from "./job-views.ts";

export const ending = (state: State, oneOf = 1) =>
  ofJobs(oneOf, (chosen) => ({
    ending: (given, job) => (given === "timeout" && chosen(job) ? state : given),
  }));

export const shifting = (seconds: number, oneOf = 1) =>
  ofJobs(oneOf, (chosen, { timeScale }) => ({
    limitMs: (limitMs, job) =>
      job.runMs > limitMs && chosen(job) ? limitMs + seconds * 1000 * timeScale : limitMs,
  }));

const stretching = (share: number) => (): Partial<Hooks> => ({
  limitMs: (limitMs) => limitMs * (1 + share),
});

/** Charges a share of the price for a timeout, on the job and the balance. */
export const charging = (share: number, oneOf = 1) =>
  ofJobs(oneOf, (chosen) => ({
    cost: (cost, job) =>
      job.state === "timeout" && chosen(job)
        ? { ...cost, runMicroUsd: Math.ceil(share * runPrice(job.worker, job.input)) }
        : cost,
  }));

/** Ours: half a cent a minute, as of services that bill the time of a run. */
const MICRO_USD_PER_SECOND = 80;

/** Charges a timeout for the time that it ran, on the job and the balance. */
const chargingTime = ({ timeScale }: FaultScene): Partial<Hooks> => ({
  cost(cost, { state, startedAtMs, finishedAtMs }) {
    if (state !== "timeout" || startedAtMs === null || finishedAtMs === null) return cost;
    const seconds = Math.ceil((finishedAtMs - startedAtMs) / (1_000 * timeScale));
    return { ...cost, runMicroUsd: seconds * MICRO_USD_PER_SECOND };
  },
});

/** Takes a share of the price from the balance, while the job says that it was free. */
const chargingInSecret = (share: number) => (): Partial<Hooks> => ({
  charge: (microUsd, job) =>
    job.state === "timeout" ? microUsd + share * runPrice(job.worker, job.input) : microUsd,
});

/** Limits stop the jobs of a busy service by so many seconds too late. */
const lateWhenBusy =
  (seconds: number) =>
  ({ timeScale, clock }: FaultScene): Partial<Hooks> => {
    const load = loadOf(clock);
    return {
      runMs(runMs) {
        load.add();
        return runMs;
      },
      limitMs: (limitMs) => limitMs + load.strain() * seconds * 1000 * timeScale,
    };
  };

/** A busy service takes timeouts for completed jobs, the more so the busier it is. */
function chargedWhenBusy({ clock, random }: FaultScene): Partial<Hooks> {
  const load = loadOf(clock);
  return {
    runMs(runMs) {
      load.add();
      return runMs;
    },
    cost: (cost, job) =>
      job.state === "timeout" && totalMicroUsd(cost) === 0 && random() < load.strain()
        ? { ...cost, runMicroUsd: runPrice(job.worker, job.input) }
        : cost,
  };
}

/** What a fault shifts is the limit: a check that is late makes up for one that is early. */
export const AT_ONCE = { choices: { limitCheck: "at-once" } } as const;
const CHARGED = { companions: ["timeout.free"] } as const;
const RARELY_CHARGED = { ...CHARGED, curve: true } as const;

export const TIMEOUT_FAULTS: readonly Fault[] = [
  ...faultsOf("timeout.fires", {
    fails: ["A job that reaches its limit ends as failed", ending("failed")],
    completes: ["It ends as completed", ending("completed")],
    cancelled: ["It ends as cancelled", ending("cancelled")],
    "runs-on": ["No limit stops a job", () => ({ limitMs: () => Number.POSITIVE_INFINITY })],
    "once-in-a-while": ["1 timeout in 3 is shown as failed", ending("failed", 3)],
  }),
  ...faults(AT_ONCE, {
    "timeout.not-early/1-s-early": ["Limits stop jobs 1 s early", shifting(-1)],
    "timeout.not-early/15-percent-early": ["Limits stop jobs 15 % early", stretching(-0.15)],
    "timeout.not-early/once-in-a-while": ["1 job in 3 is stopped 2 s early", shifting(-2, 3)],
    "timeout.not-early/near-0.1-s-early": ["Limits stop jobs 0.1 s early", shifting(-0.1)],
    "timeout.not-late/3-s-late": ["Limits stop jobs 3 s late", shifting(3)],
    "timeout.not-late/25-percent-late": ["Limits stop jobs 25 % late", stretching(0.25)],
    "timeout.not-late/once-in-a-while": ["1 job in 3 is stopped 4 s late", shifting(4, 3)],
    "timeout.not-late/near-1-s-late": ["Limits stop jobs 1 s late", shifting(1)],
  }),
  ...faultsOf("timeout.free", {
    "1-percent": ["A timeout costs 1 % of the price", charging(0.01)],
    "once-in-a-while": ["1 timeout in 3 costs the price", charging(1, 3)],
    "by-run-time": ["A timeout costs 80 micro-USD a second of its run", chargingTime],
    "near-waived": [
      "A timeout's run has its price, and its total is 0, as it is waived",
      jobs(
        ({ state }) => state === "timeout",
        (body, { worker, input }) =>
          withCost(body, Number, () => ({ run_usd: toUsd(runPrice(worker, input)) })),
      ),
      B_ONLY,
    ],
    "on-the-balance": [
      "A timeout takes 1 % of the price from the balance; the job states no cost",
      chargingInSecret(0.01),
      // All of them together take less than a balance of whole cents shows.
      { companions: ["load.accounting"], choices: { balanceDigits: "all" } },
    ],
  }),
  ...faultsOf("timeout.under-load", {
    late: [
      "When busy, limits stop jobs 6 s late",
      lateWhenBusy(6),
      { companions: ["timeout.not-late"] },
    ],
    charged: ["When busy, timeouts are charged", chargedWhenBusy, CHARGED],
    "1-in-20-charged": ["1 timeout in 20 costs the price", charging(1, 20), RARELY_CHARGED],
    "1-in-200-charged": ["1 timeout in 200 costs the price", charging(1, 200), RARELY_CHARGED],
    "1-in-1000-charged": ["1 timeout in 1000 costs the price", charging(1, 1_000), RARELY_CHARGED],
  }),
];
