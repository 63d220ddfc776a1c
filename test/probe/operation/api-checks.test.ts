/** The looks at the account, beside the jobs. */

import { expect, it, vi } from "vitest";
import { canary, open } from "../open-probe.ts";

it.each(["balance", "credits_remaining", "nested"] as const)(
  "the balance in credits is known where it stands as %s, beside what is held and its worth in USD",
  async (balanceField) => {
    const reference = { choices: { balanceField } };
    const { probe, sample } = await open({ reference, canaries: [canary("success")] });
    probe.start();
    await vi.waitFor(
      async () => expect(await sample(/^plumbline_credits_left/)).toBe(10_000_000),
      10_000,
    );
  },
);
