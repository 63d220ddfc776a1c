/** Tries this machine before a load that asks much of it, so that nobody learns of it too late. */

import { isTooSlow, machineRate } from "../contract/run/machine-trial.ts";
import { offeredPerSecond } from "../contract/run/shards.ts";
import type { Secrets } from "../contract/text/secret.ts";
import { judges } from "./occupancy.ts";
import type { GateOptions } from "./options.ts";
import type { GatePlan } from "./plan.ts";
import type { GatePorts } from "./ports.ts";

/** Ours: any machine that runs k6 offers that. */
const SURE_JOBS_PER_SECOND = 100;
/** Ours: a trial takes three seconds, and k6 some more to start on a busy machine. */
const TIME_LIMIT_MS = 60_000;

export interface TrialOptions extends Pick<GateOptions, "machine" | "signal"> {
  secrets: Secrets;
  ports: Pick<GatePorts, "runScenario">;
}

/** What is asked of the machine, and what it offers at the most, in jobs a second. */
interface Shortfall {
  offered: number;
  asked: number;
}

/** Null where the machine is fast enough, or nothing is known of it. */
export async function tryMachine(
  { steps }: Pick<GatePlan, "steps">,
  { machine, secrets, signal, ports }: TrialOptions,
): Promise<Shortfall | null> {
  const step = steps.find((each) => each.kind === "scenario" && judges(each.scenario, "load"));
  const plan = step?.plan;
  if (machine === undefined || plan?.load == null || plan.receiver === null) return null;
  const asked = offeredPerSecond(plan, plan.load);
  if (asked <= SURE_JOBS_PER_SECOND) return null;
  const { records } = await ports.runScenario({
    name: machine.name,
    scenario: machine,
    plan,
    secrets,
    timeLimitMs: TIME_LIMIT_MS,
    signal,
    onRecord: () => {},
  });
  const offered = machineRate(records);
  return offered === null || !isTooSlow(offered, asked) ? null : { offered, asked };
}

export function shortfallNote({ offered, asked }: Shortfall): string {
  const [most, wanted] = [offered, asked].map(Math.round);
  const against = "as tried for two seconds against its own receiver";
  return `this machine offers ${most} jobs/s at the most, ${against}; asked ${wanted}`;
}
