/** Views of a job in the simulation lag behind by as much as their world says, never by more. */

import { expect, it } from "vitest";
import type { State } from "../../contract/states.ts";
import { combineHooks } from "../../reference/hooks.ts";
import type { AnswerContext, RequestFacts } from "../../reference/http.ts";
import { staleViews } from "../../simulation/stale-views.ts";
import { fakeClock } from "../probe/fake-clock.ts";
import { seededRandom } from "../probe/tracker/random.ts";
import { aJob } from "../reference/faults/hooks-of.ts";

const START_MS = 1_000_000;
const REQUEST: RequestFacts = {
  method: "GET",
  route: "job",
  parameter: "job_1",
  query: {},
  body: "",
  apiKey: undefined,
  rawHeaders: [],
  connection: {},
};

/** States as polls at these times show them; each view lags behind by 1.5 s. */
function shownAt(pollsMs: readonly number[]): readonly string[] {
  const clock = fakeClock(START_MS);
  const fault = staleViews(() => 1, 1_500);
  const scene = { variant: "A", timeScale: 1, keys: [], clock, random: seededRandom(1) } as const;
  const hooks = combineHooks([fault.create(scene)]);
  const job = { ...aJob("sleep-short", "queued"), submittedAtMs: START_MS };
  const context: AnswerContext = {
    request: REQUEST,
    reason: "served",
    key: null,
    worker: null,
    job,
  };
  return pollsMs.map((atMs) => {
    clock.advance(START_MS + atMs - clock.nowMs());
    const state: State = atMs < 2_000 ? "queued" : atMs < 22_000 ? "running" : "timeout";
    job.state = state;
    job.startedAtMs = atMs < 2_000 ? null : START_MS + 2_000;
    job.finishedAtMs = atMs < 22_000 ? null : START_MS + 22_000;
    return String(hooks.answer({ status: 200, headers: {}, body: state }, context).body);
  });
}

it.each([
  [
    "the state before, for as long as it lags",
    [1_000, 3_000, 3_600],
    ["queued", "queued", "running"],
  ],
  ["the end as late", [4_000, 23_000, 23_600], ["running", "running", "timeout"]],
  ["no state that was left for longer", [1_000, 22_200], ["queued", "timeout"]],
])("a view shows %s", (_, pollsMs, states) => {
  expect(shownAt(pollsMs)).toEqual(states);
});
