/** A whole gate run in which a stranger posts to URLs of webhooks that it has learnt. */

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { promisesWith } from "../contract/findings.ts";
import { bendingProxy } from "../probe/bending-proxy.ts";
import { post } from "../receiver/post.ts";
import { openReference } from "../reference/open-reference.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";
import { quickRun } from "./quick-run.ts";

/**
 * In scaled time a service on a busy machine may take an answer that comes 50 ms late for one in
 * time: nothing that is posted bears on that.
 */
const BY_MILLISECONDS = "webhook.answer-time";
const GROUP = PROMISE_IDS.filter((id) => id.startsWith("webhook.") && id !== BY_MILLISECONDS);
/** Of the jobs in order of submission: the first is watched alone, the others side by side. */
const FORGED_JOBS = [2, 4];

/** Verdicts of the group, and what the run has written. */
async function judged() {
  const service = await openReference({ variant: "B", timeScale: 0.05, seed: 1 });
  const { target, secrets } = embeddedTarget(service);
  const asked = new Map<string, { webhook?: string }[]>();
  let jobs = 0;
  const learnt: string[] = [];
  const forge = async (url: string) => {
    const body = JSON.stringify({ event: "job.failed", job_uuid: "another", status: "failed" });
    const headers = { "content-type": "application/json" };
    // One before the end, and another one as if the service had repeated it. Which job is which
    // depends on how fast they are sent: the answer that a URL is made for may be a reset.
    for (let time = 0; time < 2; time += 1) await post(url, { headers, body });
    learnt.push(url);
  };
  const baseUrl = await bendingProxy(service.baseUrl, {
    answer: async (body, { method, url }) => {
      const { webhook } = asked.get(`${method} ${url}`)?.shift() ?? {};
      if (webhook === undefined) return body;
      jobs += 1;
      if (FORGED_JOBS.includes(jobs)) await forge(webhook);
      return body;
    },
    request: (body, { method, url }) => {
      const queue = asked.get(`${method} ${url}`) ?? [];
      queue.push(fieldsOf(body));
      asked.set(`${method} ${url}`, queue);
      return body;
    },
  });
  const outputDir = await temporaryFolder();
  const { findings } = await quickRun({
    target: { ...target, baseUrl },
    secrets,
    only: GROUP,
    outputDir,
  });
  return { findings, learnt, outputDir };
}

function fieldsOf(body: string): { webhook?: string } {
  try {
    return JSON.parse(body) as { webhook?: string };
  } catch {
    return {};
  }
}

const LIMIT_MS = 600_000;

it(covers("forged posts break webhook.signed and nothing else", "41 gate"), {
  timeout: LIMIT_MS,
}, async () => {
  const { findings, learnt, outputDir } = await judged();
  expect(learnt).toHaveLength(FORGED_JOBS.length);
  const summaries = findings.map(({ promise, summary }) => `${promise}: ${summary}`).join("\n");
  expect(promisesWith(findings, "broken"), summaries).toEqual(["webhook.signed"]);
  const kept = promisesWith(findings, "kept");
  expect(kept).toEqual(expect.arrayContaining(["webhook.delivered", "webhook.truthful"]));
  // The secret of the receiver's queries is in k6's environment, and in none of its outputs.
  const folder = path.join(outputDir, "k6");
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(path.join(folder, name), "utf8")),
  );
  expect(texts.join()).not.toMatch(/bearer/i);
});
