/** Timed-out jobs that are charged once their run is over, by the balance as a load begins. */

import { describe, expect, it } from "vitest";
import type { EarlierJobs } from "../../contract/jobs/earlier-jobs.ts";
import type {
  QuietReading,
  QuietReadings,
} from "../../contract/judges/load/accounting/readings.ts";
import type { TimeoutTrial } from "../../contract/judges/timeout/trial.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { OBSERVATION_VERSION } from "../../contract/run/observation.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { EndState } from "../../contract/states.ts";
import { chargedLate } from "../../gate/charged-late.ts";
import { run } from "../contract/judges/job/fixtures.ts";
import { key } from "./base-target.ts";

interface Scene {
  timeouts?: number;
  /** Credits that the account shows at the end of the trial, and as the load begins. */
  atEnd?: number;
  atLoad?: number;
  /** A second before that. */
  justBefore?: number;
  account?: string | null;
  earlier?: readonly Partial<EarlierJobs>[];
  again?: boolean;
}

/** Jobs of 2 credits each; the one of known cost took 1 of 1,000. */
function told(scene: Scene): readonly string[] {
  const { account = "acc", earlier = [{}], atEnd = 995, atLoad = 935, again = false } = scene;
  const trial = trialOf(scene.timeouts ?? 30, atEnd);
  const records = [
    observed("timeout.trial", trial),
    observed("soak.accounts", { acc: readingsOf(atLoad, scene.justBefore ?? atLoad, earlier) }),
  ];
  const keys: readonly PlanKey[] = [key("free-a", { account })];
  const found = chargedLate([{ records, again: again ? ["timeout.free"] : null }], keys);
  return found.map(({ verdict, summary }) => `${verdict}: ${summary}`);
}

function observed(kind: "timeout.trial" | "soak.accounts", value: unknown): EvidenceRecord {
  const head = { type: "observation", version: OBSERVATION_VERSION, scenario: "any" } as const;
  return { ...head, kind, value } as EvidenceRecord;
}

function jobs(end: EndState, count: number) {
  const [history] = run({ variant: "A", ends: [end] });
  if (history === undefined) throw new Error("no job");
  return Array.from({ length: count }, (_, at) => {
    return { history: { ...history, issuedId: `${end}-${at}` }, lag: { earlyMs: 0, lateMs: 0 } };
  });
}

/** Two jobs below the limit cost 4. */
function trialOf(timeouts: number, atEnd: number): TimeoutTrial {
  const calibration = { before: { credits: 1_000 }, after: { credits: 999 }, cost: 1 };
  const span = { before: { credits: 999 }, after: { credits: atEnd }, seconds: 30, exchanges: [] };
  const waves = [{ ...span, timeouts, knownCost: 4 }];
  return {
    worker: "echo",
    limitSeconds: 5,
    beyond: jobs("timeout", timeouts),
    below: jobs("completed", 2),
    balances: [{ calibration, waves, quiet: [] }],
    lagMs: 0,
    without: "",
  };
}

function readingsOf(
  credits: number,
  justBefore: number,
  earlier: readonly Partial<EarlierJobs>[],
): QuietReadings {
  const quiet = { before: { credits: justBefore }, after: { credits }, seconds: 1 };
  const before: QuietReading = { amounts: { credits }, readAtMs: 0, exchanges: [], quiet };
  const own = { account: "acc", key: "free-a", opened: {}, charges: null };
  const all = earlier.map((each) => ({ ...own, ...each }));
  return { before, first: before, last: before, earlier: all };
}

describe("jobs that timed out for nothing", () => {
  it("are charged late where the load opens with less by the price of all of them", () => {
    expect(told({})).toEqual([
      "broken: credits fell by 60 after 30 jobs had timed out for nothing: the price of all of " +
        "them, and no other job ran on the account; promised 0",
    ]);
    expect(told({ earlier: [{ account: null, key: "" }, {}] })).toHaveLength(1);
  });

  it.each<[string, Scene]>([
    ["the balance stayed", { atLoad: 995 }],
    ["it rose", { atLoad: 1_095 }],
    ["it fell by a fee", { atLoad: 945 }],
    ["it fell by a job less", { atLoad: 937 }],
    ["it fell by the price of those that completed, booked late", { atEnd: 999, atLoad: 995 }],
    ["others may have paid as much for few jobs", { timeouts: 10, atLoad: 975 }],
    ["others use the account", { justBefore: 936 }],
    ["others used it meanwhile", { atEnd: 994, atLoad: 934 }],
    ["another run submitted on the account", { earlier: [{}, { key: "free-b" }] }],
    ["another run may have", { earlier: [{}, { key: "free-b", account: null }] }],
    ["nobody knows whose the key is", { account: null }],
    ["the trial is a second one", { again: true }],
  ])("are free where %s", (_, scene) => {
    expect(told(scene)).toEqual([]);
  });
});
