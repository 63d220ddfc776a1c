/** A world whose requests and answers are on their way for as long as a test says. */

import type { World } from "../../../scenarios/world/world.ts";

/** What happens to a request of a bunch on its way there, and to its answer on the way back. */
export type Ways = (place: number, bunch: number) => { thereMs: number; backMs: number };

export function withWays(world: World, waysOf: Ways): World {
  let bunch = { atMs: 0, sent: 0, number: 0 };
  return {
    ...world,
    async request(request) {
      const atMs = world.now();
      if (atMs !== bunch.atMs) bunch = { atMs, sent: 0, number: bunch.number + 1 };
      bunch.sent += 1;
      const { thereMs, backMs } = waysOf(bunch.sent, bunch.number);
      if (thereMs > 0) await world.delay(thereMs);
      const answer = await world.request(request);
      if (backMs > 0) await world.delay(backMs);
      return answer;
    },
  };
}
