/** The check of the job list, which no run that goes well reads. */

import { expect, it } from "vitest";
import type { ServedAnswer } from "../../../simulation/http.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import { bentService } from "./bent-service.ts";
import { samplesOf } from "./samples.ts";

const MINUTE_MS = 60_000;

/** What came of six checks of it, the first at the start; null: the service's own answer. */
async function checksOn(answerOf: (list: number) => Partial<ServedAnswer> | null) {
  let lists = 0;
  const { metrics } = await simulateProbe({
    seed: 5,
    service: { variant: "B" },
    canaries: [],
    openService: bentService(({ target }) => {
      if (target !== "/v1/jobs") return null;
      lists += 1;
      return answerOf(lists);
    }),
    durationMs: 5.5 * MINUTE_MS,
  });
  const checks = samplesOf(metrics, /^plumbline_api_checks_total\{check="jobs"/);
  const [bad] = samplesOf(metrics, /^plumbline_sli_events_total.*api-available",result="bad"/);
  const last = samplesOf(metrics, /^plumbline_api_check_last_run_success\{check="jobs"/)[0]?.value;
  const outcomes = checks.flatMap(({ series, value }) => {
    const [, outcome = ""] = /outcome="(\w+)"/.exec(series) ?? [];
    return value === 0 ? [] : [`${outcome} ${value}`];
  });
  return { outcomes, bad: bad?.value, last };
}

it.each([
  ["is well", () => null, ["success 6"], 0, 1],
  ["gets 500", () => ({ status: 500 }), ["http_error 6"], 6, 0],
  ["is a web page", () => ({ status: 200, body: "<html></html>" }), ["http_error 6"], 6, 0],
  ["is gone", (list) => (list > 2 ? { status: 404 } : null), ["success 2", "http_error 4"], 4, 0],
  // It may need parameters, which are not shown. Spec §4.5.
  ["is refused from the start", () => ({ status: 400 }), [], 0, Number.NaN],
] as readonly [string, Parameters<typeof checksOn>[0], string[], number, number][])(
  "a list that %s",
  async (_, answerOf, outcomes, bad, last) => {
    expect(await checksOn(answerOf)).toEqual({ outcomes, bad, last });
  },
);
