/** Offers the rate of a load to the suite's own receiver, and counts what was answered in time. */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import type { MachineTrial } from "../../contract/run/machine-trial.ts";
import { MACHINE_MEASUREMENT } from "../../contract/run/machine-trial.ts";
import type { LoadPlan } from "../../contract/run/run-plan.ts";
import { offeredPerSecond } from "../../contract/run/shards.ts";
import type { Json } from "../../contract/verdict.ts";
import { arrivalsAt, forget } from "../client/receiver.ts";
import { NothingToObserve } from "../world/nothing.ts";
import type { Scenario } from "../world/scenario.ts";
import type { World } from "../world/world.ts";
import { delayUntil } from "../world/world.ts";

/** Ours: until connections are open and the code is warm, nothing counts. */
const WARM_UP_MS = 500;
/** Ours: as much as can be told of a machine in a time that nobody minds. */
const COUNTED_MS = 2_000;
/** Ours: beyond it a virtual user waits for itself alone, and leaves arrivals out. */
const IN_FLIGHT_MAX = 200;
/** Ours: start and end of a generator on a slow machine. */
const SECONDS_MAX = 30;

export const machineScenario: Scenario = {
  name: "machine",
  promises: [],
  outlastsService: true,
  secondsMax: () => SECONDS_MAX,
  async run({ world, plan }, report) {
    const { load, receiver } = plan;
    if (load === null || receiver === null) {
      throw new NothingToObserve("there is no load, or no receiver to try the machine against");
    }
    const trial = await offer(world, receiver, offeredPerSecond(plan, load));
    report.measurement(MACHINE_MEASUREMENT, trial as unknown as Json);
  },
};

/** Arrivals on a schedule of absolute times, as of a load. */
async function offer(
  world: World,
  receiver: ReceiverAccess,
  jobsPerSecond: LoadPlan["jobsPerSecond"],
): Promise<MachineTrial> {
  const countedFromMs = world.now() + WARM_UP_MS;
  const endMs = countedFromMs + COUNTED_MS;
  const intervalMs = 1_000 / jobsPerSecond;
  const sent: Promise<void>[] = [];
  let [jobs, inFlight] = [0, 0];
  for (let dueMs = world.now(); dueMs < endMs && world.now() < endMs; dueMs += intervalMs) {
    await delayUntil(world, dueMs);
    if (inFlight >= IN_FLIGHT_MAX) continue;
    inFlight += 1;
    const job = requestsOfJob(world, receiver).then((answeredAtMs) => {
      inFlight -= 1;
      if (answeredAtMs >= countedFromMs && answeredAtMs < endMs) jobs += 1;
    });
    sent.push(job);
  }
  await Promise.all(sent);
  return { jobs, seconds: COUNTED_MS / 1_000 };
}

/** As many as a job of a load takes, one with a body and one that reads; when both are answered. */
async function requestsOfJob(world: World, receiver: ReceiverAccess): Promise<number> {
  const token = `${receiver.tokenPrefix}machine`;
  await forget(world, receiver, [token]);
  await arrivalsAt(world, receiver, { prefix: token, after: 0, waitMs: 0, limit: 1 });
  return world.now();
}
