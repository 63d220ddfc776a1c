/** The files that k6 is given run alone under stock k6, with an address and a key and no plan. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";
import { ROOT } from "../../runner/package-root.ts";
import { k6Here } from "./k6-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SCENARIOS = path.join(ROOT, "scenarios");

let k6Path = "";
let service: ReferenceService;
beforeAll(async () => {
  k6Path = (await k6Here()).path;
  service = await startReference();
}, 300_000);
afterAll(() => service.close());

interface Ran {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** As a reader of the documents types it, but for k6's own progress. */
async function k6Run(
  file: string,
  env: Readonly<Record<string, string>>,
  cwd: string = SCENARIOS,
): Promise<Ran> {
  const script = path.join(SCENARIOS, file);
  const child = spawn(k6Path, ["run", "--quiet", "--no-color", script], { env, cwd });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { exitCode, stdout, stderr };
}

function firstTry(): Record<string, string> {
  const [key] = service.keys;
  return { PLUMBLINE_BASE_URL: service.baseUrl, PLUMBLINE_KEY: key?.value ?? "" };
}

describe("a first try", () => {
  it("keeps what needs no worker, ends with 0, and tells no key", async () => {
    const { exitCode, stdout, stderr } = await k6Run("contract.ts", firstTry());
    expect(stdout).toMatch(/^ {2}kept {9}account\.readable$/m);
    expect(stdout).toMatch(/^ {2}unobserved {3}cancel\.queued$/m);
    const types = [...stderr.matchAll(/plumbline-evidence \{\\"type\\":\\"([a-z]+)/g)];
    expect(types.map(([, type]) => type)).toEqual(
      expect.arrayContaining(["registered", "finding", "spent", "ended"]),
    );
    expect([types[0]?.[1], types.at(-1)?.[1]]).toEqual(["registered", "ended"]);
    expect(stdout + stderr).not.toContain(firstTry().PLUMBLINE_KEY);
    expect(exitCode).toBe(0);
  });

  it.each(["timeout.ts", "webhook.ts", "soak.ts"])("%s judges nothing: no 0", async (file) => {
    const { exitCode, stdout } = await k6Run(file, firstTry());
    expect(stdout).toContain("unobserved");
    expect(stdout).not.toContain("kept");
    expect(exitCode).toBe(99);
  });

  it("says why beside the evidence of what is not kept", async () => {
    const env = { ...firstTry(), PLUMBLINE_KEY: "no-key-of-this-service" };
    const { exitCode, stdout, stderr } = await k6Run("contract.ts", env);
    const said = [...stderr.matchAll(/msg="(broken|inconclusive) ([a-z.-]+): .+"/g)];
    const listed = [...stdout.matchAll(/^ {2}(broken|inconclusive) +([a-z.-]+)$/gm)];
    const named = ([, verdict, promise]: RegExpExecArray) => `${verdict} ${promise}`;
    expect(listed.length).toBeGreaterThan(0);
    expect(said.map(named).toSorted()).toEqual(listed.map(named).toSorted());
    expect(exitCode).toBe(99);
  });

  it("says what is missing where nothing is set", async () => {
    const { exitCode, stderr } = await k6Run("rate-limit.ts", {});
    expect(stderr).toContain("no target: set PLUMBLINE_PLAN to a file");
    expect(exitCode).not.toBe(0);
  });

  it("reads a plan by its path from the caller's folder", async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, "plan.json"), '{ "schemaVersion": 0 }');
    const env = { PLUMBLINE_PLAN: "plan.json", PWD: folder };
    const { stderr } = await k6Run("rate-limit.ts", env, folder);
    expect(stderr).toContain("plan plan.json: schemaVersion is 0; expected");
  });

  it.each(["capacity.ts", "capacity-requests.ts"])(
    "%s leaves its step to its plan",
    async (file) => {
      const { exitCode, stderr } = await k6Run(file, firstTry());
      expect(stderr).toContain("the plan holds no capacity order");
      expect(exitCode).not.toBe(0);
    },
  );
});
