/** What a run leaves beside its report, where another run is given the same folder. */

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Secret } from "../../contract/text/secret.ts";
import { evidenceFile } from "../../gate/evidence-file.ts";
import { EVIDENCE_FILE } from "../../report/report-directory.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";

const TAKEN = /no longer this run's: another run writes to its folder/;

describe("the evidence of a run", () => {
  it("comes into one file, in the order of its lines", async () => {
    await using folder = await temporaryFolder();
    const record = evidenceFile(folder.path, new Map([["KEY", new Secret("canary")]]));
    await Promise.all([record("first canary\n"), record("second\n")]);
    await record("third\n");
    const text = readFileSync(path.join(folder.path, EVIDENCE_FILE), "utf8");
    expect(text).toBe("first [redacted]\nsecond\nthird\n");
  });

  it("is not mixed with that of a run which took the folder", async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, EVIDENCE_FILE);
    const [first, second] = [1, 2].map(() => evidenceFile(folder.path, new Map()));
    await first?.("first\n");
    rmSync(file);
    await second?.("second\n");
    await expect(first?.("more\n")).rejects.toThrow(TAKEN);
    expect(readFileSync(file, "utf8")).toBe("second\n");
  });

  it("is not put after what another run has written by then, nor begun again", async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, EVIDENCE_FILE);
    const [first, second] = [1, 2].map(() => evidenceFile(folder.path, new Map()));
    await first?.("first\n");
    await expect(second?.("second\n")).rejects.toThrow(TAKEN);
    rmSync(file);
    await expect(first?.("more\n")).rejects.toThrow(TAKEN);
  });
});
