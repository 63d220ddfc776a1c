/** That runs of one worker have several prices is told, and not judged. Spec §2.2. */

import { describe, expect, it } from "vitest";
import { priceNotes } from "../../../../contract/judges/job/price-notes.ts";
import { at, withJson } from "../answers.ts";

const PER_RUN = new Set(["echo"]);

type Cost = { cost_credits: number | null } | { cost: object };

function job(cost: Cost, status = "completed", workerId = "echo") {
  const isA = "cost_credits" in cost;
  const told = isA ? { job_uuid: "x", status } : { job_id: "x", status: status.toUpperCase() };
  const body = { ...told, worker: workerId, ...cost };
  return { workerId, polls: [withJson(200, body, { ...at(0), route: "job" as const })] };
}

const credits = (amounts: readonly (number | null)[], status?: string, worker?: string) =>
  amounts.map((cost_credits) => job({ cost_credits }, status, worker));
const usd = (total_usd: number, run_usd: number) =>
  job({ cost: { total_usd, run_usd, infra_usd: total_usd - run_usd } }, "succeeded");

const FOUR = [0.1, 0.1, 0.1, 0.1];
const DEARER = [0.12, 0.12, 0.12, 0.12];

describe("the notes on prices", () => {
  it.each([
    ["credits", credits([...FOUR, ...DEARER]), "4 of them 0.1 credits, 4 of them 0.12 credits"],
    [
      "USD",
      [...FOUR.map(() => usd(0.001, 0.001)), ...FOUR.map(() => usd(0.002, 0.002))],
      "4 of them 0.001 USD, 4 of them 0.002 USD",
    ],
  ])("tell of runs that cost differently, in %s", (_name, jobs, costs) => {
    const told = 'worker "echo" is billed per run, and its 8 jobs that completed cost differently';
    expect(priceNotes(jobs, PER_RUN)).toEqual([`${told}: ${costs}`]);
  });

  it.each([
    ["of one price", credits(FOUR)],
    ["that are metered each by itself", credits([0.1, 0.11, 0.12, 0.13, 0.14, 0.15])],
    ["of two prices, of which few were seen", credits([0.1, 0.12, 0.1])],
    ["that did not complete", [...credits(FOUR), ...credits([0, 0, 0, 0], "failed")]],
    ["whose costs are not told", [...credits(FOUR), ...credits([null, null, null, null])]],
    ["whose infrastructure part differs", [0, 1, 0, 1, 0, 1, 0, 1].map((n) => usd(1 + n, 1))],
    ["of a worker with another billing", credits([...FOUR, ...DEARER], undefined, "other")],
  ])("say nothing of runs %s", (_name, jobs) => {
    expect(priceNotes(jobs, PER_RUN)).toEqual([]);
  });
});
