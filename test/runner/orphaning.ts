/** Supervises a child that would run for an hour, and then tells its process identifier. */

import { spawn } from "node:child_process";
import { supervise } from "../../runner/supervise.ts";

const HOUR = "setTimeout(() => {}, 3_600_000)";

const child = spawn(process.execPath, ["-e", HOUR], { detached: true, stdio: "ignore" });
const end = supervise(child, { timeLimitMs: 3_600_000, signal: new AbortController().signal });
process.stdout.write(`${child.pid}\n`);
await end;
