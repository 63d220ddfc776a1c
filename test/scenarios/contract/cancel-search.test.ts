/** Which request cancels, told by what became of jobs: effects come late, answers prove nothing. */

import { describe, expect, it } from "vitest";
import type { CancelRequest } from "../../../scenarios/client/cancel-request.ts";
import { cancelCandidates } from "../../../scenarios/client/cancel-request.ts";
import type { Attempt } from "../../../scenarios/contract/cancel-search.ts";
import { methodFound, wantedRequests } from "../../../scenarios/contract/cancel-search.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";

const ALL = cancelCandidates({ ...BASE_PLAN, cancel: { method: "auto", body: null } });

function candidate(method: string, body: string | null = null): CancelRequest {
  const found = ALL.find((each) => each.method === method && each.body === body);
  if (found === undefined) throw new Error(`no candidate ${method} ${body}`);
  return found;
}

const DELETE = candidate("DELETE");
const POST = candidate("POST");
const PUT = candidate("PUT");
const PATCH = candidate("PATCH", '{"status":"cancelled"}');

/** One job, with the requests that it was sent and their answers. */
function attempt(
  outcome: Attempt["outcome"],
  ...sent: readonly (readonly [CancelRequest, number])[]
): Attempt {
  return { outcome, requests: sent.map(([request, status]) => ({ request, status })) };
}

describe("the request that cancels", () => {
  it.each<[string, Attempt[], CancelRequest | null]>([
    ["is none after one job", [attempt("cancelled", [DELETE, 202])], null],
    [
      "is the one that cancelled two jobs alone",
      [attempt("cancelled", [DELETE, 202]), attempt("cancelled", [DELETE, 202])],
      DELETE,
    ],
    [
      "is never one that was answered 405 or 501, whenever the job was cancelled",
      [
        attempt("cancelled", [DELETE, 202], [POST, 405], [PATCH, 501]),
        attempt("cancelled", [DELETE, 202], [POST, 405]),
      ],
      DELETE,
    ],
    [
      "is unknown where two were sent to both jobs",
      [
        attempt("cancelled", [DELETE, 202], [POST, 404]),
        attempt("cancelled", [DELETE, 202], [POST, 404]),
      ],
      null,
    ],
    [
      "is the one of two that does it alone, whatever it answers",
      [attempt("cancelled", [DELETE, 404], [POST, 200]), attempt("cancelled", [DELETE, 404])],
      DELETE,
    ],
    [
      "is none where only a request that does nothing was answered with success",
      [attempt("survived", [POST, 200]), attempt("survived", [POST, 200])],
      null,
    ],
    [
      "is the only one that the service has, where it cancels nothing",
      [
        attempt("survived", [DELETE, 202]),
        attempt("survived", [POST, 405], [PATCH, 501], [PUT, 405]),
      ],
      DELETE,
    ],
    [
      "is none where the only one that the service has was refused as if unknown",
      [
        attempt("survived", [DELETE, 404]),
        attempt("survived", [POST, 405], [PATCH, 501], [PUT, 405]),
      ],
      null,
    ],
    [
      "is none where the only method that the service has may take another body",
      [
        attempt("survived", [POST, 200]),
        attempt("survived", [DELETE, 405], [PATCH, 501], [PUT, 405]),
      ],
      null,
    ],
    [
      "is none where the jobs were cancelled without any, as by the service itself",
      [attempt("cancelled", [POST, 405]), attempt("cancelled", [POST, 405])],
      null,
    ],
  ])("%s", (_fact, attempts, expected) => {
    expect(methodFound(ALL, attempts)).toBe(expected);
  });
});

describe("the requests to try next", () => {
  const wanted = (...attempts: readonly Attempt[]) => wantedRequests(ALL, attempts);

  it("are all at first, and may share a job", () => {
    expect(wanted()).toEqual({ requests: ALL, alone: false });
  });

  it("are without the methods that the service does not have, whatever the body", () => {
    const { requests } = wanted(attempt("survived", [POST, 405], [PATCH, 501], [DELETE, 404]));
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["PUT"]));
  });

  it("keep a method that refused one job so and answered otherwise for another", () => {
    const { requests } = wanted(
      attempt("cancelled", [DELETE, 202]),
      attempt("survived", [DELETE, 405]),
    );
    expect(requests).toEqual([DELETE]);
  });

  it("are those that may have cancelled a job, each alone, a success first", () => {
    const late = attempt("cancelled", [DELETE, 404], [POST, 405], [PATCH, 202]);
    expect(wanted(late)).toEqual({ requests: [PATCH, DELETE], alone: true });
  });

  it("begin with what has not failed alone", () => {
    const late = attempt("cancelled", [DELETE, 404], [PATCH, 202]);
    const failed = attempt("survived", [PATCH, 202]);
    expect(wanted(late, failed).requests).toEqual([DELETE, PATCH]);
  });

  it("are the ones not tried yet, once a suspect failed twice", () => {
    const byItself = attempt("cancelled", [DELETE, 202]);
    const failed = attempt("survived", [DELETE, 202]);
    const next = wanted(byItself, failed, failed);
    expect(next.alone).toBe(false);
    expect(next.requests).toEqual(ALL.filter((request) => request !== DELETE));
  });

  it("are the same again where the job had begun to run", () => {
    expect(wanted(attempt("raced", [DELETE, 409])).requests).toEqual(ALL);
  });

  it("are none where all were tried in vain", () => {
    const all = ALL.map((request) => attempt("survived", [request, 404]));
    expect(wanted(...all).requests).toEqual([]);
  });
});
