/** `plumbline gate --only GROUP`: no load that nobody asked for, and what was left out is told. */

import { expect, it } from "vitest";

import { reportSchema } from "../../report/model.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ours: two scenarios on a busy machine. */
const LIMIT_MS = 180_000;

it("judges a group without the load of another one, and passes", {
  timeout: LIMIT_MS,
}, async () => {
  await using folder = await temporaryFolder();
  const args = ["gate", "--only", "timeout,auth", "--report", folder.path, "--json"];
  const run = await runCli(args);
  const announced = Number(/will submit about (\d+) jobs/.exec(run.stderr)?.[1]);
  // The timeout scenario asks for 30 at the most, the load for hundreds.
  expect(announced).toBeLessThanOrEqual(30);
  const report = reportSchema.parse(JSON.parse(run.stdout));
  expect([report.exitCode, run.exitCode]).toEqual([0, 0]);
  expect(report.only).not.toContain("timeout.under-load");
  const left = report.promises.find(({ id }) => id === "timeout.under-load");
  expect(left).toMatchObject({
    verdict: "unobserved",
    reason: expect.stringMatching(/left out of the group timeout.*timeout,timeout\.under-load$/),
  });
  expect(report.notes).toContainEqual(expect.stringMatching(/^timeout\.under-load is left out/));
  expect(run.stderr).toMatch(/timeout\.under-load is left out/);
});
