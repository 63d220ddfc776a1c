/** The secret of the receiver under real k6: asked for by name, and told nowhere. */

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../../contract/text/secret.ts";
import { ROOT } from "../../../runner/package-root.ts";
import { open } from "../../receiver/open-receiver.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { k6Here } from "../../runner/k6-here.ts";
import { sampleRun } from "../../runner/sample-run.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";

beforeAll(async () => void (await k6Here()), 300_000);

/** A scenario of the suite whose plan names a receiver. */
async function run(script: string, hasSecret: boolean) {
  const receiver = await open();
  const { access, querySecret } = receiver;
  const outputDir = path.join(await temporaryFolder(), "out");
  const { records, stderrTail } = await sampleRun({
    script: path.join(ROOT, "scenarios", script),
    plan: { ...BASE_PLAN, receiver: access },
    secrets: new Map(hasSecret ? [[access.querySecretEnv, new Secret(querySecret)]] : []),
    outputDir,
  });
  const files = await readdir(outputDir);
  const texts = await Promise.all(
    files.map((name) => readFile(path.join(outputDir, name), "utf8")),
  );
  expect([JSON.stringify(records), stderrTail, ...texts].join()).not.toContain(querySecret);
  return { records, stderrTail };
}

describe("a plan that names a receiver", () => {
  it.each(["webhook.ts", "soak.ts"])("%s ends at once without its secret", async (script) => {
    const { records, stderrTail } = await run(script, false);
    expect(records).toEqual([]);
    const expected = "is not set; expected the secret that `plumbline sink` was given or has";
    expect(stderrTail).toContain(`environment variable PLUMBLINE_SINK_SECRET ${expected}`);
  });

  it("runs with it", async () => {
    const { records } = await run("webhook.ts", true);
    expect(records.at(-1)?.type).toBe("ended");
  });
});
