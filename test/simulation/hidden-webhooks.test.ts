/** Faults of redeliveries that a lawful way of a service would hide are seen with it. */

import { expect, it } from "vitest";
import type { Hidden } from "./seen-with-choices.ts";
import { foundWith } from "./seen-with-choices.ts";

const HIDDEN: readonly Hidden[] = [
  // What an attempt itself holds back is over when the wait for the next one begins.
  {
    fault: "webhook.wait-1/20-s-after-silence",
    variant: "B",
    choices: { webhookWaitFrom: "start" },
  },
];

it.each(HIDDEN)("$fault in variant $variant is seen with $choices", async (hidden) => {
  expect(await foundWith(hidden)).toMatchObject({ verdict: "broken" });
});
