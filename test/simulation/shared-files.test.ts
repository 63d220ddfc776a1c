/** Files that jobs of one second share, as a storage keeps them whose names have a coarse time. */

import { expect, it } from "vitest";
import { isObject } from "../../contract/decode/decoded.ts";
import type { Target } from "../../contract/target.ts";
import { onBody } from "../../reference/faults/answers.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

const PROMISE = "job.own-result";
const NAME = `${PROMISE}/files-of-one-second`;

/** Which file it is: each job has two. */
function nameOf(file: unknown): string {
  return isObject(file) ? String(file.name) : "";
}

/** The job whose files are read first gives them to the others. */
const SHARED: Fault = {
  name: NAME,
  promise: PROMISE,
  title: "Jobs that end in one second share their files",
  nearMiss: false,
  create: () => {
    const stored = new Map<string, unknown>();
    return onBody(
      ({ request }) => request.route === "job",
      (body) => {
        const { finished_at: at } = isObject(body.timestamps) ? body.timestamps : {};
        const files: readonly unknown[] = Array.isArray(body.files) ? body.files : [];
        const shared = files.map((file) => {
          const place = `${nameOf(file)} ${String(at).slice(0, "2026-01-01T12:00:00".length)}`;
          if (!stored.has(place)) stored.set(place, file);
          return stored.get(place);
        });
        return { ...body, files: shared };
      },
    );
  },
};

/** The first line of each page is the title. */
function marked({ workers, ...target }: Target): Target {
  const { files } = workers;
  if (files === undefined) throw new Error("the embedded target has a part for files");
  return { ...target, workers: { ...workers, files: { ...files, marker: "title" } } };
}

it.each([
  ["of their own", [], "kept"],
  ["that those of one second share", [NAME], "broken"],
] as const)("jobs with files %s", async (_, faults, verdict) => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: [PROMISE, "load.no-losses"],
    target: marked,
    service: { variant: "B", faults },
    otherFaults: [SHARED],
  });
  expect(findings.find(({ promise }) => promise === PROMISE)?.verdict).toBe(verdict);
  expect(findings.filter(({ verdict: each }) => each === "broken")).toHaveLength(faults.length);
});
