/** Programs of the suite without a file descriptor left, and stopped for a while. */

import { describe, expect, it, onTestFinished } from "vitest";
import { startReference } from "../../reference/service.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";
import { startChild } from "./child.ts";

/** Ours: what a program needs to start, and some more. */
const DESCRIPTORS = 120;
/** Ours: longer than a busy machine lets a process wait. */
const WAIT = { timeout: 60_000 };

async function reachable() {
  const service = await startReference({ timeScale: 0.02 });
  onTestFinished(() => service.close());
  const { value = "" } = service.keys.find(({ name }) => name === "big") ?? {};
  return [service.baseUrl, value, await temporaryFolder()] as const;
}

/** The answer's status; 0 where there is none within 2 s. */
async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const signal = AbortSignal.timeout(2_000);
  return await fetch(url, { ...init, signal }).then(
    ({ status }) => status,
    () => 0,
  );
}

describe("without a file descriptor", { timeout: 120_000 }, () => {
  it(covers("a probe's failure is its own, and over with the lack", "37 probe"), async () => {
    const probe = await startChild(["probe", ...(await reachable())], DESCRIPTORS);
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
      const me = () => statusOf(`${service.told.url}/v1/me`, { headers });
      await service.ask("hog");
      expect(await me()).toBe(0);
      await service.ask("free");
      await expect.poll(me, WAIT).toBe(200);
    },
  );

  it(covers("the receiver answers again once there are some", "37 receiver"), async () => {
    const receiver = await startChild(["receiver"], DESCRIPTORS);
    const url = `${receiver.told.url}/d/abcdefghijklmnopqr/200`;
    const deliver = () => statusOf(url, { method: "POST", body: "{}" });
    await receiver.ask("hog");
    expect(await deliver()).toBe(0);
    await receiver.ask("free");
    await expect.poll(deliver, WAIT).toBe(200);
  });
});

describe("after SIGSTOP and SIGCONT", { timeout: 120_000 }, () => {
  it(covers("the reference service ends the job that it had taken", "39 reference"), async () => {
    const service = await startChild(["reference"], 1_000);
    const headers = { "x-api-key": service.told.key ?? "", "content-type": "application/json" };
    const body = JSON.stringify({ seconds: 5 });
    const jobs = `${service.told.url}/v1/workers/sleep/jobs`;
    const taken = await fetch(jobs, { method: "POST", headers, body });
    const { job_uuid: id } = (await taken.json()) as { job_uuid: string };
    service.signal("SIGSTOP");
    await new Promise((over) => setTimeout(over, 500));
    service.signal("SIGCONT");
    const state = async () => {
      const job = await fetch(`${service.told.url}/v1/jobs/${id}`, { headers });
      return ((await job.json()) as { status: string }).status;
    };
    await expect.poll(state, WAIT).toBe("SUCCEEDED");
  });

  it(covers("the receiver takes what was sent to it meanwhile", "39 receiver"), async () => {
    const receiver = await startChild(["receiver"], 1_000);
    const url = `${receiver.told.url}/d/abcdefghijklmnopqr/200`;
    receiver.signal("SIGSTOP");
    const posting = fetch(url, { method: "POST", body: "{}" });
    await new Promise((over) => setTimeout(over, 500));
    receiver.signal("SIGCONT");
    expect((await posting).status).toBe(200);
  });

  it(covers("a probe goes on with its canaries", "39 probe"), async () => {
    const probe = await startChild(["probe", ...(await reachable())], 1_000);
    const running = probe.ask("once");
    probe.signal("SIGSTOP");
    await new Promise((over) => setTimeout(over, 500));
    probe.signal("SIGCONT");
    expect(await running).toMatchObject([{ outcome: "success" }]);
  });
});
