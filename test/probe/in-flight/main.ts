/**
 * `npm run probe:in-flight [-- --jobs 10000 --seconds 60 --poll-ms 1000]`: what following many jobs
 * takes, and beside it what undici alone takes for as many requests.
 */

import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000" },
    seconds: { type: "string", default: "60" },
    "poll-ms": { type: "string", default: "1000" },
  },
});

/** The published package carries JavaScript: what stripping types takes is not the probe's. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "plumbline-compile-cache") };

const service = fork(join(import.meta.dirname, "light-service.ts"));
const [port] = (await once(service, "message")) as [number];

/** On one core, where the system can tell it so. */
function run(script: string, args: readonly string[], isShown: boolean): void {
  const stdio = isShown ? "inherit" : "ignore";
  const command = [join(import.meta.dirname, script), String(port), ...args];
  const pinned = spawnSync("taskset", ["-c", "1", process.execPath, ...command], { stdio, env });
  if (pinned.status === null) spawnSync(process.execPath, command, { stdio, env });
}

const perSecond = (Number(values.jobs) * 1_000) / Number(values["poll-ms"]);
const bareSeconds = String(Math.min(15, Number(values.seconds)));
run("followed.ts", ["10", "1", "1000"], false);
run("bare.ts", [String(perSecond), bareSeconds], true);
run("followed.ts", [values.jobs, values.seconds, values["poll-ms"]], true);
service.disconnect();
