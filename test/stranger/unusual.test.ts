/** Services that few are like, and that nothing in the specification speaks against. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { strangerIn } from "./open-stranger.ts";

interface Unusual {
  choices: readonly string[];
  variant: Variant;
  kept: readonly PromiseId[];
}

const UNUSUAL: Readonly<Record<string, Unusual>> = {
  "a firewall turns away clients without a name": {
    choices: ["namelessClients=refused"],
    variant: "B",
    kept: ["auth.header-case", "job.files-readable"],
  },
};

describe("a stranger", () => {
  it.each(Object.entries(UNUSUAL))("is as good as others where %s", async (_, unusual) => {
    const { variant, choices, kept: only } = unusual;
    const openService = strangerIn({ variant, choices, faults: [] });
    const { findings } = await simulateGate({ seed: 1, openService, only });
    const verdicts = findings.map(({ promise, verdict }) => [promise, verdict] as const);
    expect(Object.fromEntries(verdicts)).toMatchObject(
      Object.fromEntries(only.map((promise) => [promise, "kept"])),
    );
  });
});
