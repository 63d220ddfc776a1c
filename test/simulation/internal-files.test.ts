/** Addresses of files that only the service's own network finds, as of a storage behind a proxy. */

import { expect, it } from "vitest";
import { isObject } from "../../contract/decode/decoded.ts";
import { isInternal } from "../../contract/requests/loopback.ts";
import { onBody } from "../../reference/faults/answers.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";

const PROMISE = "job.files-readable";
const NAME = `${PROMISE}/internal-address`;

function filesAt(origin: string): Fault {
  const moved = (file: unknown) =>
    isObject(file) ? { ...file, url: String(file.url).replace(/^http:\/\/[^/]+/, origin) } : file;
  return {
    name: NAME,
    promise: PROMISE,
    title: `Files are at ${origin}`,
    nearMiss: !isInternal(origin),
    create: () =>
      onBody(
        ({ request }) => request.route === "job",
        (body) => ({ ...body, files: Array.isArray(body.files) ? body.files.map(moved) : [] }),
      ),
  };
}

it.each([
  ["on a network of the building", "office", "http://minio:9000", "broken"],
  ["of addresses that others may reach", "office", "http://storage.example.com", "inconclusive"],
  ["beside a service that is on such a network, too", "quiet", "http://minio:9000", "inconclusive"],
] as const)("files of which none answers, %s", async (_, surroundings, origin, verdict) => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: [PROMISE, "job.files"],
    surroundings: SURROUNDINGS[surroundings],
    service: { variant: "B", faults: [NAME] },
    otherFaults: [filesAt(origin)],
  });
  expect(findings.find(({ promise }) => promise === PROMISE)?.verdict).toBe(verdict);
});
