/** One fault of the reference service, as the probe with its default canaries sees it. */

import { createHash } from "node:crypto";
import type { Variant } from "../../../../contract/states.ts";
import type { Fault } from "../../../../reference/faults/fault.ts";
import type { ServiceSetup, SimulatedService } from "../../../../simulation/service.ts";
import { openService } from "../../../../simulation/service.ts";
import { simulateProbe } from "../../../../simulation/simulated-probe.ts";
import { SURROUNDINGS } from "../../../../simulation/worlds.ts";

/** Ours: problems stay on the page for ten minutes, so that none comes and goes in between. */
const PAGE_EVERY_MS = 240_000;
const MINUTE_MS = 60_000;

export interface Watched {
  /** Promises that it reports as broken. */
  broken: readonly string[];
  /** Causes of problems on the status page, promises left out. */
  causes: readonly string[];
  /** Of all that the service sent to it, or to its receiver: equal where nothing differs. */
  digest: string;
}

export interface Watching {
  variant: Variant;
  seed: number;
  minutes: number;
}

/** A service that is served with those faults and choices. */
export async function watch(
  faults: readonly string[],
  choices: Fault["choices"],
  { variant, seed, minutes }: Watching,
): Promise<Watched> {
  const digest = createHash("sha1");
  const causes = new Set<string>();
  const { log } = await simulateProbe({
    seed,
    surroundings: SURROUNDINGS.office,
    service: {
      variant,
      faults,
      ...(choices === undefined ? {} : { choices }),
    },
    openService: overheard((text) => digest.update(text)),
    durationMs: minutes * MINUTE_MS,
    sampling: {
      everyMs: PAGE_EVERY_MS,
      take({ page: { problems, over } }) {
        for (const { cause } of [...problems, ...over]) causes.add(cause);
      },
    },
  });
  const violations = log.filter(({ event }) => event === "violation");
  const broken = new Set(violations.map(({ promise }) => String(promise)));
  return {
    broken: [...broken].sort(),
    causes: [...causes].filter((cause) => !broken.has(cause)).sort(),
    digest: digest.digest("hex"),
  };
}

function overheard(hear: (text: string) => void) {
  return (setup: ServiceSetup): SimulatedService => {
    const service = openService({
      ...setup,
      post: (webhook) => {
        hear(JSON.stringify(webhook));
        return setup.post(webhook);
      },
    });
    const serve: SimulatedService["serve"] = (request, reply) =>
      service.serve(request, (answer) => {
        hear(`${request.target} ${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`);
        reply(answer);
      });
    return { ...service, serve };
  };
}
