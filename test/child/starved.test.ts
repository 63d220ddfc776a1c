/** Programs of the suite without descriptors, disk or a steady clock, and stopped for a while. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ReceiverStats } from "../../receiver/query-schema.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { MAIN, MAIN_ENVIRONMENT, SOURCES } from "../cli/main-file.ts";
import { bendingProxy } from "../probe/bending-proxy.ts";
import { bigKey } from "../reference/big-key.ts";
import { openReference } from "../reference/open-reference.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";

/** Ours: what a program needs to start, and some more. */
const DESCRIPTORS = 120;
/** Ours: longer than a busy machine lets a process wait. */
const WAIT = { timeout: 60_000 };

async function reachable() {
  const service = await openReference({ timeScale: 0.02 });
  const value = bigKey(service);
  return [service.baseUrl, value, await temporaryFolder()] as const;
}

interface GateEnd {
  code: number | null;
  said: string;
}

/** A gate on the embedded service under a shell that first does as the script says. */
async function gate(only: string, script = "", environment = {}, main = MAIN): Promise<GateEnd> {
  const flags = ["gate", "--only", only, "--report", await temporaryFolder()];
  const command = ["-c", `${script}\nexec "$@"`, "gate", process.execPath, main, ...flags];
  const child = spawn("sh", command, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...MAIN_ENVIRONMENT, ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said };
}

function preloading(code: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** As Node fails at one of the program's files for want of a descriptor. */
const LOST = `import { registerHooks } from "node:module";
const load = (url, context, next) => {
  if (url.endsWith("/cli/run.ts")) throw new Error("EMFILE: too many open files");
  return next(url, context);
};
registerHooks({ load });`;

/** The answer's status; 0 where there is none within 2 s. */
async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const signal = AbortSignal.timeout(2_000);
  return await fetch(url, { ...init, signal }).then(
    ({ status }) => status,
    () => 0,
  );
}

/**
 * Resolves once the child has no descriptor for a request: one that it had open for a moment may
 * have come free since the others were taken. No connection is used twice.
 */
async function starve(child: Child, url: string, init: RequestInit = {}) {
  const headers = { ...init.headers, connection: "close" };
  const answered = async () => {
    await child.ask("hog");
    return await statusOf(url, { ...init, headers });
  };
  await expect.poll(answered, WAIT).toBe(0);
}

describe("without a file descriptor", { timeout: 180_000 }, () => {
  it(covers("a probe's failure is its own, and over with the lack", "37 probe"), async () => {
    const probe = await startChild(["probe", ...(await reachable()), "60000"], DESCRIPTORS);
    expect(await probe.ask("hog")).toBeGreaterThan(10);
    expect(await probe.ask("once")).toMatchObject([{ outcome: "probe_error" }]);
    await probe.ask("free");
    expect(await probe.ask("once")).toMatchObject([{ outcome: "success" }]);
  });

  it(
    covers("the reference service answers again once there are some", "37 reference"),
    async () => {
      const service = await startChild(["reference"], DESCRIPTORS);
      const headers = { "x-api-key": service.told.key ?? "" };
      const url = `${service.told.url}/v1/me`;
      await starve(service, url, { headers });
      await service.ask("free");
      await expect.poll(() => statusOf(url, { headers }), WAIT).toBe(200);
    },
  );

  it(covers("the receiver answers again once there are some", "37 receiver"), async () => {
    const receiver = await startChild(["receiver"], DESCRIPTORS);
    const url = `${receiver.told.url}/d/abcdefghijklmnopqr/200`;
    const post = { method: "POST", body: "{}" };
    await starve(receiver, url, post);
    await receiver.ask("free");
    await expect.poll(() => statusOf(url, post), WAIT).toBe(200);
  });

  it(covers("a gate says so, and judges nothing of the service", "37 gate"), async () => {
    const { code, said } = await gate("auth.header-case", "ulimit -n 24");
    expect(code, said).toBe(111);
    expect(said).toMatch(/error \(target-unreachable\): .*no file descriptor .* a higher limit/);
  });

  it(covers("a gate that can't start k6 blames no k6", "37 gate"), async () => {
    const { code, said } = await gate("auth.header-case", "ulimit -n 30");
    expect(code, said).toBe(111);
    const told = /error \(no-descriptors\): .*EMFILE.*; the limit is 30; expected a higher one/;
    expect(said).toMatch(told);
    expect(said.match(/error \(/g)).toHaveLength(1);
  });

  it(covers("a gate that can't be loaded ends without a verdict", "37 gate"), async () => {
    const environment = { NODE_OPTIONS: preloading(LOST) };
    const { code, said } = await gate("auth.header-case", "", environment, SOURCES);
    expect([code, said]).toEqual([111, "error (not-loaded): Error: EMFILE: too many open files\n"]);
  });
});

/** Ahead by an hour, behind by an hour, each time that somebody looks. */
const STEPPING = `const now = Date.now; let n = 0;
Date.now = () => now() + (++n % 2 ? 3600000 : -3600000);`;
const STEPS = { NODE_OPTIONS: preloading(STEPPING) };
/** Set once between the starts of Node and of k6: their clocks are an hour apart for good. */
const APART = `const timeOrigin = performance.timeOrigin + 3600000;
Object.defineProperty(performance, "timeOrigin", { value: timeOrigin });`;

describe("while the wall clock steps by an hour either way", { timeout: 120_000 }, () => {
  it(covers("the reference service's jobs take their time", "38 reference"), async () => {
    const service = await startChild(["reference"], 1_000, STEPS);
    const headers = { "x-api-key": service.told.key ?? "", "content-type": "application/json" };
    const url = `${service.told.url}/v1/workers/sleep/jobs`;
    const taken = await fetch(url, { method: "POST", headers, body: '{"seconds":5}' });
    const { job_uuid: id } = (await taken.json()) as { job_uuid: string };
    const read = async () => {
      const job = await fetch(`${service.told.url}/v1/jobs/${id}`, { headers });
      return (await job.json()) as { status: string; timestamps: { duration_ms: number } };
    };
    await expect.poll(async () => (await read()).status, WAIT).toBe("SUCCEEDED");
    const { duration_ms: tookMs } = (await read()).timestamps;
    expect(tookMs).toBeGreaterThanOrEqual(99);
    expect(tookMs).toBeLessThan(60_000);
  });

  it(covers("the receiver answers when its script says", "38 receiver"), async () => {
    const receiver = await startChild(["receiver"], 1_000, STEPS);
    const url = `${receiver.told.url}/d/abcdefghijklmnopqr/200@300`;
    const startMs = performance.now();
    const answer = await fetch(url, { method: "POST", body: "{}" });
    expect([answer.status, performance.now() - startMs >= 299]).toEqual([200, true]);
  });

  it(covers("a probe's canary is a success", "38 probe"), async () => {
    const probe = await startChild(["probe", ...(await reachable()), "60000"], 1_000, STEPS);
    expect(await probe.ask("once")).toMatchObject([{ outcome: "success" }]);
  });

  it(covers("a gate waits as long as it means to, and passes", "38 gate"), async () => {
    const environment = { NODE_OPTIONS: preloading(STEPPING + APART) };
    const { code, said } = await gate("job.timestamps,job.own-result", "", environment);
    expect(code, said).toBe(0);
  });
});

it(covers("a gate whose report can't be written does not pass", "35 gate"), async () => {
  const { code, said } = await gate("auth.header-case", "ulimit -f 2");
  expect(code, said).toBe(111);
  expect(said).toMatch(/EFBIG: file too large/);
  const told = /error \(disk\): cannot write ".*\/evidence.jsonl" \(EFBIG.*\); raise the limit/;
  expect(said).toMatch(told);
});

/** Ours: longer than a job's time limit in scaled time. */
const STANDSTILL_MS = 5_000;
/** Ours: ample for a canary on a busy machine, and shorter than the probe's standstill. */
const DEADLINE_MS = 10_000;

async function standStill(child: Child, ms = STANDSTILL_MS): Promise<void> {
  child.signal("SIGSTOP");
  await new Promise((over) => setTimeout(over, ms));
  child.signal("SIGCONT");
}

describe("after SIGSTOP and SIGCONT, seconds later", { timeout: 120_000 }, () => {
  it(covers("the reference service ends the job that it had taken", "39 reference"), async () => {
    const service = await startChild(["reference"], 1_000);
    const headers = { "x-api-key": service.told.key ?? "", "content-type": "application/json" };
    // Of the 20 s that it may take.
    const body = JSON.stringify({ seconds: 15 });
    const jobs = `${service.told.url}/v1/workers/sleep-short/jobs`;
    const taken = await fetch(jobs, { method: "POST", headers, body });
    const { job_uuid: id } = (await taken.json()) as { job_uuid: string };
    await standStill(service);
    const state = async () => {
      const job = await fetch(`${service.told.url}/v1/jobs/${id}`, { headers });
      return ((await job.json()) as { status: string }).status;
    };
    await expect.poll(state, WAIT).toBe("SUCCEEDED");
  });

  it(
    covers("the receiver takes what was sent meanwhile, and tells of it", "39 receiver"),
    async () => {
      const receiver = await startChild(["receiver"], 1_000);
      const { url, queryUrl, querySecret } = receiver.told;
      const stopped = standStill(receiver);
      const posting = fetch(`${url}/d/abcdefghijklmnopqr/200`, { method: "POST", body: "{}" });
      await stopped;
      expect((await posting).status).toBe(200);
      const headers = { authorization: `Bearer ${querySecret}` };
      const told = await fetch(`${queryUrl}/stats`, { headers });
      const { hostLags } = (await told.json()) as ReceiverStats;
      expect(Math.max(...hostLags.map(({ lagMs }) => lagMs))).toBeGreaterThan(STANDSTILL_MS / 2);
    },
  );

  it(covers("a probe notices, and goes on with its canaries", "39 probe"), async () => {
    const [serviceUrl, ...rest] = await reachable();
    let stands = async () => {};
    const url = await bendingProxy(serviceUrl, {
      // While the answer to its first poll is awaited.
      answer: async (body, { url: path = "" }) => {
        if (path.startsWith("/v1/jobs/")) await stands();
        return body;
      },
    });
    const probe = await startChild(["probe", url, ...rest, String(DEADLINE_MS)], 1_000);
    stands = async () => {
      stands = async () => {};
      await standStill(probe, 1.2 * DEADLINE_MS);
    };
    // Its deadline is over, which is shorter; the job ended in time by the service's own stamps.
    expect(await probe.ask("once")).toMatchObject([{ outcome: "success" }]);
    const metrics = await (await fetch(`${probe.told.url}/metrics`)).text();
    const lines = metrics.split("\n").filter((line) => !line.startsWith("#"));
    const held = lines.filter((line) => /result="bad"|promise_violations_total/.test(line));
    expect(held.length).toBeGreaterThan(0);
    expect(held.filter((line) => !line.endsWith(" 0"))).toEqual([]);
    const lag = lines.find((line) => line.startsWith("nodejs_eventloop_lag_max_seconds"));
    expect(Number(lag?.split(" ")[1]) * 1_000).toBeGreaterThan(STANDSTILL_MS / 2);
    expect(await probe.ask("once")).toMatchObject([{ outcome: "success" }]);
  });
});
