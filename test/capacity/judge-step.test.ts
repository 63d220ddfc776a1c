/** When a step was kept, what broke it, and when it says nothing. */

import { describe, expect, it } from "vitest";
import { baseOf, firstToGive } from "../../capacity/bottleneck.ts";
import { NO_ERRORS } from "../../capacity/error-share.ts";
import { isUnsteady } from "../../capacity/growth.ts";
import { judgeStep } from "../../capacity/judge-step.ts";
import { orderOf } from "../../capacity/step-plan.ts";
import { BUDGET_ENDED } from "../../contract/limits/budget.ts";
import type { StepMeasurement, TimeQuantiles } from "../../contract/run/capacity-step.ts";
import type { CapacityStep } from "../../report/capacity-model.ts";
import { searchOptions } from "./options.ts";

const times = (p50: number): TimeQuantiles => {
  return { count: 360, p50, p90: p50, p95: p50, p99: p50, max: p50 };
};

/** 40 jobs a second for 9 s, all of them completed half a second later. */
const HEALTHY: StepMeasurement = {
  startedAtMs: 0,
  seconds: 9,
  warmUpSeconds: 3,
  measured: { sent: 240, refused429: 0 },
  sent: 360,
  errors: 0,
  serviceErrors: 0,
  errorKinds: [],
  latencyMs: times(500),
  submitMs: times(2),
  queueWaitMs: times(100),
  runMs: times(400),
  answeredPerSecond: null,
  stretchSeconds: 0.5,
  series: series(20),
  generator: { scheduled: 360, dropped: 0, lagP99Ms: 2, loopDelayP99Ms: 2, loopDelayMaxMs: 9 },
  hostLag: { wholeMs: 5, lastThirdMs: 5, runnablePerCore: 0.5 },
  newsLagP95Ms: 0,
  leftOpen: 0,
  stopped: null,
  untaken: null,
  variant: "B",
};

/** Jobs that end in each half second, while 20 are sent. */
function series(ended: number): StepMeasurement["series"] {
  return Array.from({ length: 18 }, (_, n) => {
    const done = n === 0 ? 0 : ended;
    return { offered: 20, accepted: 20, ended: done, completed: done };
  });
}

const refused = (refused429: number) => ({ sent: 240, refused429 });
const LATE = { ...HEALTHY.generator, lagP99Ms: 400 };
const BUSY = { wholeMs: 300, lastThirdMs: 300, runnablePerCore: 9 };
/** A tenth failed, on a machine that made the runs longer as well. */
const FAILED = { errors: 40, hostLag: BUSY, runMs: times(900) };
const OPTIONS = searchOptions();
const ORDER = orderOf(OPTIONS, "confirm", 40, null);
/** Of a search that knows nothing yet. */
const FIRST = { base: null, below: NO_ERRORS } as const;
const AGAIN = { ...FIRST, phase: "confirm", objectives: OPTIONS.objectives } as const;

function judged(given: Partial<StepMeasurement>, base: CapacityStep | null = null): CapacityStep {
  return judgeStep(ORDER, { ...HEALTHY, ...given }, { ...AGAIN, base });
}

const base = judged({});

describe("a step", () => {
  it("is kept where all that was sent was completed", () => {
    expect(base).toMatchObject({ outcome: "pass", achievedPerSecond: 40, failures: [] });
    expect(base.backlog?.slopePerSecond).toBeCloseTo(0, 6);
    expect(base.inFlight).toBeCloseTo(20, 0);
  });

  const behind = { series: series(19), queueWaitMs: times(600) };

  it.each<[string, Partial<StepMeasurement>, string]>([
    ["a queue that grows by 5 %", behind, "queue"],
    ["runs that grow", { series: series(19), runMs: times(900) }, "workers"],
    ["submissions that grow", { series: series(19), submitMs: times(900) }, "answers"],
    ["429s", { measured: refused(5) }, "limiter"],
    ["errors", { errors: 9, errorKinds: ["9 5xx"] }, "errors"],
    ["jobs without times", { ...behind, queueWaitMs: null, runMs: null }, "unknown"],
    ["jobs that do not end", { leftOpen: 3, queueWaitMs: times(9_000) }, "queue"],
  ])("fails for %s", (_name, given, bottleneck) => {
    const step = judged(given, base);
    expect(step.outcome).toBe("fail");
    expect(step.failures[0]?.bottleneck).toBe(bottleneck);
  });

  it.each<[string, Partial<StepMeasurement>]>([
    ["two 429s", { measured: refused(2) }],
    ["three errors in 360", { errors: 3 }],
    ["a backlog that grows by less than is resolved", { series: series(20).with(9, over(19)) }],
    ["a busy machine beside it", { hostLag: BUSY }],
    ["a generator that sent late, but sent", { generator: LATE }],
  ])("is kept in spite of %s", (_name, given) => {
    expect(judged(given, base).outcome).toBe("pass");
  });

  it.each<[string, Partial<StepMeasurement>]>([
    ["a late generator, where it was not kept", { ...behind, generator: LATE }],
    ["a late generator's burst of 429s", { generator: LATE, measured: refused(9) }],
    ["one 429 of its burst", { generator: LATE, measured: { ...refused(40), answered429: 1 } }],
    ["a generator that left requests out", { measured: { sent: 200, refused429: 0 } }],
    ["a busy machine, where runs became slower", { ...behind, hostLag: BUSY, runMs: times(600) }],
    ["answers that were lost on a busy machine", FAILED],
    ["a budget that was spent", { stopped: BUDGET_ENDED }],
    ["a backlog that jumps about", { series: series(20).map(unsteady) }],
  ])("says nothing after %s", (_name, given) => {
    const step = judged(given, base);
    expect(step.outcome).toBe("withdrawn");
    expect(step.generator.doubt).not.toBeNull();
  });

  it("tells jobs that were held back from those that were refused", () => {
    const measured = { ...refused(40), answered429: 1 };
    expect(judged({ measured }, base).failures[0]?.text).toBe(
      "40 of 240 jobs were refused, or held back as 1 429 response asked",
    );
  });

  it("of a few seconds says nothing where chance shows such growth one time in ten", () => {
    const ended = [0, 1, 3, 3, 3, 2, 1, 2, 2];
    const short = {
      seconds: 4.4,
      warmUpSeconds: 1.5,
      latencyMs: times(1_000),
      series: ended.map((done, n) => {
        const accepted = n % 2 === 0 ? 3 : 2;
        return { offered: accepted, accepted, ended: done, completed: done };
      }),
    };
    const order = orderOf(OPTIONS, "search", 5, null);
    const given = { ...AGAIN, phase: "search" } as const;
    const measured = { ...HEALTHY, ...short, sent: 23, measured: { sent: 15, refused429: 0 } };
    const step = judgeStep(order, measured, given);
    expect(step.backlog?.slopePerSecond).toBeGreaterThan(2 * (step.backlog?.slopeError ?? 0));
    expect([step.outcome, isUnsteady(step)]).toEqual(["withdrawn", true]);
  });

  it("lays a backlog that jumps about to a busy machine, if there is one", () => {
    const jumping = { series: series(20).map(unsteady) };
    expect(isUnsteady(judged(jumping, base))).toBe(true);
    const beside = judged({ ...jumping, hostLag: BUSY }, base);
    expect(beside.outcome).toBe("withdrawn");
    expect(isUnsteady(beside)).toBe(false);
  });

  it("says nothing where an objective has no figure, and fails for what else was not kept", () => {
    const objectives = [
      { kind: "quantile", figure: "queue", q: 0.95, text: "queue-p95<1s" },
    ] as const;
    const given = {
      phase: "confirm",
      ...FIRST,
      objectives: [{ ...objectives[0], belowMs: 1_000 }],
    } as const;
    const silent = { ...HEALTHY, queueWaitMs: null };
    const step = judgeStep(ORDER, silent, given);
    expect(step.outcome).toBe("withdrawn");
    expect(step.generator.doubt).toBe(
      "queue-p95<1s can't be judged: the service tells no queue wait",
    );
    expect(judgeStep(ORDER, { ...silent, series: series(19) }, given).outcome).toBe("fail");
    expect(judgeStep(ORDER, HEALTHY, given).outcome).toBe("pass");
  });

  it.each<[string, Partial<StepMeasurement>]>([
    ["429s", { measured: refused(50), hostLag: BUSY, generator: LATE }],
    ["a queue beside runs that take as long as ever", { ...behind, hostLag: BUSY }],
    ["jobs that ended failed", { ...FAILED, serviceErrors: 40 }],
  ])("fails for %s on a busy machine, too", (_name, given) => {
    expect(judged(given, base).outcome).toBe("fail");
  });

  it("confirms on a busy machine what had failed on a calm one", () => {
    const slower = { ...HEALTHY, ...behind, hostLag: BUSY, runMs: times(600) };
    const given = { ...AGAIN, base, hasFailed: true };
    expect(judgeStep(ORDER, slower, given).outcome).toBe("fail");
    expect(judgeStep(ORDER, { ...slower, generator: LATE }, given).outcome).toBe("withdrawn");
  });
});

function over(ended: number) {
  return { offered: 20, accepted: 20, ended, completed: ended };
}

/** Nothing ends for two seconds, much more than usual after that, and then nothing again. */
function unsteady(interval: StepMeasurement["series"][number], n: number) {
  const ended = [0, ...Array(7).fill(20), 0, 0, 0, 0, 45, 45, 45, 0, 0, 0][n] as number;
  return { ...interval, ended, completed: ended };
}

describe("what gives way first", () => {
  const LONG = { runMs: times(8_000), queueWaitMs: times(4_000), series: series(17) };

  it("is not told of a step that there is nothing to compare with", () => {
    const blind = judged(LONG);
    expect(blind.failures[0]?.bottleneck).toBe("unknown");
    expect(blind.failures[0]?.text).toMatch(/; queue wait 4000 ms, runs 8000 ms, submissions 2 ms/);
    expect(blind.failures[0]?.text).not.toContain("grew from");
    const atRest = judged({ runMs: times(8_000) });
    expect(judged(LONG, atRest).failures[0]?.bottleneck).toBe("queue");
  });

  it("is the part that an objective names alone", () => {
    const slo = { kind: "quantile", figure: "run", q: 0.95, text: "run-p95<3s" } as const;
    const given = {
      phase: "search",
      objectives: [{ ...slo, belowMs: 3_000 }],
      ...FIRST,
    } as const;
    const { failures } = judgeStep(ORDER, { ...HEALTHY, runMs: times(8_000) }, given);
    expect(failures[0]?.bottleneck).toBe("workers");
  });

  it("is told by the failed step nearest above the edge that is clear", () => {
    const at = (rate: number, step: CapacityStep) => ({ ...step, ratePerSecond: rate });
    const vague = at(41, judged({ series: series(19), runMs: times(410) }, base));
    const queue = at(44, judged({ series: series(18), queueWaitMs: times(900) }, base));
    const later = at(80, judged({ errors: 200, errorKinds: ["200 5xx"] }, base));
    expect(firstToGive([base, vague, queue, later], 40)?.bottleneck).toBe("queue");
    expect(firstToGive([base], 40)).toBeNull();
    const again = at(44, judged({ series: series(18), queueWaitMs: times(300) }, base));
    expect(firstToGive([base, queue, again], 40)).toBe(again.failures[0]);
    const byChance = at(20, judged({ errors: 9, errorKinds: ["9 5xx"] }, base));
    expect(firstToGive([base, byChance, queue], 40)?.bottleneck).toBe("queue");
    expect(baseOf([vague, at(20, base), at(10, base)])?.ratePerSecond).toBe(10);
  });
});

describe("a step of a service that starts jobs in batches", () => {
  /** 5 jobs a second for so long; 13 are ended after 2.5 s, and so many each 3 s from then on. */
  const batches = (seconds: number, ends: number): Partial<StepMeasurement> => {
    const series = Array.from({ length: seconds * 2 }, (_, n) => {
      const offered = n % 2 === 0 ? 3 : 2;
      const ended = n % 6 === 4 ? Math.min(ends, n === 4 ? 13 : ends) : 0;
      return { offered, accepted: offered, ended, completed: ended };
    });
    return { seconds, warmUpSeconds: seconds / 3, latencyMs: times(2_000), series };
  };
  const judgedAs = (m: Partial<StepMeasurement>, standstillMs: number) => {
    const order = { ...ORDER, ratePerSecond: 5 };
    const given = { ...AGAIN, phase: "search", standstillMs } as const;
    return judgeStep(order, { ...HEALTHY, ...m }, given);
  };

  it("says nothing where it is hardly longer than a batch takes", () => {
    const short = batches(4.5, 0);
    const { outcome, generator, failures } = judgedAs(short, 0);
    expect(outcome).toBe("withdrawn");
    expect(generator.doubt).toMatch(/^no job ended for \d(\.\d)? s of the 4.5 s of this step$/);
    expect(failures).toHaveLength(1);
    expect(judgedAs(short, 9_000).outcome).toBe("fail");
  });

  it("grows only where the backlog does from batch to batch", () => {
    expect(judgedAs(batches(18, 15), 0)).toMatchObject({ outcome: "pass" });
    expect(Math.abs(judgedAs(batches(18, 15), 0).backlog?.slopePerSecond ?? 9)).toBeLessThan(0.05);
    expect(judgedAs(batches(18, 12), 0)).toMatchObject({ outcome: "fail" });
    expect(judgedAs(batches(18, 12), 0).backlog?.slopePerSecond).toBeCloseTo(1, 1);
  });
});
