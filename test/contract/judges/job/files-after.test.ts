/** What the files of a load's jobs answer when it is over. */

import { expect, it } from "vitest";
import type { FileAfter } from "../../../../contract/judges/job/files-after.ts";
import { filesAfterClaim } from "../../../../contract/judges/job/files-after.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { at, withJson } from "../answers.ts";

const URL = "https://storage.example/f";

/** Of a job that ended so many seconds after the first. */
function file(endedS: number, status: number, bytes: number | null, key = "big"): FileAfter {
  return {
    job: `job_${endedS}`,
    key,
    endedAtMs: at(endedS * 1_000).receivedAtMs,
    exchange: withJson(200, {}, at(100_000)),
    file: { id: "f", name: "f.pdf", contentType: "application/pdf", sizeBytes: 80, url: URL },
    tried: { url: URL, status, bytes },
  };
}

it.each([
  ["each in its size", [file(0, 200, 80), file(9, 206, 80)], "kept"],
  ["one in another", [file(0, 200, 80), file(9, 206, 40)], "broken"],
  ["of no told size", [file(0, 200, null), file(9, 200, null)], "unobserved"],
  ["a later one refused", [file(0, 200, 80), file(9, 403, null)], "broken"],
  ["the earlier one refused, as it has expired", [file(0, 403, null), file(9, 200, 80)], "kept"],
  ["one refused that may be signed before", [file(8, 200, 80), file(9, 403, null)], "kept"],
  ["another key's refused", [file(0, 200, 80), file(9, 403, null, "pro")], "kept"],
  ["all refused", [file(0, 403, null), file(9, 403, null)], "unobserved"],
  ["a later one asked too often", [file(0, 200, 80), file(9, 429, null)], "kept"],
  ["a later one unanswered", [file(0, 200, 80), file(9, 503, null)], "kept"],
] as const)("%s: %#", (_name, files, verdict) => {
  expect(decide(filesAfterClaim(files)).verdict).toBe(verdict);
});
