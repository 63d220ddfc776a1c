/** What the profile quick sees that is there always: each of these it once called kept. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Finding } from "../../contract/verdict.ts";
import { cellsMatching } from "./cells.ts";
import { judgeSimulated, seedOf } from "./simulated.ts";

/** Of the first cell of that name, on the promises given and its own. */
async function judged(name: string, others: readonly PromiseId[] = []): Promise<Finding> {
  const [cell] = cellsMatching(`^${name}$`);
  if (cell === undefined) throw new Error(`the catalogue lacks ${name}`);
  const { promise, choices } = cell.fault;
  const { findings } = await judgeSimulated({
    ...{ variant: cell.variant, faults: [cell.fault.name], ...(choices && { choices }) },
    ...{ only: [promise, ...others], seed: seedOf(cell, 0), profile: "quick" },
  });
  const wrong = findings.filter(({ verdict, ...each }) => {
    return verdict === "broken" && each.promise !== promise;
  });
  expect(wrong).toEqual([]);
  const own = findings.find((each) => each.promise === promise);
  if (own === undefined) throw new Error(`nothing was said of ${promise}`);
  return own;
}

const LOADED = ["load.no-losses"] as const;
const RETRIED = ["webhook.retried", "webhook.wait-1", "webhook.wait-2"] as const;

it.each<[name: string, others: readonly PromiseId[], words: RegExp]>([
  ["submit.asynchronous/waits-for-the-run A", ["submit.control-parameters"], /8000 ms for jobs/],
  ["webhook.retried/not-after-refused B", RETRIED, /no attempt came after a refused connection/],
  ["webhook.retried/not-after-later-resets A", RETRIED, /after a reset connection .* attempt 2/],
  ["webhook.retried/not-after-second-404 B", RETRIED, /after status 404 .* attempt 2/],
  ["webhook.wait-2/45-s-of-timeout A", RETRIED, /41 s after .* attempt 3 had not come/],
  ["webhook.wait-1/2-s-of-free-keys A", LOADED, /of the soak .* came 20\d\d ms later/],
  ["load.accounting/redeliveries-charged B", LOADED, /fell by/],
])("%s", async (name, others, words) => {
  const { verdict, summary } = await judged(name, others);
  expect([verdict, summary]).toEqual(["broken", expect.stringMatching(words)]);
});

it("doubts a load that leaves jobs in the queue while nothing runs", async () => {
  const { verdict, summary } = await judged("load.no-losses/never-starts A");
  expect([verdict, summary]).toEqual(["inconclusive", expect.stringMatching(/it had not run/)]);
});

it("says that no job of a short load reached its limit while more came", async () => {
  const { verdict, strength } = await judged("timeout.under-load/charged A");
  expect(verdict).toBe("kept");
  expect(strength?.notTried).toEqual(["limits that are reached while more jobs are submitted"]);
});
