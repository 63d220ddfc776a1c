/** A stranger on the way who sends the service's own delivery again, and floods its address. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { covers } from "../../../tools/robustness/covers.ts";
import { serve } from "../../http/serve.ts";
import { post } from "../../receiver/post.ts";
import { openReference } from "../../reference/open-reference.ts";
import { bendingProxy } from "../bending-proxy.ts";
import { canary, open, until } from "../open-probe.ts";

/** The service waits 2 s for an answer to its webhook: no busy machine lets it come again. */
const UNHURRIED = 0.2;
const REPLAYS = 200;
/** Of a run so many deliveries are kept. */
const KEPT_MAX = 16;
/** Ours: beyond what the receiver reads of a body. */
const OVERSIZED = Buffer.alloc(1_100 * 1024, "x");
const OVERSIZED_POSTS = 20;

interface Came {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** An address that hands each delivery on to where it was to go, and keeps the last one. */
async function relay() {
  const goals: string[] = [];
  const came = Promise.withResolvers<Came>();
  const address = await serve(async (request, response) => {
    const url = goals[Number(request.url?.slice(1))] ?? "";
    const { host: _host, connection: _connection, ...rest } = request.headers;
    const headers = rest as Record<string, string>;
    const body = await buffer(request);
    const { status } = await post(url, { headers, body });
    response.writeHead(status).end();
    came.resolve({ url, headers, body });
  });
  const urlFor = (goal: string) => `${address}/${goals.push(goal) - 1}`;
  return { urlFor, came: came.promise };
}

it(
  covers("a delivery that is replayed and flooded counts once", "42 probe", "44 probe"),
  async () => {
    // Of the same seed as the one that lends its keys and its signing secret to the probe.
    const service = await openReference({ timeScale: UNHURRIED });
    const { urlFor, came } = await relay();
    const baseUrl = await bendingProxy(service.baseUrl, {
      request: (text) => {
        const body = JSON.parse(text) as { webhook?: string };
        const { webhook } = body;
        return webhook === undefined ? text : JSON.stringify({ ...body, webhook: urlFor(webhook) });
      },
    });
    const { probe, sample, stateDir } = await open({
      canaries: [canary("success", { webhook: true, deadlineMs: 60_000 })],
      target: { baseUrl, timeScale: UNHURRIED },
    });
    const deliveries = (outcome: string) =>
      sample(new RegExp(`^plumbline_webhook_deliveries_total.*outcome="${outcome}"`));
    const first = probe.once();
    const { url, headers, body } = await came;
    for (let n = 0; n < REPLAYS; n += 20) {
      const replays = Array.from({ length: 20 }, () => post(url, { headers, body }));
      expect((await Promise.all(replays)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    }
    const flood = Array.from({ length: OVERSIZED_POSTS }, () => post(url, { body: OVERSIZED }));
    expect((await first).get("success")).toMatchObject({ outcome: "success" });
    expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
    await Promise.all(flood);
    await until(async () => (await deliveries("repeated")) >= REPLAYS);
    expect([await deliveries("first"), await deliveries("repeated")]).toEqual([2, REPLAYS]);
    expect(await sample(/_sli_events_total.*webhook-delivered",result="good"/)).toBe(2);
    await probe.close(0);
    const journal = new DatabaseSync(join(stateDir, "probe.db"), { readOnly: true });
    onTestFinished(() => journal.close());
    const kept = journal
      .prepare(`SELECT count(*) AS kept FROM observations
        WHERE json_extract(observation, '$.kind') = 'delivery'
        GROUP BY run_id ORDER BY kept`)
      .all();
    expect(kept).toEqual([{ kept: 1 }, { kept: KEPT_MAX }]);
  },
);
