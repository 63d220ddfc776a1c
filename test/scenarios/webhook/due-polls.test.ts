/** When the scenario asks whether the service goes on. */

import { expect, it } from "vitest";
import type { AnswerStep } from "../../../contract/jobs/delivery.ts";
import { ANSWER_OK } from "../../../contract/jobs/delivery.ts";
import type { Part } from "../../../contract/run/run-plan.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { DuePolls } from "../../../scenarios/webhook/due-polls.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import { preparing } from "../../../scenarios/world/world.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { followedJob } from "../client/followed/followed-job.ts";
import { smallWorld } from "../world/small-world.ts";

const failing = (status: number, delayMs = 0) =>
  ({ kind: "status", status, delayMs }) as const satisfies AnswerStep;

it.each<[string, readonly AnswerStep[], readonly number[]]>([
  ["each retry of attempts that fail at once", [failing(500)], [5, 35, 335]],
  ["no retry of one that was taken", [ANSWER_OK], []],
  ["a retry since the end, and the start, of a silent one", [{ kind: "silent" }], [10, 15]],
  [
    "a retry since either of a second one, that is slow",
    [failing(500), failing(500, 6_000)],
    [5, 35, 41],
  ],
])("half a second after %s", async (_, script, dueS) => {
  const sentS: number[] = [];
  const { world, until } = smallWorld((_request, nowMs) => {
    sentS.push((nowMs - startMs) / 1_000);
    return { status: 200 };
  });
  const startMs = world.now();
  const reporter = reporterOf(world, "a");
  const context = contextOf(world, BASE_PLAN, [], reporter, startMs + 600_000);
  const polls = new DuePolls(context);
  const time = { fromMs: startMs, toMs: startMs + 600_000 };
  polls.plan(followedJob("taken"), [ANSWER_OK], time);
  polls.plan(followedJob("other"), script, time);
  await until(polls.over());
  expect(sentS.map((each) => Math.round(10 * (each - 0.5)) / 10)).toEqual(dueS);
});

it.each<[string, readonly string[], readonly string[]]>([
  ["another one at a time, while the answer is out", ["taken"], ["other", "other", "other"]],
  ["one more, where that is not answered either", ["taken", "other"], ["other"]],
])("polls %s", async (_, hanging, others) => {
  const { world, requests, until } = smallWorld(() => ({ status: 200 }));
  const request: typeof world.request = async (wire) => {
    const response = await world.request(wire);
    if (hanging.some((id) => wire.url.includes(id))) await world.delay(1_500);
    return response;
  };
  const hung = { ...world, request, prepare: preparing(request) };
  const startMs = world.now();
  const reporter = reporterOf(hung, "a");
  const context = contextOf(hung, BASE_PLAN, [], reporter, startMs + 600_000);
  const polls = new DuePolls(context);
  const time = { fromMs: startMs, toMs: startMs + 6_000 };
  for (const id of ["taken", "other", "third"]) polls.plan(followedJob(id), [ANSWER_OK], time);
  polls.plan(followedJob("failing"), [failing(500)], time);
  await until(polls.over());
  const polled = requests.map(({ url }) => url.split("/").at(-1));
  expect(polled).toEqual(["taken", ...others]);
});

it("asks for jobs of each part in turn, and for each of them", async () => {
  const { world, requests, until } = smallWorld(() => ({ status: 200 }));
  const startMs = world.now();
  const context = contextOf(world, BASE_PLAN, [], reporterOf(world, "a"), startMs + 600_000);
  const polls = new DuePolls(context);
  const time = { fromMs: startMs, toMs: startMs + 600_000 };
  const taken = (id: string, part: Part) =>
    polls.plan({ ...followedJob(id), part }, [ANSWER_OK], time);
  taken("first", "success");
  taken("second", "success");
  taken("failed", "failure");
  const script = [failing(500), failing(500), ANSWER_OK];
  for (const fromMs of [startMs, startMs + 2_000]) {
    polls.plan(followedJob("failing"), script, { ...time, fromMs });
  }
  await until(polls.over());
  const polled = requests.map(({ url }) => url.split("/").at(-1));
  expect(polled).toEqual(["first", "failed", "second", "failed"]);
});
