/** A gateway before a service that is whole answers some requests by itself. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { Target } from "../../../contract/target.ts";
import type { ServedRequest } from "../../../simulation/http.ts";
import type { ServiceSetup } from "../../../simulation/service.ts";
import { ownClock } from "../../../simulation/service.ts";
import type { Simulation } from "../../../simulation/simulated-gate.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { strangerIn } from "../../stranger/open-stranger.ts";
import { STRANGER_KEYS } from "../../stranger/service/accounts.ts";

/** The status that it answers; null: the request goes on to the service. */
type Gateway = (request: ServedRequest, nowMs: number) => number | null;

async function verdictOf(
  promise: PromiseId,
  gateway: Gateway,
  { beside = [], target }: { beside?: readonly PromiseId[]; target?: Simulation["target"] } = {},
) {
  const openService = (setup: ServiceSetup) => {
    const service = strangerIn({ variant: "B", choices: [], faults: [] })(setup);
    const clock = ownClock(setup);
    const serve: typeof service.serve = (request, reply) => {
      const status = gateway(request, clock.nowMs());
      if (status === null) service.serve(request, reply);
      else reply({ status, headers: {}, body: "", isReset: false, bodyMs: 0 });
    };
    return { ...service, serve };
  };
  const only = [promise, ...beside];
  const simulation = { seed: 1, profile: "quick", openService, only } as const;
  const { findings } = await simulateGate({ ...simulation, ...(target ? { target } : {}) });
  return findings.find((each) => each.promise === promise)?.verdict;
}

/** Of each path the first requests of that method, so many of them. */
function failsFirst(method: string, times: number): Gateway {
  const seen = new Map<string, number>();
  return (request) => {
    if (request.method !== method) return null;
    const count = (seen.get(request.target) ?? 0) + 1;
    seen.set(request.target, count);
    return count <= times ? 503 : null;
  };
}

it.each([
  [1, "kept"],
  [Number.POSITIVE_INFINITY, "broken"],
])("a cancel that fails %s times leaves cancel.queued %s", async (times, verdict) => {
  expect(await verdictOf("cancel.queued", failsFirst("DELETE", times))).toBe(verdict);
});

/** Jobs that nobody asks for until then are not found that often. */
function losesUnread(fromMs: number, times: number): Gateway {
  const read = new Set<string>();
  const failsOnce = failsFirst("GET", times);
  let beganMs: number | null = null;
  return (request, nowMs) => {
    beganMs ??= nowMs;
    if (!request.target.startsWith("/v1/jobs/")) return null;
    if (nowMs - beganMs < fromMs) read.add(request.target);
    return read.has(request.target) || failsOnce(request, nowMs) === null ? null : 404;
  };
}

it.each([
  [1, "kept"],
  [Number.POSITIVE_INFINITY, "broken"],
])("jobs that nobody followed are not found %s times at the end: %s", async (times, verdict) => {
  const gateway = losesUnread(50_500, times);
  expect(await verdictOf("job.never-lost", gateway, { beside: ["cancel.queued"] })).toBe(verdict);
});

function hasUnknownKey({ rawHeaders }: ServedRequest): boolean {
  const at = rawHeaders.findIndex((name) => /^x-api-key$/i.test(name));
  const value = at < 0 ? "" : rawHeaders[at + 1];
  return value !== "" && !STRANGER_KEYS.some((key) => key.value === value);
}

it("unknown keys that only the account refuses with 401 break auth.invalid-key", async () => {
  const forbids: Gateway = (request) =>
    request.target !== "/v1/me" && hasUnknownKey(request) ? 403 : null;
  const target = (own: Target) => ({
    ...own,
    keys: own.keys.filter(({ state }) => state !== "revoked"),
  });
  expect(await verdictOf("auth.invalid-key", forbids, { target })).toBe("broken");
});

it.each([
  ["a name that every object has", /"constructor"/, "kept"],
  ["a value that is none of those allowed", /"constructor"|-plumbline"/, "broken"],
])("403 to %s: submit.schema-violation is %s", async (_, pattern, verdict) => {
  const firewall: Gateway = ({ method, body }) =>
    method === "POST" && pattern.test(body) ? 403 : null;
  expect(await verdictOf("submit.schema-violation", firewall)).toBe(verdict);
});
