/** Kinds of cases: a fault of the reference service, answers of the gateway's, anything else. */

import type { FaultCase } from "./fault-case.ts";
import type { Failing } from "./gateway.ts";
import type { World, WorldOptions } from "./world.ts";
import { openWorld } from "./world.ts";

export const MINUTE = 60;
const HOUR = 3_600;

/** What is seldom is counted over an hour; an evaluation or two come on top. */
export const AN_HOUR = HOUR + 3 * MINUTE;
/** Failed runs of canaries are counted over half an hour. */
export const HALF_AN_HOUR = 33 * MINUTE;
/** The short window of the fastest burn rate is 5 minutes. */
export const A_WHILE = 10 * MINUTE;

/** Takes a fault away. */
export type End = () => unknown;

export interface InWorld extends Rest {
  world?: WorldOptions;
  /** Brings the fault about, and gives back what ends it. */
  begin(world: World): End | Promise<End>;
}

/** A fault in a world of this process. */
export function inWorld({ world: options, ...rest }: InWorld): FaultCase {
  return inAny(rest, true, async (folder) => {
    const world = await openWorld(folder, options);
    return { world, address: new URL(world.probe.address).host };
  });
}

type Rest = Omit<FaultCase, "open">;

/** A fault in a world of any kind. */
export function inAny<Any extends { close(): Promise<void> }>(
  { begin, ...rest }: Rest & { begin(world: Any): End | Promise<End> },
  isShared: boolean,
  open: (folder: string) => Promise<{ world: Any; address: string }>,
): FaultCase {
  return {
    ...rest,
    async open(folder) {
      const { world, address } = await open(folder);
      let end: End = () => {};
      return {
        address,
        isShared,
        begin: async () => {
          end = await begin(world);
        },
        end: async () => void (await end()),
        close: () => world.close(),
      };
    },
  };
}

type Told = Pick<FaultCase, "raises" | "mayRaise" | "lastsSeconds" | "clearsSeconds">;

/** Faults of the reference service, switched as its admin interface does. */
export function ofReference(
  id: string,
  names: readonly string[],
  told: Told,
  world: WorldOptions = {},
): FaultCase {
  return inWorld({
    ...told,
    id,
    fault: names.map((name) => `\`${name}\``).join(", "),
    world,
    begin: ({ service: { faults } }) => {
      for (const name of names) faults.enable(name);
      return () => {
        for (const name of names) faults.disable(name);
      };
    },
  });
}

/** Answers of the gateway's own in place of the service's. */
export function answering(rest: Omit<InWorld, "begin">, failing: Failing): FaultCase {
  return inWorld({
    ...rest,
    begin: ({ gateway }) => {
      gateway.fail(failing);
      return () => gateway.fail(null);
    },
  });
}

export const FAILING = { alert: "PlumblineCanaryFailing", withinSeconds: 5 * MINUTE };

/** The page on a budget that is spent 14.4 times as fast as it may be. */
export function burning(name: string, withinSeconds = 8 * MINUTE) {
  return { alert: `Plumbline${name}Burn 1h`, withinSeconds };
}

/** A fault that lasts spends more of the budget: the slower alerts on it may follow. */
export function slower(...names: readonly string[]): string[] {
  return names.flatMap((name) => ["6h", "1d", "3d"].map((long) => `Plumbline${name}Burn ${long}`));
}

/** The ticket on a promise that an observation contradicts. */
export function seenBroken(promise: string, withinSeconds = 4 * MINUTE) {
  return { alert: `PlumblinePromiseBroken ${promise}`, withinSeconds };
}
