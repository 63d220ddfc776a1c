/** Real child processes that do not want to stop. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { supervise } from "../../runner/supervise.ts";
import { covers } from "../../tools/robustness/covers.ts";

const WAITS = { afterInterrupt: 200, afterTerminate: 200 };
/** For a child that ends by a signal: a busy machine may let it wait for its turn. */
const LONG_WAIT = 60_000;
const NEVER = new AbortController().signal;

/** A Node program that says "ready" once its handlers are in place. */
function program(handlers: string) {
  const code = `${handlers}; setInterval(() => {}, 1000); console.log("ready");`;
  return spawn(process.execPath, ["-e", code], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const ignoring = (signal: string) => `process.on(${JSON.stringify(signal)}, () => {})`;

/** Ends the program by abortion once it is ready. */
async function abortWhenReady(child: ReturnType<typeof program>, waits = WAITS) {
  const controller = new AbortController();
  const options = { timeLimitMs: 60_000, signal: controller.signal, stopWaitsMs: waits };
  const end = supervise(child, options);
  await once(child.stdout, "data");
  controller.abort();
  return await end;
}

describe("supervise", () => {
  it("returns the exit code of a child that ends by itself", async () => {
    const child = spawn(process.execPath, ["-e", "process.exit(7)"], { detached: true });
    const end = await supervise(child, { timeLimitMs: 60_000, signal: NEVER });
    expect(end).toMatchObject({ exitCode: 7, timedOut: false, interrupted: false });
  });

  it("lets a child end by itself that answers SIGINT", async () => {
    const child = program('process.on("SIGINT", () => process.exit(105))');
    const waits = { ...WAITS, afterInterrupt: LONG_WAIT };
    expect(await abortWhenReady(child, waits)).toMatchObject({ exitCode: 105, interrupted: true });
  });

  it("sends SIGTERM to a child that ignores SIGINT", async () => {
    const child = program(ignoring("SIGINT"));
    await abortWhenReady(child, { ...WAITS, afterTerminate: LONG_WAIT });
    expect(child.signalCode).toBe("SIGTERM");
  });

  it("kills a child that ignores SIGINT and SIGTERM", async () => {
    const child = program(`${ignoring("SIGINT")}; ${ignoring("SIGTERM")}`);
    await abortWhenReady(child);
    expect(child.signalCode).toBe("SIGKILL");
  });

  it("stops what the child has started as well", async () => {
    const inner = `${ignoring("SIGINT")}; setInterval(() => {}, 1000); console.log(process.pid);`;
    const child = spawn(
      process.execPath,
      [
        "-e",
        `const inner = require("node:child_process").spawn(process.execPath, ["-e",
          ${JSON.stringify(inner)}]);
        inner.stdout.pipe(process.stdout);`,
      ],
      { detached: true, stdio: ["ignore", "pipe", "inherit"] },
    );
    const controller = new AbortController();
    const options = { timeLimitMs: 60_000, signal: controller.signal, stopWaitsMs: WAITS };
    const end = supervise(child, options);
    const [pid] = (await once(createInterface(child.stdout), "line")) as [string];
    controller.abort();
    await end;
    await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false);
  });

  it("says that the time limit was the reason", async () => {
    const child = program("");
    const end = await supervise(child, { timeLimitMs: 300, signal: NEVER, stopWaitsMs: WAITS });
    expect(end).toMatchObject({ exitCode: null, timedOut: true, interrupted: false });
  });

  it("stops a child at once whose run was aborted before it began", async () => {
    const options = { timeLimitMs: 60_000, signal: AbortSignal.abort(), stopWaitsMs: WAITS };
    expect(await supervise(program(""), options)).toMatchObject({ interrupted: true });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("kills a child that outgrows its memory", async () => {
  const growing = "const kept = []; setInterval(() => kept.push(Buffer.alloc(4e6, 1)), 1)";
  const end = await supervise(program(growing), {
    timeLimitMs: 60_000,
    signal: NEVER,
    memoryBytesMax: 300e6,
  });
  expect(end).toMatchObject({ exitCode: null, outgrown: true, timedOut: false });
});

const ORPHANING = join(import.meta.dirname, "orphaning.ts");

it(covers("leaves no child behind when it is killed itself", "33 gate"), async () => {
  const ours = spawn(process.execPath, [ORPHANING], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = await once(createInterface(ours.stdout), "line");
  ours.kill("SIGKILL");
  await expect.poll(() => isRunning(Number(pid)), { timeout: 20_000 }).toBe(false);
});

/** A process that nobody has waited for yet is over, too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
