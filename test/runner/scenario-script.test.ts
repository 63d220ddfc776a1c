/** Which file k6 is given for a scenario, in a checkout. */

import { access } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ROOT } from "../../runner/package-root.ts";
import { BUNDLES_VARIABLE, scenarioScript } from "../../runner/scenario-script.ts";
import { bundleScenarios } from "../../tools/bundle-scenarios.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SCENARIOS = path.join(ROOT, "scenarios");

afterEach(() => vi.unstubAllEnvs());

describe("what k6 is given", () => {
  it.each([undefined, ""])("is the TypeScript itself where no bundle is named (%o)", (named) => {
    vi.stubEnv(BUNDLES_VARIABLE, named);
    expect(scenarioScript("soak.ts")).toBe(path.join(SCENARIOS, "soak.ts"));
  });

  it("is a bundle of the folder that the environment names", async () => {
    const folder = await temporaryFolder();
    await bundleScenarios(folder);
    vi.stubEnv(BUNDLES_VARIABLE, folder);
    const script = scenarioScript("soak.ts");
    expect(path.dirname(script)).toBe(folder);
    await expect(access(script)).resolves.toBeUndefined();
  });
});
