/** Lines arrive whole and once, however the file grows. */

import { appendFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FileTail } from "../../runner/file-tail.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function tailOf(charsMax?: number) {
  const file = path.join(await temporaryFolder(), "growing.log");
  const lines: (string | null)[] = [];
  return { file, lines, tail: new FileTail(file, (line) => lines.push(line), charsMax) };
}

describe("FileTail", () => {
  it("waits for the rest of a partial line", async () => {
    const { file, lines, tail } = await tailOf();
    await appendFile(file, "one\ntw");
    await tail.poll();
    expect(lines).toEqual(["one"]);
    await appendFile(file, "o\n");
    await tail.poll();
    expect(lines).toEqual(["one", "two"]);
  });

  it("puts a character together that was written in two parts", async () => {
    const { file, lines, tail } = await tailOf();
    const bytes = Buffer.from("✓\n");
    await appendFile(file, bytes.subarray(0, 1));
    await tail.poll();
    await appendFile(file, bytes.subarray(1));
    await tail.finish();
    expect(lines).toEqual(["✓"]);
  });

  it("takes an unfinished last line for a line at the end", async () => {
    const { file, lines, tail } = await tailOf();
    await appendFile(file, "one\ntwo");
    await tail.finish();
    expect(lines).toEqual(["one", "two"]);
  });

  it("delivers each line once when polls overlap", async () => {
    const { file, lines, tail } = await tailOf();
    await appendFile(file, "one\ntwo\n");
    await Promise.all([tail.poll(), tail.poll(), tail.finish()]);
    expect(lines).toEqual(["one", "two"]);
  });

  it("skips a line without end and goes on after it", async () => {
    const { file, lines, tail } = await tailOf(1_000);
    await appendFile(file, "x".repeat(600_000));
    await tail.poll();
    await appendFile(file, "x\nnext\n");
    await tail.finish();
    expect(lines).toEqual([null, "next"]);
  });

  it("puts a line together that comes in many pieces, each of several reads", async () => {
    const { file, lines, tail } = await tailOf();
    const piece = "xé".repeat(200_000);
    for (let count = 0; count < 3; count += 1) {
      await appendFile(file, piece);
      await tail.poll();
    }
    await appendFile(file, "\nnext\n");
    await tail.finish();
    expect(lines.map((line) => line?.length)).toEqual([3 * piece.length, 4]);
    expect(lines[0] === piece.repeat(3)).toBe(true);
  });

  it("takes a file that does not exist yet for an empty one", async () => {
    const { lines, tail } = await tailOf();
    await tail.finish();
    expect(lines).toEqual([]);
  });
});
