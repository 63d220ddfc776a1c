/** The preflight against the embedded service: quiet when all is well, and whatever is broken. */

import { describe, expect, it } from "vitest";

import { preflight } from "../../gate/preflight.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { startReference } from "../../reference/service.ts";

async function preflightOf(options: GivenOptions) {
  const service = await startReference({ timeScale: 0.02, ...options });
  const signal = new AbortController().signal;
  try {
    return await preflight({ ...embeddedTarget(service), signal });
  } finally {
    await service.close();
  }
}

describe("the preflight", () => {
  it.each(["A", "B"] as const)("finds nothing wrong with a healthy variant %s", async (variant) => {
    const { problems, notes, restMs } = await preflightOf({ variant });
    expect([problems, notes]).toEqual([[], []]);
    expect(restMs).toBe(2_000);
  });

  it.each(FAULTS)("lets $name through to be judged", async ({ name, variants }) => {
    const { problems } = await preflightOf({ faults: [name], variant: variants?.[0] ?? "B" });
    expect(problems).toEqual([]);
  });

  it("ends at once when it is interrupted", async () => {
    const service = await startReference();
    const signal = AbortSignal.abort();
    const attempt = preflight({ ...embeddedTarget(service), signal });
    await expect(attempt).rejects.toThrow(/abort/i);
    await service.close();
  });
});
