/** The service in this process on a virtual clock: its jobs, and the webhooks that it sends. */

import { closable } from "../../reference/clock.ts";
import { createCore } from "../../reference/core.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { textOf } from "../../reference/http.ts";
import { fillOptions, type GivenOptions } from "../../reference/options.ts";
import type { PostWebhook } from "../../reference/webhooks/sender.ts";
import { stream } from "../../simulation/chance.ts";
import { VirtualClock } from "../../simulation/virtual-clock.ts";

type Fields = Record<string, unknown>;

export interface Posted {
  atMs: number;
  url: string;
  /** By their names in small letters. */
  headers: Readonly<Record<string, string>>;
  body: Fields;
}

/** How the receiver answers each delivery in turn; after the script's end with 200, at once. */
export type Script = readonly ({ status: number; afterMs?: number } | "reset" | "silence")[];

export interface VirtualService {
  posts: readonly Posted[];
  /** Identifier of a job that was accepted; throws when it was not. */
  submit(worker: string, input: object): string;
  job(id: string): Fields;
  /** Lets so many seconds pass, with all that falls due. */
  pass(seconds: number): Promise<void>;
}

/** By the same seed its chance is the same. */
export function openVirtual(given: GivenOptions = {}, script: Script = []): VirtualService {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1));
  const posts: Posted[] = [];
  const post: PostWebhook = async ({ url, headers, body, limitMs }) => {
    const step = script[posts.length] ?? { status: 200 };
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    posts.push({
      atMs: clock.nowMs(),
      url,
      headers: Object.fromEntries(named),
      body: JSON.parse(body) as Fields,
    });
    if (step === "reset") return { status: 0, cause: "broken-off" };
    const answerMs = step === "silence" ? Number.POSITIVE_INFINITY : (step.afterMs ?? 0);
    await clock.sleep(Math.min(limitMs, answerMs));
    if (step === "silence" || answerMs > limitMs) return { status: 0, cause: "no-answer" };
    return { status: step.status, cause: "answered" };
  };
  const core = createCore({
    options: fillOptions(given),
    faults: FAULTS,
    clock: closable(clock),
    random: stream(given.seed ?? 1, "service"),
    post,
    baseUrl: () => "http://service.test",
  });
  const key = core.keys.find(({ name }) => name === "big")?.value ?? "";
  const connection = {};
  const call = (method: string, path: string, body = "") => {
    const rawHeaders = ["x-api-key", key, "content-type", "application/json"];
    const { answer } = core.handle({ method, path, query: "", rawHeaders, body, connection });
    return { status: answer.status, body: JSON.parse(textOf(answer) ?? "{}") as Fields };
  };
  return {
    posts,
    submit(worker, input) {
      const { status, body } = call("POST", `/v1/workers/${worker}/jobs`, JSON.stringify(input));
      if (status !== 202) throw new Error(`not accepted: ${status} ${JSON.stringify(body)}`);
      return String(body.job_uuid);
    },
    job: (id) => call("GET", `/v1/jobs/${id}`).body,
    pass: (seconds) => clock.run(clock.sleep(seconds * 1_000), seconds * 1_000 + 1),
  };
}
