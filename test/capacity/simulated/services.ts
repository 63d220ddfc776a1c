/** Ways of services in virtual time that several tests plant. */

import type { Service } from "./world.ts";

/** Jobs that differ by up to a fifth. */
export function varied(seconds: number): Service["work"] {
  return ({ random }) => seconds * (0.8 + 0.4 * random.next());
}

/** Dispatches once in so many seconds. */
export function each(seconds: number, fromSeconds = 0): Required<Service>["dispatches"] {
  const ticks = (time: number) => Math.round(time * 200);
  return ({ now }) => ticks(now + fromSeconds) % ticks(seconds) === 0;
}

/** Of so many seconds it works with a share of its speed for some; stands still with none. */
export function slows(
  every: number,
  seconds: number,
  share: number,
  fromSeconds = 0,
): Required<Service>["speed"] {
  return ({ now }) => ((now + fromSeconds) % every < seconds ? share : 1);
}

/** A token bucket, full at first, for submissions. */
export function bucket(perSecond: number, size: number): Pick<Service, "tick" | "refuses"> {
  let tokens = size;
  return {
    tick: (_, seconds) => {
      tokens = Math.min(size, tokens + seconds * perSecond);
    },
    refuses: () => {
      if (tokens < 1) return 429;
      tokens -= 1;
      return null;
    },
  };
}
