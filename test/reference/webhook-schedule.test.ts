/** When webhooks come, on a virtual clock: waits after failures, the answer limit, and no more. */

import { expect, it } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { openVirtual, type Script } from "./virtual-service.ts";

const HOOK = "http://receiver.test/hook";

/** Seconds between the deliveries of one job, within twenty minutes. */
async function gaps(script: Script): Promise<number[]> {
  const { posts, submit, pass } = openVirtual({}, script);
  submit("echo", { text: "x", webhook: HOOK });
  await pass(1_200);
  const times = posts.map(({ atMs }) => atMs / 1_000);
  return times.slice(1).map((time, n) => Math.round((time - (times[n] ?? time)) * 1_000) / 1_000);
}

it(
  covers("a webhook is retried after 5, 30 and 300 s, and then no more", "25 reference"),
  async () => {
    expect(await gaps(Array(9).fill({ status: 500 }))).toEqual([5, 30, 300]);
  },
);

it.each([
  ["a 200", [], []],
  ["a 404", [{ status: 404 }], [5]],
  ["a 204, which is no 200", [{ status: 204 }], [5]],
  ["a reset connection", ["reset"], [5]],
  ["no answer within 10 s", ["silence"], [15]],
  ["a 200 after 15 s", [{ status: 200, afterMs: 15_000 }], [15]],
  ["a 200 after 9.9 s", [{ status: 200, afterMs: 9_900 }], []],
] as const)(
  "after %s a webhook is not sent again once a 200 came",
  async (_name, script, waits) => {
    expect(await gaps(script)).toEqual(waits);
  },
);

it("none is sent for jobs that did not ask for one", async () => {
  const { posts, submit, job, pass } = openVirtual();
  submit("echo", { text: "x", webhook: HOOK });
  const id = submit("echo", { text: "x" });
  await pass(1_200);
  expect(job(id).status).toBe("SUCCEEDED");
  expect(posts).toHaveLength(1);
});
