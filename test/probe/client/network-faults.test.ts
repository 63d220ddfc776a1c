/**
 * A probe behind a network at fault: the bytes of its own connections are cut, swallowed, slowed
 * and sliced on their way.
 */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../../probe/outcome.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import type { Toxic, Toxiproxy } from "../../fronts/toxiproxy.ts";
import * as network from "../../fronts/toxiproxy.ts";
import { TOOL_MS } from "../../go-tool.ts";
import type { Behaviour } from "./hostile-service.ts";
import * as hostile from "./hostile-service.ts";
import { expectedOf, probeOn } from "./probe-on.ts";

/** Ours: long enough for several polls, short enough to be waited for. */
const DEADLINE_MS = 3_000;
/** Ours: far longer than what arrives takes, also on a busy machine. */
const PATIENT_MS = 20_000;
/** The look for a lost submission, 5 s. Ours: what a busy machine takes beside. */
const SLACK_MS = 5_000 + 10_000;

let toxiproxy: Toxiproxy;
beforeAll(async () => {
  toxiproxy = await network.startToxiproxy();
}, TOOL_MS);
afterAll(() => toxiproxy.close());

interface Network {
  /** From the first byte of a connection. */
  always?: readonly Toxic[];
  /** From the answer on. */
  toxics: readonly Toxic[];
}

const RESET: Network = {
  always: network.endsInReset("downstream"),
  toxics: network.cutAfter("downstream", 600),
};
const BLACK_HOLE: Network = { toxics: network.blackHole("downstream") };
const DRIPPING: Network = { toxics: network.byteByByte("downstream", 10) };

type What = "submit" | "poll";

/** What comes back in an answer over the network, and how the run ends. */
const FAULTS: readonly (readonly [name: string, what: What, Network, why: RegExp])[] = [
  [covers("a submission's reset", "2 probe"), "submit", RESET, /: no response \(reset\); the list/],
  [covers("a submission's silence", "3 probe"), "submit", BLACK_HOLE, /: no response \(timeout\);/],
  [covers("a submission's dripping", "5 probe"), "submit", DRIPPING, /: no response \(timeout\);/],
  [covers("a poll's reset", "2 probe"), "poll", RESET, /the last poll was no response/],
  [covers("a poll's silence", "3 probe"), "poll", BLACK_HOLE, /the last poll was no response/],
  [covers("a poll's dripping body", "5 probe"), "poll", DRIPPING, /the last poll was no response/],
];

/** Over a second on a line of a kilobyte a second, and far more than the head before it. */
const LENGTH = 1_000;
const ACCEPTED = JSON.stringify(hostile.acceptance("job_success", "success"));
const result = { text: "späße" };
const ENDED = JSON.stringify(hostile.job("job_success", "completed", { result }));
const ANSWERS: Readonly<Record<What, Behaviour>> = {
  submit: hostile.json(202, ACCEPTED.padEnd(LENGTH)),
  poll: hostile.json(200, ENDED.padEnd(LENGTH)),
};

/** One run of a canary, and whether the probe's metrics could be read in the midst of it. */
async function runThrough(what: What, { always, toxics }: Network, deadlineMs: number) {
  const answered = Promise.withResolvers<void>();
  let answers = 0;
  const faulty: Behaviour = async (response, request) => {
    answers += 1;
    if (answers === 1) await front.add(toxics);
    ANSWERS[what](response, request);
    answered.resolve();
  };
  const service = await hostile.startHostile({ success: { [what]: faulty } });
  onTestFinished(() => service.close());
  const front = await toxiproxy.front(service.baseUrl, always);
  const { probe, sample } = await probeOn(
    { baseUrl: front.url },
    { parts: ["success"], deadlineMs },
  );
  const startedMs = performance.now();
  let isOver = false;
  const settling = probe.once().then((runs) => {
    isOver = true;
    return runs.get("success") ?? null;
  });
  await answered.promise;
  await sample(/./);
  const isReadable = !isOver;
  const run = await settling;
  const outcomes = (outcome: Outcome) => sample(new RegExp(`_runs_total.*outcome="${outcome}"`));
  const submissions = service.paths.filter((path) => path.endsWith("/success/jobs")).length;
  const tookMs = performance.now() - startedMs;
  return { run, outcomes, submissions, isReadable, tookMs };
}

it("half an answer, or none, is an http_error by the deadline; nothing else waits", async () => {
  const running = FAULTS.map(([, what, fault]) => runThrough(what, fault, DEADLINE_MS));
  const all = await Promise.all(running);
  for (const [at, { run, outcomes, submissions, ...rest }] of all.entries()) {
    const [name, , , why] = FAULTS[at] ?? ["", "", "", /./];
    const outcome = expectedOf("http_error", run);
    expect([name, run]).toMatchObject([name, { outcome }]);
    if (outcome === "http_error")
      expect([name, run?.why]).toEqual([name, expect.stringMatching(why)]);
    expect([name, await outcomes(outcome)]).toEqual([name, 1]);
    expect([name, submissions, rest.isReadable]).toEqual([name, 1, true]);
    expect(rest.tookMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
  }
});

describe("a job's end", () => {
  it.each([
    [covers("in packets of a byte", "6 probe"), network.byteByByte("downstream", 1)],
    [covers("over a slow line", "7 probe"), network.slowLine("downstream")],
  ])("%s is a success", async (_, toxics) => {
    const { run, submissions } = await runThrough("poll", { toxics }, PATIENT_MS);
    expect(run).toMatchObject({ outcome: "success" });
    expect(submissions).toBe(1);
  });
});
