/** The service without HTTP, on a clock that the test moves and with chance from a seed. */

import { setImmediate } from "node:timers/promises";
import { closable } from "../../reference/clock.ts";
import { createCore, type ReferenceCore } from "../../reference/core.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { type Answer, type Outcome, textOf } from "../../reference/http.ts";
import { fillOptions, type GivenOptions } from "../../reference/options.ts";
import { splitTarget } from "../../reference/request-target.ts";
import type { PostWebhook } from "../../reference/webhooks/sender.ts";
import { type FakeClock, fakeClock } from "../probe/fake-clock.ts";
import { seededRandom } from "../probe/tracker/random.ts";

type Post = Parameters<PostWebhook>[0];

export interface Posted extends Post {
  atMs: number;
}

export interface CoreCaller {
  core: ReferenceCore;
  clock: FakeClock;
  /** What was posted, in order. */
  posts: Posted[];
  call(method: string, target: string, body?: unknown, key?: string | null): Outcome;
  get(target: string, key?: string | null): Answer;
  /** The body of an answer, as its reader would parse it. */
  read(target: string): Record<string, unknown>;
  submit(worker: string, input: object): string;
  /** Lets time pass, and whatever waits for a webhook's answer go on. */
  pass(ms: number): Promise<void>;
}

/** Ours: all waits of the service are multiples of it. */
const STEP_MS = 50;

export function openCore(
  given: GivenOptions = {},
  { seed = 1, status = 200 }: { seed?: number; status?: number } = {},
): CoreCaller {
  const clock = fakeClock();
  const posts: Posted[] = [];
  const core = createCore({
    options: fillOptions(given),
    faults: FAULTS,
    clock: closable(clock),
    random: seededRandom(seed),
    post(post) {
      posts.push({ ...post, atMs: clock.nowMs() });
      return Promise.resolve({ status, cause: "answered" });
    },
    baseUrl: () => "http://core.test",
  });
  const connection = {};
  const caller: CoreCaller = {
    core,
    clock,
    posts,
    call(method, target, body, key = "big") {
      const value = core.keys.find(({ name }) => name === key)?.value ?? key;
      return core.handle({
        method,
        ...splitTarget(target),
        body: body === undefined ? "" : JSON.stringify(body),
        rawHeaders: value === null ? [] : ["Host", "core.test", "X-Api-Key", value],
        connection,
      });
    },
    get: (target, key) => caller.call("GET", target, undefined, key).answer,
    read: (target) => JSON.parse(textOf(caller.get(target)) ?? "{}") as Record<string, unknown>,
    submit(worker, input) {
      const { answer } = caller.call("POST", `/v1/workers/${worker}/jobs`, input);
      return String((answer.body as Record<string, unknown>).job_uuid);
    },
    async pass(ms) {
      for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
        clock.advance(Math.min(STEP_MS, ms - passedMs));
        await setImmediate();
      }
    },
  };
  return caller;
}
