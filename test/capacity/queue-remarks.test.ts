/** What is said of a limit on jobs at once, and that it is not said of a limited rate. */

import { describe, expect, it } from "vitest";
import type { Crowding } from "../../capacity/queue-remarks.ts";
import {
  isNoLimitAtOnce,
  keysRemark,
  limitAtOnce,
  limitRemark,
  standstillRemark,
} from "../../capacity/queue-remarks.ts";
import type { CapacityStep } from "../../report/capacity-model.ts";
import type { Asked, Life } from "../../scenarios/capacity/crowd.ts";
import { atOnceOf, jobsAtOnce } from "../../scenarios/capacity/crowd.ts";
import type { Draw } from "../../simulation/chance.ts";
import { between, exponential, stream } from "../../simulation/chance.ts";

/** Whether the next one is refused. */
type Limit = (inFlight: number, atMs: number) => boolean;

const atOnce = (jobs: number): (() => Limit) => {
  return () => (inFlight) => inFlight >= jobs;
};
const perSecond = (rate: number, burst: number): (() => Limit) => {
  return () => {
    let [tokens, fromMs] = [burst, 0];
    return (_, atMs) => {
      tokens = Math.min(burst, tokens + ((atMs - fromMs) / 1_000) * rate);
      fromMs = atMs;
      if (tokens < 1) return true;
      tokens -= 1;
      return false;
    };
  };
};

/** A step of 15 s, whose messages take so long each way, at the most. */
function crowdOf(limit: Limit, rate: number, runMs: () => number, wayMs: () => number) {
  const asked = Array.from({ length: rate * 15 }, (_, n) => {
    const sentMs = (n * 1_000) / rate;
    return { sentMs, atMs: sentMs + wayMs() };
  });
  const lives: (Life & { untilMs: number })[] = [];
  const refused: Asked[] = [];
  for (const { sentMs, atMs } of asked.toSorted((a, b) => a.atMs - b.atMs)) {
    const inFlight = lives.filter(({ untilMs }) => untilMs > atMs).length;
    const answeredMs = atMs + wayMs();
    const lifeMs = runMs();
    if (limit(inFlight, atMs)) refused.push({ sentMs, answeredMs });
    else lives.push({ sentMs, answeredMs, lifeMs, untilMs: atMs + lifeMs });
  }
  return { lives, refused };
}

function stepOf(...[limit, rate, runMs, wayMs]: Parameters<typeof crowdOf>): Crowding {
  const { lives, refused } = crowdOf(limit, rate, runMs, wayMs);
  const limited = jobsAtOnce(lives, refused);
  const openByKey = [{ key: "big", perSecond: rate, open: 0 }];
  return { refused: refused.length, otherRefused: 0, jobsAtOnce: limited, openByKey };
}

/** The steps of a search of what completes about 16 a second. */
function searched(limit: () => Limit, runMs: (draw: Draw) => number, seed: number): Crowding[] {
  const draw = stream(seed, "queue remarks");
  // Near, far away, and on a busy machine.
  const [leastMs, meanMs] = [
    [0, 1],
    [60, 2],
    [0, 15],
  ][seed % 3] as [number, number];
  const wayMs = () => leastMs + exponential(draw, meanMs);
  const rates = [20, 17, 16.2, 32].map((rate) => rate * between(draw, 0.98, 1.02));
  return rates.map((rate) => stepOf(limit(), rate, () => runMs(draw), wayMs));
}

const RUNS: [string, (draw: Draw) => number][] = [
  ["all alike", () => 500],
  ["that vary by 5 %", (draw) => 500 * between(draw, 0.95, 1.05)],
  ["that vary by 30 %", (draw) => 500 * between(draw, 0.7, 1.3)],
  ["of any length", (draw) => exponential(draw, 500)],
];
const SEEDS = Array.from({ length: 15 }, (_, n) => n + 1);

describe("refusals", () => {
  it.each(RUNS)("tell of a limit on jobs at once, with runs %s", (_, runMs) => {
    const crowdings = SEEDS.map((seed) => searched(atOnce(8), runMs, seed));
    const found = crowdings.map(limitAtOnce);
    expect(crowdings.filter(isNoLimitAtOnce)).toEqual([]);
    expect(found.filter((limit) => limit === 8).length).toBeGreaterThan(13);
    expect(found.filter((limit) => limit !== null && limit !== 8)).toEqual([]);
  });

  it.each(RUNS)("tell of none where a rate is limited, with runs %s", (_, runMs) => {
    const crowdings = [1, 16, 32].flatMap((burst) => {
      return SEEDS.map((seed) => searched(perSecond(16, burst), runMs, seed));
    });
    const limits = crowdings.map(limitAtOnce);
    expect(limits.filter((limit) => limit !== null).length).toBeLessThan(2);
    expect(crowdings.filter(isNoLimitAtOnce).length).toBeGreaterThan(35);
  });

  it("tell of none where polls are refused as well, or there are few", () => {
    const step = { refused: 20, otherRefused: 0, jobsAtOnce: 8, openByKey: [] };
    expect(limitAtOnce([step])).toBe(8);
    expect(limitAtOnce([{ ...step, otherRefused: 10 }])).toBeNull();
    expect(limitAtOnce([{ ...step, refused: 4 }])).toBeNull();
    expect(limitAtOnce([step, { ...step, jobsAtOnce: null }])).toBeNull();
  });

  it("counts for those that most steps tell it of", () => {
    const of = { refused: 6, otherRefused: 0, openByKey: [] };
    const account = { ...of, jobsAtOnce: 14, atOnceOf: "account" } as const;
    const told = limitRemark([account, { ...of, jobsAtOnce: 28 }, account, account], false);
    expect(told).toContain("only while 14 jobs or more of their account were in flight");
    const all = { ...of, jobsAtOnce: 14 };
    expect(limitAtOnce([account, all, account, all])).toBeNull();
  });

  it("tell of a limit of each account, or of each key", () => {
    const draw = stream(1, "accounts");
    const sent = (key: string, account: string) => {
      const wayMs = () => exponential(draw, 1);
      const crowd = crowdOf(atOnce(8)(), 20, () => 500 * between(draw, 0.7, 1.3), wayMs);
      const of = <T>(each: T) => ({ ...each, key, account });
      return { lives: crowd.lives.map(of), refused: crowd.refused.map(of) };
    };
    const both = (accounts: [string, string]) => {
      const [one, two] = [sent("k1", accounts[0]), sent("k2", accounts[1])];
      const lives = [...one.lives, ...two.lives];
      return atOnceOf({ lives, refused: [...one.refused, ...two.refused] });
    };
    const [byAccount, byKey] = [both(["a", "b"]), both(["a", "a"])];
    expect([byAccount, byKey]).toEqual([
      { jobsAtOnce: 8, atOnceOf: "account" },
      { jobsAtOnce: 8, atOnceOf: "key" },
    ]);
    const step = { refused: 20, otherRefused: 0, openByKey: [], ...byAccount };
    expect(limitRemark([step], false)).toMatch(
      /^submissions were refused only while 8 jobs or more of their account were in flight: /,
    );
  });

  it("that hold others back are told to do so", () => {
    const step = { refused: 20, otherRefused: 0, jobsAtOnce: 8, openByKey: [] };
    expect(limitRemark([step], true)).toMatch(/; each 429 held back what was due in its wait:/);
    expect(limitRemark([step], false)).not.toContain("--beyond-plan");
  });
});

describe("a backlog", () => {
  const of = (pro: number, big: number): Crowding => {
    const openByKey = [
      { key: "pro", perSecond: 4, open: pro },
      { key: "big", perSecond: 16, open: big },
    ];
    return { refused: 0, otherRefused: 0, jobsAtOnce: null, openByKey };
  };

  it("of one key's jobs alone is told", () => {
    expect(keysRemark([of(2, 40), of(2, 30)])).toMatch(/^jobs of key big waited, those of pro did/);
    expect(keysRemark([of(30, 20)])).toMatch(/^jobs of key pro waited, those of big did not/);
  });

  it("of all keys' jobs is not", () => {
    expect(keysRemark([of(8, 40), of(9, 30)])).toBeNull();
    expect(keysRemark([of(0, 12)])).toBeNull();
  });
});

describe("a standstill", () => {
  /** Ends by half second. */
  const step = (ends: readonly number[], given: Partial<CapacityStep> = {}): CapacityStep => {
    const points = ends.map((count, n) => {
      const atSeconds = n / 2;
      return { atSeconds, offeredPerSecond: 17, completedPerSecond: count * 2, backlog: 8 };
    });
    const seconds = ends.length / 2;
    const counted = { seconds, measuredSeconds: seconds, ratePerSecond: 17, stopped: null };
    const outcome = "pass";
    return { points, ...counted, outcome, generator: { hostLagMs: 5 }, ...given } as CapacityStep;
  };
  const stops = [9, 9, 0, 0, 0, 20, 9, 9, 9, 0, 0, 0, 20, 9];

  it("is told where it comes again and again", () => {
    const note = /^no job ended for up to 1.5 s, 4 times in 14 s, at rates that were kept:/;
    expect(standstillRemark([step(stops), step(stops)])).toMatch(note);
  });

  it("is not of a few slow jobs, of this machine's, or where one rate failed", () => {
    expect(standstillRemark([step([9, 0, 9, 9, 0, 9, 9, 0, 9])])).toBeNull();
    expect(standstillRemark([step(stops, { ratePerSecond: 3 }), step([9, 9])])).toBeNull();
    const first = step([0, 0, 0, 9, 9, 9], { measuredSeconds: 2 });
    expect(standstillRemark([first, first, first])).toBeNull();
    const busy = { ...step(stops).generator, hostLagMs: 900 };
    expect(
      standstillRemark([step(stops, { generator: busy }), step(stops, { outcome: "fail" })]),
    ).toBeNull();
  });
});
