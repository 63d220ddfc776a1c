/** `npm run probe:in-flight [-- --jobs 10000 --seconds 60]`: what following many jobs takes. */

import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000" },
    seconds: { type: "string", default: "60" },
  },
});

const service = fork(join(import.meta.dirname, "light-service.ts"));
const [port] = (await once(service, "message")) as [number];
const followed = join(import.meta.dirname, "followed.ts");
const args = [followed, String(port), values.jobs, values.seconds];
// One core for the probe, where the system can tell it so.
const { status } = spawnSync("taskset", ["-c", "1", process.execPath, ...args], {
  stdio: "inherit",
});
if (status === null) spawnSync(process.execPath, args, { stdio: "inherit" });
service.disconnect();
