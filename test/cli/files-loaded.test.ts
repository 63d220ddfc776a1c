/** How many files the command loads before it says anything: what it needs later may wait. */

import { expect, it } from "vitest";
import { SOURCES } from "./main-file.ts";
import { runCli } from "./run-cli.ts";

/** Tells at the exit how many files were loaded, those of packages included. */
const COUNTER = `
  import { registerHooks } from "node:module";
  let files = 0;
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) files += 1;
      return next(url, context);
    },
  });
  process.on("exit", () => process.stderr.write("files loaded: " + files + "\\n"));
`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(COUNTER)}`;

async function filesLoaded(...args: readonly string[]): Promise<number> {
  const { stderr } = await runCli(args, { main: SOURCES, environment: { NODE_OPTIONS } });
  return Number(/files loaded: (\d+)/.exec(stderr)?.[1]);
}

/** Ours: as many as there are, and a few more. */
it.each([
  ["its help", ["--help"], 40],
  ["its version", ["--version"], 40],
  ["a gate that there is no such file", ["gate", "--target", "no-such-file.yaml"], 60],
  ["a probe that there is no such file", ["probe", "--target", "no-such-file.yaml"], 60],
  ["a search that there is no such file", ["capacity", "--target", "no-such-file.yaml"], 65],
] as const)("tells %s with few files", async (_, args, most) => {
  const files = await filesLoaded(...args);
  expect(files).toBeGreaterThan(1);
  expect(files).toBeLessThanOrEqual(most);
});
