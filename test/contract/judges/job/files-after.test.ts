/** What the files of a load's jobs answer when it is over. */

import { expect, it } from "vitest";
import type { FileAfter } from "../../../../contract/judges/job/files-after.ts";
import {
  filesAfterClaim,
  filesOwnClaim,
  judgeUnfiled,
} from "../../../../contract/judges/job/files-after.ts";
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

it.each([
  ["two of five, and later one", 404, 2, 1, 100, "broken"],
  ["one of five, and later one", 404, 1, 1, 100, "broken"],
  ["two of five, as an instance starts up", 404, 2, 0, 100, "kept"],
  ["most, as if the storage was away", 404, 3, 1, 100, "kept"],
  ["later most, as if the storage was away", 404, 1, 3, 100, "kept"],
  ["two of five, as too many are asked for", 403, 2, 2, 100, "kept"],
  ["two of five just after their ends", 404, 2, 2, 4, "kept"],
] as const)("refused at first, %s: %#", (_, firstStatus, refused, refusedLater, readS, verdict) => {
  const files = Array.from({ length: 5 }, (_each, each): FileAfter => {
    const { tried, ...seen } = file(each / 10, 206, 80);
    const exchange = withJson(200, {}, at(readS * 1_000));
    const answers = (count: number) => (each < count ? { ...tried, firstStatus } : tried);
    return { ...seen, exchange, tried: answers(refused), again: answers(refusedLater) };
  });
  expect(decide(filesAfterClaim(files)).verdict).toBe(verdict);
});

it.each([
  ["there", 206, "kept"],
  ["refused", 404, "broken"],
  ["asked for too often", 429, "kept"],
  ["unanswered", 0, "kept"],
] as const)("a file, %s (%i) at its job's end and there now, is %s", (_, status, verdict) => {
  const late = { ...file(0, 206, 80), atEnd: { url: URL, status, bytes: null } };
  expect(decide(filesAfterClaim([late, file(9, 206, 80)])).verdict).toBe(verdict);
});

it.each([
  ["on the service's own network", URL, "http://minio.renders.svc:9000/f", "broken"],
  ["at another public address", URL, "https://other.example/f", "kept"],
  ["on a network that others are read from", "http://minio:9000/g", "http://minio:9000/f", "kept"],
] as const)("one unanswered %s", (_, readAt, url, verdict) => {
  const moved = (each: FileAfter, to: string) => ({ ...each, file: { ...each.file, url: to } });
  const files = [moved(file(0, 200, 80), readAt), moved(file(9, 0, null), url)];
  expect(decide(filesAfterClaim(files)).verdict).toBe(verdict);
});

it("one unanswered at an address of the same network as the reader's breaks nothing", () => {
  const at = (each: FileAfter, url: string) => ({ ...each, file: { ...each.file, url } });
  const there = at(file(4, 200, 80), "http://minio:9000/f");
  const files = [at(file(0, 200, 80), URL), there, at(file(9, 0, null), "http://minio:9000/g")];
  expect(decide(filesAfterClaim(files)).verdict).toBe("kept");
});

it("an address that lives for a short time may be over when the end of its job is seen", () => {
  const expired = { ...file(0, 403, null), atEnd: { url: URL, status: 403, bytes: null } };
  expect(decide(filesAfterClaim([expired])).verdict).toBe("unobserved");
});

/** The job's mark, then those in its file. */
function holding(own: string | undefined, marks: readonly string[], worker = "press"): FileAfter {
  const { tried, ...rest } = file(0, 200, 80);
  return { ...rest, worker, ...(own === undefined ? {} : { own }), tried: { ...tried, marks } };
}

it.each([
  ["each its own mark", [holding("a", ["a"]), holding("b", ["b"])], "kept"],
  ["one another's", [holding("a", ["a"]), holding("b", ["a"])], "broken"],
  ["one another's beside its own", [holding("a", ["a"]), holding("b", ["a", "b"])], "kept"],
  ["one no mark", [holding("a", ["a"]), holding("b", [])], "kept"],
  ["others' of a worker that never gives back", [holding("b", ["a"])], "unobserved"],
  ["another worker's", [holding("a", ["a"], "echo"), holding("b", ["a"])], "kept"],
  ["those of jobs without a mark", [holding(undefined, ["a"])], "unobserved"],
] as const)("files that hold %s: %#", (_name, files, verdict) => {
  expect(decide(filesOwnClaim(files)).verdict).toBe(verdict);
});

/** A completed job that ended so many seconds after the first, as it was read at that second. */
function unfiled(endedS: number, files: readonly object[], { readS = 100, filedShare = 0.8 } = {}) {
  const body = { job_id: `job_${endedS}`, worker_id: "w", status: "SUCCEEDED", files };
  const exchange = withJson(200, body, at(readS * 1_000));
  return {
    job: `job_${endedS}`,
    endedAtMs: at(endedS * 1_000).receivedAtMs,
    worker: "w",
    filedShare,
    exchange,
  };
}

const ENTRY = { id: "f", name: "f.pdf", content_type: "application/pdf", size_bytes: 80, url: URL };
const FILED = [0, 3].map((endedS) => ({ ...file(endedS, 200, 80), worker: "w" }));

it.each([
  ["still without", [unfiled(9, [])], FILED, "broken"],
  ["with files by now", [unfiled(9, [ENTRY])], FILED, undefined],
  ["read before files may be stored", [unfiled(9, [], { readS: 12 })], FILED, undefined],
  ["as each fourth job", [unfiled(9, [], { filedShare: 0.75 })], FILED, undefined],
  ["ended before those that have files", [unfiled(-9, [])], FILED, undefined],
  ["of a worker none of whose jobs has files", [unfiled(9, [])], [file(0, 200, 80)], undefined],
] as const)("a job that ended without files: %s", (_, bare, filed, verdict) => {
  expect(judgeUnfiled(bare, filed)[0]?.verdict).toBe(verdict);
});
