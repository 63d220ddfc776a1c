/** A whole gate run under load whose receiver strangers flood meanwhile. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { gateScenarios } from "../../cli/files/scenario-files.ts";
import { runGate } from "../../gate/gate.ts";
import type { GateOptions } from "../../gate/options.ts";
import { realPorts } from "../../gate/ports.ts";
import type { OpenReceiver } from "../../gate/webhook-receiver.ts";
import type { ReceiverStats } from "../../receiver/query-schema.ts";
import { receiverStats } from "../../receiver/query-schema.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { findingOf } from "../contract/findings.ts";
import { openReference } from "../reference/open-reference.ts";
import { k6Here } from "../runner/k6-here.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";
import type { Flood } from "./flood-process.ts";

const LIMIT_MS = 600_000;
/** Ours: the service waits 2 s for an answer, which a busy machine has given by then. */
const TIME_SCALE = 0.2;
const POSTS = 5_000;
const SENDERS = 50;
/** Of the embedded load: 20 a second for 12 s. */
const JOBS = 240;
/** Of 5,000, as flood-process.ts has them: six of ten are to tokens of nobody. */
const FOREIGN = 3_000;

/** What the receiver keeps at the most, as `receiver/options.ts` says. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** What may be kept besides: the service and the collector of this process have their share. */
const RSS_GROWTH_MAX = 500 * 1024 * 1024;
/** Ours: often enough to see the receiver when it holds most. */
const WATCH_MS = 100;

/** Calls back with the first delivery that goes out, and leaves all as they are. */
const watching = (onFirst: (delivery: Flood["delivery"]) => void): Fault =>
  faultOf("webhook.once", "near-watched", "Tells of the first delivery", () => {
    let told = false;
    return {
      post(post) {
        const { url, headers, body } = post;
        if (!told) onFirst({ url, headers, body });
        told = true;
        return post;
      },
    };
  });

async function statsOf({ access, secrets }: OpenReceiver): Promise<ReceiverStats> {
  if (access === null) throw new Error("the gate has no receiver");
  const secret = secrets.get(access.querySecretEnv)?.reveal() ?? "";
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(`${access.queryUrl}/stats`, { headers });
  return receiverStats.parse(await response.json());
}

/** What the receiver tells of itself until the flood is over, from before it begins. */
async function watched(opened: OpenReceiver, flooding: Promise<unknown>): Promise<ReceiverStats[]> {
  let isOver = false;
  void flooding.finally(() => {
    isOver = true;
  });
  const stats = [await statsOf(opened)];
  while (!isOver) {
    await wait(WATCH_MS);
    stats.push(await statsOf(opened));
  }
  return stats;
}

/** A run whose receiver is flooded from the first delivery on; with what each of them saw. */
async function flooded() {
  const { promise: first, resolve } = Promise.withResolvers<Flood["delivery"]>();
  const fault = watching(resolve);
  const service = await openReference({ timeScale: TIME_SCALE, faults: [fault.name] }, [fault]);
  const options = await optionsOf(embeddedTarget(service));
  const ports = realPorts(options);
  const seen = { answers: "", stats: [] as ReceiverStats[] };
  const openReceiver: typeof ports.openReceiver = async (...given) => {
    const opened = await ports.openReceiver(...given);
    const flooding = first.then((delivery) => flood(opened, delivery));
    const watching = watched(opened, flooding);
    const close = async () => {
      seen.answers = await flooding;
      seen.stats = await watching;
      await opened.close();
    };
    return { ...opened, close };
  };
  const result = await runGate(options, { ...ports, openReceiver });
  return { ...seen, result, answers: JSON.parse(seen.answers) as Record<string, number> };
}

async function optionsOf(subject: Pick<GateOptions, "target" | "secrets">): Promise<GateOptions> {
  return {
    ...subject,
    profile: "quick",
    only: ["load.webhooks"],
    seed: 1,
    outputDir: await temporaryFolder(),
    k6: await k6Here(),
    scenarios: gateScenarios(),
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: () => {},
  };
}

async function flood({ access }: OpenReceiver, delivery: Flood["delivery"]): Promise<string> {
  const order: Flood = { base: access?.publicUrl ?? "", delivery, posts: POSTS, senders: SENDERS };
  const file = `${import.meta.dirname}/flood-process.ts`;
  const child = spawn(process.execPath, [file, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return await text(child.stdout);
}

it(covers(
  "a receiver that is flooded under load keeps little, and what the service sends is judged",
  "44 gate",
), { timeout: LIMIT_MS }, async () => {
  const { result, answers, stats } = await flooded();
  const most = (figure: (each: ReceiverStats) => number) => Math.max(...stats.map(figure));
  // Of nobody's tokens nothing is kept; of a body that is too large no more than its beginning.
  // A sender that is turned away in mid-body may see a reset and not the answer.
  expect(answers[404]).toBeGreaterThanOrEqual(FOREIGN * 0.8);
  expect(answers[200]).toBeGreaterThan(0);
  expect(most(({ refused }) => refused.foreignToken)).toBeGreaterThanOrEqual(FOREIGN * 0.95);
  expect(most(({ tokens }) => tokens)).toBeLessThanOrEqual(JOBS);
  expect(most(({ bytes }) => bytes)).toBeLessThanOrEqual(KEPT_BYTES_MAX);
  expect(most(({ deliveries }) => deliveries)).toBeLessThan(POSTS - FOREIGN + JOBS);
  const before = stats[0]?.rssBytes ?? 0;
  expect(most(({ rssBytes }) => rssBytes) - before).toBeLessThan(RSS_GROWTH_MAX);
  const { verdict, summary } = findingOf(result.findings, "load.webhooks");
  // On a busy machine one of the service's may be evicted unread: it is said, and breaks nothing.
  expect(`${verdict}: ${summary}`).toMatch(/^kept|^inconclusive: .*the receiver evicted [1-9]/);
});
