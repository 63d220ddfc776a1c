/** What one scenario tells of the times in which it was answered, and of those in which not. */

import { expect, it } from "vitest";
import { listening } from "../../../scenarios/world/silences.ts";
import { preparing } from "../../../scenarios/world/world.ts";
import { smallWorld } from "./small-world.ts";

const SERVICE = "http://localhost";
const RECEIVER = "http://localhost:8080";
const FROM_MS = Date.UTC(2026, 0, 1);

/** Each second something is asked, or nothing; the service is away when it is said to be. */
async function seenBy(addresses: readonly (string | null)[], isAway: (second: number) => boolean) {
  const { world, until } = smallWorld(({ url }, nowMs) => {
    const isServed = url.startsWith(RECEIVER) || !isAway(Math.floor((nowMs - FROM_MS) / 1_000));
    return { status: isServed ? 200 : 503 };
  });
  const [listener, told] = listening(world, SERVICE, () => {});
  const asked = { method: "GET", headers: {}, body: null, timeoutMs: 1_000, name: "GET" } as const;
  const run = async () => {
    for (const [second, address] of addresses.entries()) {
      await world.delay(FROM_MS + second * 1_000 - world.now());
      const url = address?.includes("/v1/") ? address : `${address}/v1/me`;
      if (address !== null) await listener.request({ ...asked, url });
    }
  };
  await until(run());
  const seconds = (ms: number) => Math.floor((ms - FROM_MS) / 1_000);
  const { silences, answered } = told();
  return {
    silences: silences.map(({ fromMs, toMs }) => [seconds(fromMs), seconds(toMs)]),
    answered: answered.map(([fromMs, toMs]) => [seconds(fromMs), seconds(toMs)]),
    paths: silences.map(({ path }) => path),
  };
}

const isAway = (second: number) => second >= 2 && second < 5;

it("is answered before a silence and after it", async () => {
  const each = Array.from({ length: 8 }, () => SERVICE);
  expect(await seenBy(each, isAway)).toMatchObject({
    silences: [[2, 4]],
    answered: [
      [0, 1],
      [5, 7],
    ],
  });
});

it("says nothing of a time in which it asked nothing", async () => {
  const each = [SERVICE, SERVICE, null, null, null, null, SERVICE, SERVICE];
  expect(await seenBy(each, isAway)).toMatchObject({
    silences: [],
    answered: [
      [0, 1],
      [6, 7],
    ],
  });
});

it("names the path that all asked for in vain, whatever they asked of it", async () => {
  const list = `${SERVICE}/v1/jobs`;
  const one = [SERVICE, SERVICE, list, `${list}?limit=9`, list, SERVICE];
  expect((await seenBy(one, isAway)).paths).toEqual(["/v1/jobs"]);
  const two = [SERVICE, SERVICE, list, SERVICE, list, SERVICE];
  expect((await seenBy(two, isAway)).paths).toEqual([null]);
  const jobs = [SERVICE, SERVICE, `${list}/job-1`, `${list}/job-2`, `${list}/job-1`, SERVICE];
  expect((await seenBy(jobs, isAway)).paths).toEqual(["/v1/jobs/{job_uuid}"]);
});

it("takes another port of the same host for another service", async () => {
  const each = [SERVICE, SERVICE, SERVICE, RECEIVER, SERVICE, SERVICE];
  expect((await seenBy(each, isAway)).silences).toEqual([[2, 4]]);
});

it("begins a silence when what is lost of prepared requests was sent", async () => {
  const small = smallWorld(() => ({ status: 200 }));
  const { world } = small;
  const TIMEOUT_MS = 15_000;
  const seconds = () => Math.floor((world.now() - FROM_MS) / 1_000);
  const request: typeof world.request = async (wire) => {
    const isLost = seconds() >= 3;
    const answer = await world.request(wire);
    if (isLost) await world.delay(TIMEOUT_MS);
    return isLost ? { ...answer, status: 0, error: "timeout" } : answer;
  };
  const [listener, told] = listening(
    { ...world, request, prepare: preparing(request) },
    SERVICE,
    () => {},
  );
  const wire = { method: "GET", headers: {}, body: null, timeoutMs: TIMEOUT_MS, name: "GET" };
  const run = async () => {
    for (let n = 0; n < 6; n += 1) {
      await new Promise<void>((resolve) => {
        const send = listener.prepare({ ...wire, url: `${SERVICE}/v1/me` }, () => {
          listener.now();
          resolve();
        });
        listener.now();
        send();
      });
      await listener.delay(1_000);
    }
  };
  await small.until(run());
  const { silences, answered } = told();
  const at = (ms: number) => Math.floor((ms - FROM_MS) / 1_000);
  expect(answered.map(([fromMs, toMs]) => [at(fromMs), at(toMs)])).toEqual([[0, 2]]);
  expect(silences.map(({ fromMs }) => at(fromMs))).toEqual([3]);
});
