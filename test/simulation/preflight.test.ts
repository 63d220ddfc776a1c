/** No fault keeps a run from beginning: judging it is what the run is for. On virtual time. */

import { expect, it } from "vitest";
import { preflight } from "../../gate/preflight.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { openScene, toService } from "../../simulation/scene.ts";
import { simulatedNet } from "../../simulation/witness-net.ts";

/** Ours: a preflight asks a dozen times and waits at the most once. */
const LIMIT_MS = 120_000;

it.each(FAULTS)("the preflight lets $name through", async ({ name, variants }) => {
  const service = { faults: [name], variant: variants?.[0] ?? "B" };
  const scene = openScene({ seed: 1, service });
  const options = { ...scene.service.target(), signal: new AbortController().signal };
  const checked = preflight(options, simulatedNet(scene.suite, toService(scene)));
  const { problems } = await scene.clock.run(checked, LIMIT_MS);
  expect(problems).toEqual([]);
});
