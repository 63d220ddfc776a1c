/**
 * No fault keeps a run from beginning: judging it is what the run is for. Drawn of all that a
 * preflight asks for, and of one for each other promise. On virtual time.
 */

import { expect, it } from "vitest";
import type { PromiseGroup } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import { preflight } from "../../gate/preflight.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { openScene, toService } from "../../simulation/scene.ts";
import { simulatedNet } from "../../simulation/witness-net.ts";
import { drawnCases } from "../drawn-cases.ts";

/** Ours: a preflight asks a dozen times and waits at the most once. */
const LIMIT_MS = 120_000;

/** What a preflight asks for: it submits nothing, and looks at no job. */
const ASKED: readonly PromiseGroup[] = ["auth", "account", "workers", "rate"];

const CASES = FAULTS.filter(({ promise }, at) => {
  const firstAt = FAULTS.findIndex((each) => each.promise === promise);
  return ASKED.includes(groupOf(promise)) || firstAt === at;
});

it.each(drawnCases("faults", CASES, 4))(
  "the preflight lets $name through",
  async ({ name, variants }) => {
    const service = { faults: [name], variant: variants?.[0] ?? "B" };
    const scene = openScene({ seed: 1, service });
    const options = { ...scene.service.target(), signal: new AbortController().signal };
    const net = simulatedNet(scene.suite, toService(scene), scene.service);
    const checked = preflight(options, net);
    const { problems } = await scene.clock.run(checked, LIMIT_MS);
    expect(problems).toEqual([]);
  },
);
