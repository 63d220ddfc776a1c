/**
 * What a probe with a webhook receiver takes while it waits for its next canary.
 *
 * npm run bench -- --only probe-idle
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { SOURCES } from "../test/cli/main-file.ts";
import { temporaryFolder } from "../test/cli/temporary-folder.ts";
import { startService, stopService } from "../test/soak/service.ts";
import { usedMs } from "./processor-time.ts";
import { measure } from "./row.ts";

/** Ours: the command has started, and its first canary has run. */
const SETTLED_MS = 15_000;
const WINDOW_MS = 8_000;

const targetOf = (baseUrl: string) => `target: { baseUrl: "${baseUrl}" }
keys:
  - { name: big, plan: enterprise, sustained: 200, burst: 400, account: one, env: BENCH_KEY }
workers: { success: { id: echo, input: { text: hello }, marker: text } }
webhook: { listen: "127.0.0.1:0" }
canaries:
  - { name: echo, part: success, every: 1h, deadline: 60s, webhook: true }
`;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function percentOfCore(pid: number): Promise<number> {
  const [before, atMs] = [await usedMs(pid), performance.now()];
  await pause(WINDOW_MS);
  return (100 * ((await usedMs(pid)) - before)) / (performance.now() - atMs);
}

const service = await startService("1", "b", { args: [], keyName: "big" });
await using folder = await temporaryFolder();
const file = await folder.write("plumbline.yaml", targetOf(service.baseUrl));
const args = ["probe", "--target", file, "--state", path.join(folder.path, "state")];
const probe = spawn(process.execPath, [SOURCES, ...args, "--listen", "127.0.0.1:0"], {
  stdio: ["ignore", "ignore", "inherit"],
  env: { ...process.env, BENCH_KEY: service.key },
});
try {
  await pause(SETTLED_MS);
  await measure({
    figures: [{ name: "probe-idle", what: "% of a core", goal: { atMost: 1.5 } }],
    subject: "the probe with a receiver, idle",
    peer: null,
    warmsUp: false,
    measureSubject: async () => [await percentOfCore(probe.pid ?? 0)],
  });
} finally {
  if (probe.exitCode === null) {
    const exit = once(probe, "exit");
    probe.kill("SIGTERM");
    await exit;
  }
  await stopService(service);
}
