/** Services of known capacity whose searches are counted, in jobs a second. */

import { bucket, each, slows, varied } from "../simulated/services.ts";
import type { Service } from "../simulated/world.ts";

export interface Planted {
  name: string;
  perSecond: number;
  /** What gives way first. */
  bottleneck: "queue" | "limiter" | "workers";
  /** `share`: when in its period it is as a search begins, in [0, 1). */
  service: (share: number) => Service;
}

function pool(slots: number, work: Service["work"], more: Partial<Service> = {}): Service {
  return { slots: () => slots, work, ...more };
}

const exponential: Service["work"] = ({ random }) => -0.4 * Math.log(1 - random.next());
const twoKinds: Service["work"] = ({ random }) => (random.next() < 0.8 ? 0.3 : 1.6);
const shared: Service["speed"] = ({ running }) => Math.min(1, 20 / Math.max(1, running.length));

const STEADY: readonly Planted[] = [
  {
    name: "20 slots, 0.5 s",
    perSecond: 40,
    bottleneck: "queue",
    service: () => pool(20, varied(0.5)),
  },
  {
    name: "14 submissions a second, 14 at once",
    perSecond: 14,
    bottleneck: "limiter",
    service: () => pool(100, () => 0.4, bucket(14, 14)),
  },
  {
    name: "20 processors, shared",
    perSecond: 40,
    bottleneck: "workers",
    service: () => pool(1_000, varied(0.5), { speed: shared }),
  },
  {
    name: "8 workers, jobs of 0.3 s and 1.6 s",
    perSecond: 8 / 0.56,
    bottleneck: "queue",
    service: () => pool(8, twoKinds),
  },
  {
    name: "8 workers, jobs of exponential length",
    perSecond: 20,
    bottleneck: "queue",
    service: () => pool(8, exponential),
  },
];

/** 8 workers, 20 jobs a second at full speed: seconds slow, of so many, and the speed then. */
const SLOW = [
  [1.5, 10, 0],
  [2, 7, 0],
  [4, 20, 0],
  [12, 20, 0.3],
  [6, 12, 0.5],
  [5, 30, 0.2],
  [30, 120, 0.2],
  [45, 180, 0.5],
] as const;

function slow([seconds, every, speed]: (typeof SLOW)[number]): Planted {
  const what = speed === 0 ? "stands still" : `works at ${speed} of its speed`;
  return {
    name: `${what} ${seconds} s in ${every}`,
    perSecond: 20 * (1 - ((1 - speed) * seconds) / every),
    bottleneck: "queue",
    service: (share) => {
      return pool(8, varied(0.4), { speed: slows(every, seconds, speed, share * every) });
    },
  };
}

const BATCHES = [
  [40, 3],
  [60, 6],
] as const;

function batch([jobs, seconds]: (typeof BATCHES)[number]): Planted {
  return {
    name: `batches of ${jobs} every ${seconds} s`,
    perSecond: jobs / seconds,
    bottleneck: "queue",
    service: (share) => {
      const fromSeconds = Math.round(share * seconds * 200) / 200;
      return pool(jobs, varied(0.5), { dispatches: each(seconds, fromSeconds) });
    },
  };
}

export const PLANTED = [...STEADY, ...SLOW.map(slow), ...BATCHES.map(batch)];
