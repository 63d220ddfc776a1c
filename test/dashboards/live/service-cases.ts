/** Faults of the service that is watched, and near misses of them. */

import type { Failing } from "./gateway.ts";
import type { FaultCase } from "./fault-case.ts";
import type { World, WorldOptions } from "./world.ts";
import { canary, openWorld } from "./world.ts";

const MINUTE = 60;
const HOUR = 3_600;

/** Alerts look back an hour on what happens seldom. */
const AN_HOUR = HOUR + 2 * MINUTE;
/** The short window of the fastest burn rate, and evaluations. */
const A_WHILE = 10 * MINUTE;
/** Failed runs are counted over half an hour. */
const HALF_AN_HOUR = 32 * MINUTE;

interface InWorld extends Omit<FaultCase, "open"> {
  world?: WorldOptions;
  begin(world: World): unknown;
  end(world: World): unknown;
}

/** A fault in a world of this process. */
function inWorld({ world: options, begin, end, ...rest }: InWorld): FaultCase {
  return {
    ...rest,
    async open(folder) {
      const world = await openWorld(folder, options);
      return {
        address: new URL(world.probe.address).host,
        async begin() {
          await begin(world);
        },
        async end() {
          await end(world);
        },
        close: () => world.close(),
      };
    },
  };
}

/** A fault of the reference service, switched as its admin API does. */
function ofReference(name: string, rest: Omit<InWorld, "begin" | "end" | "id" | "fault">) {
  return inWorld({
    ...rest,
    id: name.replaceAll(/[^a-z0-9]+/g, "-"),
    fault: `\`${name}\``,
    begin: ({ service }) => service.faults.enable(name),
    end: ({ service }) => service.faults.disable(name),
  });
}

/** Answers of the gateway's own in place of the service's. */
function answering(rest: Omit<InWorld, "begin" | "end">, failing: Failing): FaultCase {
  return inWorld({
    ...rest,
    begin: ({ gateway }) => gateway.fail(failing),
    end: ({ gateway }) => gateway.fail(null),
  });
}

/** A promise is seen broken in the first run or two, and told for an hour. */
function broken(promise: string) {
  return {
    raises: [{ alert: `PlumblinePromiseBroken ${promise}`, withinSeconds: 4 * MINUTE }],
    clearsSeconds: AN_HOUR,
  };
}

const FAILING = { alert: "PlumblineCanaryFailing", withinSeconds: 5 * MINUTE };
const burning = (name: string, withinSeconds = 8 * MINUTE) => ({
  alert: `Plumbline${name}Burn 1h`,
  withinSeconds,
});
/** A longer outage spends more of the budget: the slower alerts on it follow. */
const slower = (name: string) => ["6h", "1d", "3d"].map((long) => `Plumbline${name}Burn ${long}`);

const OUTAGES: readonly FaultCase[] = [
  inWorld({
    id: "service-down",
    fault: "The service is down: connections are refused",
    raises: [FAILING, burning("CanarySuccess"), burning("ApiAvailable")],
    mayRaise: [...slower("CanarySuccess"), ...slower("ApiAvailable")],
    clearsSeconds: A_WHILE,
    begin: ({ gateway }) => gateway.shut(),
    end: ({ gateway }) => gateway.open(),
  }),
  answering(
    {
      id: "service-500",
      fault: "Every answer is 500",
      raises: [FAILING, burning("CanarySuccess"), burning("ApiAvailable")],
      mayRaise: [...slower("CanarySuccess"), ...slower("ApiAvailable")],
      clearsSeconds: A_WHILE,
    },
    () => ({ status: 500 }),
  ),
  answering(
    {
      id: "submit-503",
      fault: "Submissions are answered 503, reads are served",
      raises: [FAILING, burning("CanarySuccess")],
      mayRaise: slower("CanarySuccess"),
      clearsSeconds: A_WHILE,
    },
    (method) => (method === "POST" ? { status: 503 } : null),
  ),
  inWorld({
    id: "single-failure",
    fault: "A single canary fails",
    raises: [],
    lastsSeconds: MINUTE,
    clearsSeconds: 0,
    begin: async (world) => {
      const failed = () => world.sample(/^plumbline_canary_runs_total\{.*outcome="http_error"/);
      world.gateway.fail((method) => (method === "POST" ? { status: 500 } : null));
      while ((await failed()) < 1) await new Promise((resolve) => setTimeout(resolve, 50));
      world.gateway.fail(null);
    },
    end: () => {},
  }),
];

const PROMISES: readonly FaultCase[] = [
  ofReference("submit.accepted-status/answers-200", broken("submit.accepted-status")),
];

export const SERVICE_CASES: readonly FaultCase[] = [...OUTAGES, ...PROMISES];
void HALF_AN_HOUR;
void canary;
