/** A probe that was killed goes on with its jobs when it is started again. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import type { StatusView } from "../../probe/server/view.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { MAIN } from "../cli/main-file.ts";
import { environmentOf } from "../cli/run-cli.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { bigKey, listedJobs } from "../reference/big-key.ts";
import { openReference } from "../reference/open-reference.ts";

it(
  covers(
    "after kill -9 the job in flight is followed to its end, and no other submitted",
    "33 probe",
  ),
  async () => {
    const service = await openReference({ timeScale: 1 });
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const file = await folder.write("plumbline.yaml", targetFile(service));
    const first = await startCli(service, file, folder.path);
    await untilPolled(first.address);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const submitted = await listedJobs(service);
    const second = await startCli(service, file, folder.path);
    const view = await until(second.address, (each) => (each.canaries[0]?.runs.length ?? 0) > 0);
    expect(view.canaries[0]?.runs[0]).toMatchObject({ outcome: "success", jobId: submitted[0] });
    const metrics = await (await fetch(`${second.address}/metrics`)).text();
    expect(metrics).toMatch(/plumbline_jobs_recovered_total\{.*\} 1/);
    expect(await listedJobs(service)).toEqual(submitted);
    second.child.kill("SIGTERM");
    expect((await once(second.child, "exit"))[0]).toBe(0);
  },
);

/** One job of 3 s; the budget forbids another, also after the restart. */
function targetFile({ baseUrl }: ReferenceService): string {
  return `
target: { baseUrl: "${baseUrl}" }
keys: [ { name: big, env: PROBE_TEST_KEY } ]
workers: { slow: { id: sleep, input: { seconds: 3 } } }
canaries: [ { name: slow, part: slow, every: 1s, deadline: 30s, jitter: 0 } ]
probe: { budget: { day: { jobs: 1 } }, rateShare: 1 }
`;
}

async function startCli(service: ReferenceService, file: string, stateDir: string) {
  const key = bigKey(service);
  const args = ["probe", "--target", file, "--listen", "127.0.0.1:0", "--state", stateDir];
  const env = environmentOf({ PROBE_TEST_KEY: key });
  const child = spawn(process.execPath, [MAIN, ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [said, told] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise<{ child: typeof child; address: string }>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      const address = /status page +(http:\S+)\/\n/.exec(told)?.[1];
      if (address !== undefined) resolve({ child, address });
    });
    child.on("exit", () => reject(new Error(`the probe did not start: ${said}`)));
  });
}

/** The first poll is taken when the identifier is in the journal. */
async function untilPolled(address: string): Promise<void> {
  const poll = /_http_requests_total\{.*route="\/v1\/jobs\/\{job_uuid\}",status="200".* [1-9]/;
  while (!poll.test(await (await fetch(`${address}/metrics`)).text())) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function until(address: string, holds: (view: StatusView) => boolean): Promise<StatusView> {
  for (;;) {
    const view = (await (await fetch(`${address}/api/canaries`)).json()) as StatusView;
    if (holds(view)) return view;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
