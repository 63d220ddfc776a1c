/** Asks for a list of jobs until it shows enough, and tells where it was refused each time. */

import type { AskedList } from "../../../contract/judges/job/lists/refused-list.ts";
import { isRefusedList } from "../../../contract/judges/job/lists/refused-list.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { asQuoted } from "../../../contract/verdict.ts";
import type { Polling } from "../../world/poll-until.ts";
import { pollUntil } from "../../world/poll-until.ts";
import type { World } from "../../world/world.ts";

/** `elsewhere`: asks another endpoint with the same key. */
export async function pollList(
  world: Pick<World, "now" | "delay">,
  polling: Polling<Exchange>,
  elsewhere: () => Promise<Exchange>,
): Promise<AskedList> {
  let [times, first]: [number, Exchange | null] = [0, null];
  let isEach = true;
  const list = await pollUntil(world, {
    ...polling,
    async ask() {
      const each = await polling.ask();
      times += 1;
      first ??= asQuoted(each);
      isEach &&= isRefusedList(each);
      return each;
    },
  });
  if (!isEach || first === null) return { list };
  return { list, refusals: { first, times, meanwhile: await elsewhere() } };
}
