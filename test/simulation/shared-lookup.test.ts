/** Lists that are looked up at once, where one lookup serves several accounts. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { openService } from "../../simulation/service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** How long a lookup takes, in ms. */
const LOOKUP_MS = 4;
const PROMISE = "job.list-own";

/** All lists of a lookup are those of the account that asked first or last, or each has its own. */
async function gateOf(whose: "first" | "last" | "own", seed: number, only: readonly PromiseId[]) {
  const { findings } = await simulateGate({
    seed,
    profile: "standard",
    only,
    openService(setup) {
      const service = openService(setup);
      const { clock } = setup.machine;
      let headers: readonly string[] = [];
      let waiting = 0;
      return {
        ...service,
        serve(request, reply) {
          const isList = request.method === "GET" && request.target === "/v1/jobs";
          if (!isList) return service.serve(request, reply);
          if (waiting === 0 || whose !== "first") headers = request.rawHeaders;
          waiting += 1;
          clock.plainAt(clock.nowMs() + LOOKUP_MS, () => {
            waiting -= 1;
            const rawHeaders = whose === "own" ? request.rawHeaders : headers;
            service.serve({ ...request, rawHeaders }, reply);
          });
        },
      };
    },
  });
  return findings.find(({ promise }) => promise === PROMISE);
}

it.each(["first", "last"] as const)(
  "sees lists that all are those of the account that asked %s, without a load",
  async (whose) => {
    const found = await gateOf(whose, 7, [PROMISE]);
    expect([found?.verdict, found?.summary]).toEqual([
      "broken",
      expect.stringMatching(/another account's list shows \d+ jobs? of the caller's/),
    ]);
  },
);

it("finds nothing wrong with lists that are looked up each by itself", async () => {
  expect(await gateOf("own", 7, [PROMISE])).toMatchObject({ verdict: "kept" });
});
