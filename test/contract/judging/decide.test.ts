/** What follows from samples beside a tolerated range: the same for all promises. */

import { describe, expect, it } from "vitest";
import type { Claim, Explanation, LeftOut, Sample } from "../../../contract/judging/claim.ts";
import { countedClaim, rangeText } from "../../../contract/judging/claim.ts";
import { decide } from "../../../contract/judging/decide.ts";
import type { Breach, Finding, Verdict } from "../../../contract/verdict.ts";
import { broken, inconclusive, mergeFindings } from "../../../contract/verdict.ts";

const late = (atMost: number): Explanation => {
  return { cause: "host lag", atMost, why: `this machine was late by ${atMost} ms` };
};
const WAY: Explanation = { cause: "network", atMost: 50, why: "the way may take 50 ms" };
const seen = (low: number, high = low, more: Partial<Sample> = {}): Sample => {
  return { low, high, what: `job-${low} took ${low} ms`, ...more };
};
const CLAIM: Claim = {
  promise: "webhook.wait-1",
  unit: "ms",
  tolerated: { low: 100, high: 200 },
  samples: [],
  of: "waits",
  promised: "0.15 s",
  without: "nobody waited",
};
const LEFT_OUT: LeftOut = {
  what: "3 jobs say nothing",
  explainedBy: { promise: "webhook.signed" },
};
const four = (off: number, traits?: readonly string[]) => [
  ...Array.from({ length: off }, (_, at) => seen(300 + at, 300 + at, traits ? { traits } : {})),
  ...Array.from({ length: 4 - off }, () => seen(150, 160, { traits: ["other"] })),
];

type Row = [title: string, change: Partial<Claim>, verdict: Verdict, summary: RegExp];

const ROWS: readonly Row[] = [
  ["nothing was seen", {}, "unobserved", /^nobody waited$/],
  [
    "all lie within",
    { samples: [seen(110, 120), seen(130, 140)] },
    "kept",
    /^2 waits were 110 to 140 ms, promised 0.15 s$/,
  ],
  ["one ends right at the edges", { samples: [seen(100, 200)] }, "kept", /100 to 200 ms/],
  [
    "one lies beyond",
    { samples: [seen(150), seen(201, 210)] },
    "broken",
    /^1 of 2 waits were 201 to 210 ms, promised 0.15 s: job-201/,
  ],
  ["one lies below", { samples: [seen(90, 99)] }, "broken", /90 to 99 ms/],
  [
    "the worst is told first",
    { samples: [seen(201), seen(400), seen(300)] },
    "broken",
    /^3 of 3 .*: job-400/,
  ],
  ["one may lie beyond", { samples: [seen(150, 250)] }, "inconclusive", /^job-150/],
  [
    "one may lie beyond, and another does not",
    { samples: [seen(150, 250), seen(150)] },
    "kept",
    /^1 waits/,
  ],
  [
    "too few are good beside those that say nothing",
    { samples: [seen(150), seen(150, 250), seen(150, 250)], quorum: { enough: 3 } },
    "inconclusive",
    /job-150/,
  ],
  [
    "one lies beyond by what the machine was late",
    { samples: [seen(150), seen(250, 250, { above: [late(30), late(20)] })] },
    "inconclusive",
    /late by 30 ms, and this machine was late by 20 ms$/,
  ],
  [
    "one of two reasons explains it by itself, and the other one is none",
    { samples: [seen(150), seen(250, 250, { above: [late(30), late(70)] })] },
    "inconclusive",
    /; this machine was late by 70 ms$/,
  ],
  [
    "one lies beyond by more than that",
    { samples: [seen(251, 251, { above: [late(30), late(20)] })] },
    "broken",
    /251 ms/,
  ],
  [
    "what would explain the other side",
    { samples: [seen(250, 250, { below: [late(100)] })] },
    "broken",
    /250 ms/,
  ],
  [
    "few are explained where that is no matter",
    {
      samples: [seen(150), seen(150), seen(250, 250, { above: [late(50)] })],
      quorum: { explainedShare: 0.5 },
    },
    "kept",
    /^2 waits/,
  ],
  ...(
    [
      ["all of a kind are explained by the way", 2, 5, WAY, "inconclusive", /^2 of 22 .*: job-25/],
      ["so are those that may be of a kind by chance", 2, 1, WAY, "kept", /^4 waits/],
      ["so are all but one of a kind", 1, 5, WAY, "kept", /^21 waits/],
      ["all of a kind are explained by what was measured", 2, 5, late(50), "kept", /^20 waits/],
    ] as const
  ).map(([title, off, others, why, verdict, text]): Row => {
    const kind = [250, 240].map((ms, at) =>
      at < off
        ? seen(ms, ms, { above: [why], traits: ["kind"] })
        : seen(150, 150, { traits: ["kind"] }),
    );
    const samples = [...kind, ...Array.from({ length: others }, () => four(0)).flat()];
    return [title, { samples, quorum: { explainedShare: 0.5 } }, verdict, text];
  }),
  [
    "more are explained than good, beside others that are open",
    {
      samples: [
        ...[seen(150), seen(50, 150), seen(50, 150), seen(50, 150)],
        ...[seen(250, 250, { above: [late(50)] }), seen(250, 250, { above: [late(50)] })],
      ],
      quorum: { explainedShare: 0.5 },
    },
    "inconclusive",
    /2 of 6 waits/,
  ],
  [
    "the whole run is in doubt",
    { samples: [seen(300)], explanations: [late(Number.POSITIVE_INFINITY)] },
    "inconclusive",
    /1 of 1 waits/,
  ],
  [
    "a fault may be hidden",
    { samples: [seen(150)], hidden: [late(0)] },
    "inconclusive",
    /^this machine was late by 0 ms$/,
  ],
  [
    "a fault shows though others may be hidden",
    { samples: [seen(300)], hidden: [late(0)] },
    "broken",
    /300/,
  ],
  [
    "some were left out, and none is left",
    { leftOut: LEFT_OUT },
    "unobserved",
    /^3 jobs say nothing: nobody waited$/,
  ],
  [
    "some were left out, and the others show a fault",
    { leftOut: LEFT_OUT, samples: [seen(300)] },
    "broken",
    /^1 of 1/,
  ],
  [
    "those alike have to agree, and do",
    { samples: four(2, ["same"]), quorum: { alike: 2 } },
    "broken",
    /^2 of 4/,
  ],
  [
    "those alike have to agree, and do not",
    { samples: four(2, ["other"]), quorum: { alike: 2 } },
    "inconclusive",
    /^2 of 4/,
  ],
  ["all there are are one", { samples: [seen(300)], quorum: { alike: 2 } }, "broken", /^1 of 1/],
  [
    "all but one may be the machine's doing",
    { samples: [seen(300), seen(250, 250, { above: [late(50)] })], quorum: { alike: 2 } },
    "inconclusive",
    /^1 of 2 .*too few to be sure$/,
  ],
  [
    "a single one is like no other",
    { samples: four(1, ["same"]), quorum: { alike: 2 } },
    "inconclusive",
    /^1 of 4/,
  ],
];

describe("a claim", () => {
  it.each(ROWS)("of which %s", (_title, change, verdict, summary) => {
    const finding = decide({ ...CLAIM, ...change });
    expect([finding.verdict, finding.summary]).toEqual([verdict, expect.stringMatching(summary)]);
  });

  it("shows what was measured, what is tolerated, and what may explain it", () => {
    const { evidence } = decide({ ...CLAIM, samples: [seen(250, 260, { above: [late(60)] })] });
    expect(evidence).toMatchObject({
      samples: 1,
      explained: 1,
      causes: ["host lag"],
      tolerated: "100 to 200 ms",
      measured: ["250 to 260 ms"],
    });
  });

  it("is as strong as its good samples", () => {
    const strata = (job: string) => ({ strata: { jobs: job, ends: "completed" } });
    const samples = [seen(110, 120, strata("a")), seen(130, 140, strata("b")), seen(90, 250)];
    expect(decide({ ...CLAIM, samples, notTried: ["jobs that fail"] }).strength).toEqual({
      looks: [
        { of: "waits", count: 2 },
        { of: "jobs", count: 2 },
        { of: "ends", count: 1 },
      ],
      measured: [
        { what: "waits", unit: "ms", low: 110, high: 140, leastTolerated: 100, mostTolerated: 200 },
      ],
      notTried: ["jobs that fail"],
    });
  });
});

it("tells of a doubt of which kinds all of it is, but no jobs", () => {
  const kinds = (job: string, ways: string) => {
    return { strata: { jobs: job, ways, ends: "failed" }, above: [late(500)] };
  };
  const samples = [seen(150), seen(300, 300, kinds("a", "404")), seen(310, 310, kinds("b", "500"))];
  expect(decide({ ...CLAIM, samples }).kinds).toEqual({ ends: ["failed"] });
  expect(decide({ ...CLAIM, samples: samples.slice(0, 2) }).kinds).toEqual({
    ways: ["404"],
    ends: ["failed"],
  });
  const open = [seen(150, 250, { strata: { ways: "404" } }), seen(150, 250)];
  const hidden = decide({ ...CLAIM, samples: [seen(150), ...open], hidden: [late(0)] });
  expect(hidden.kinds).toEqual({ ways: ["404"] });
});

it("tells of the doubts of several witnesses each of their kinds", () => {
  const doubt = (...ways: string[]) => {
    const samples = ways.map((way) =>
      seen(300, 300, { strata: { ways: way }, above: [late(500)] }),
    );
    return decide({ ...CLAIM, samples });
  };
  const merged = (...all: Finding[]) => mergeFindings(all).kinds;
  expect(merged(doubt("404"), doubt("500"))).toEqual({ ways: ["404", "500"] });
  expect(merged(doubt("404", "500"), doubt("500"))).toEqual({ ways: ["500"] });
  expect(merged(doubt("404"), broken(CLAIM.promise, "late"))).toBeUndefined();
});

it("measures a side that nothing bounded as null, which a report can hold", () => {
  const samples = [{ what: "a", low: 100, high: Number.POSITIVE_INFINITY }];
  const tolerated = { low: 0, high: Number.POSITIVE_INFINITY };
  const { strength } = decide({ ...CLAIM, samples, tolerated });
  expect(strength?.measured).toMatchObject([{ low: 100, high: null, mostTolerated: null }]);
});

describe("a counted claim", () => {
  const COUNTED = {
    promise: "webhook.once",
    of: "deliveries",
    kept: "none came again",
    without: "nothing came",
    faults: [],
  } as const;

  it.each<[string, Partial<Parameters<typeof countedClaim>[0]>, Verdict, string]>([
    ["nothing was looked at", {}, "unobserved", "nothing came"],
    ["there was no fault", { good: 3 }, "kept", "none came again"],
    ["there was one", { faults: [{ what: "a came again" }] }, "broken", "a came again"],
    [
      "there were two",
      { faults: [{ what: "a" }, { what: "b" }] },
      "broken",
      "2 of 2 deliveries: a",
    ],
    [
      "all are told of at once",
      { good: 1, off: "came again", faults: [{ what: "a" }] },
      "broken",
      "1 of 2 deliveries came again: a",
    ],
    [
      "it can't be told",
      { open: [{ what: "a came too late" }] },
      "inconclusive",
      "a came too late",
    ],
  ])("of which %s", (_title, change, verdict, summary) => {
    const finding = decide(countedClaim({ ...COUNTED, ...change }));
    expect([finding.verdict, finding.summary]).toEqual([verdict, summary]);
  });
});

describe("a range", () => {
  const { NEGATIVE_INFINITY: LEAST, POSITIVE_INFINITY: MOST } = Number;

  it.each([
    [{ low: 590.4, high: 663 }, "ms", "590 to 663 ms"],
    [{ low: 5, high: 5.2 }, "ms", "5 ms"],
    [{ low: 0, high: MOST }, "ms", "0 ms or more"],
    [{ low: LEAST, high: 0.0125 }, "share", "1.25 % or less"],
    [{ low: LEAST, high: MOST }, "ms", "any"],
    [{ low: 9.876, high: 10.04 }, "per second", "9.88 to 10/s"],
    [{ low: 20, high: 21 }, "requests", "20 to 21 requests"],
  ] as const)("%o in %s reads %s", (range, unit, text) => {
    expect(rangeText(range, unit)).toBe(text);
  });
});

describe("a doubt that another breach would explain", () => {
  const SIGNED: Breach = { promise: "webhook.signed" };
  const OF_A: Breach = { promise: "rate.limited", key: "free-a" };
  const OF_B: Breach = { promise: "rate.limited", key: "free-b" };
  const open = (...explainedBy: Breach[]) => seen(150, 250, { explainedBy });
  const found = (change: Partial<Claim>): Finding => decide({ ...CLAIM, ...change });

  it.each<[title: string, change: Partial<Claim>, explainedBy: readonly Breach[] | undefined]>([
    ["of each open sample", { samples: [open(OF_A), open(OF_B), open(OF_A)] }, [OF_A, OF_B]],
    ["not of all open samples", { samples: [open(OF_A), open()] }, undefined],
    [
      "of what was seen too high",
      { samples: [seen(210, 210, { above: [{ ...late(10), explainedBy: [SIGNED] }] })] },
      [SIGNED],
    ],
    [
      "of what is hidden",
      { samples: [seen(150)], hidden: [{ ...late(1), explainedBy: [OF_A] }] },
      [OF_A],
    ],
    ["of what was left out", { samples: [open()], leftOut: LEFT_OUT }, [SIGNED]],
    ["of nothing, as too few are off", { samples: four(2), quorum: { alike: 3 } }, undefined],
  ])("names it: %s", (_, change, explainedBy) => {
    expect(found(change)).toMatchObject({ verdict: "inconclusive" });
    expect(found(change).explainedBy).toEqual(explainedBy);
  });

  it("is explained for both witnesses, or for none", () => {
    const doubt = (...explainedBy: Breach[]) => {
      return inconclusive("rate.sustained", "nothing was refused", { explainedBy });
    };
    expect(mergeFindings([doubt(OF_A), doubt(OF_B)]).explainedBy).toEqual([OF_A, OF_B]);
    expect(mergeFindings([doubt(OF_A), doubt()]).explainedBy).toBeUndefined();
  });

  it("what is broken names its keys, where all of it has one", () => {
    const off = (key: string) => seen(300, 300, { key });
    expect(found({ samples: [off("free-a"), seen(150)] }).keys).toEqual(["free-a"]);
    expect(found({ samples: [off("free-a"), seen(300)] }).keys).toBeUndefined();
    const both = ["free-a", "free-b"].map((key) => broken("rate.limited", "", { keys: [key] }));
    expect(mergeFindings(both).keys).toEqual(["free-a", "free-b"]);
    expect(mergeFindings([...both, broken("rate.limited", "")]).keys).toBeUndefined();
  });
});

describe("what happens once at the most", () => {
  const at = { lowMs: 0, highMs: 0, atMs: 0 };
  const once = { before: at, after: at, steady: null };
  const SET: Explanation = { cause: "set clock", atMost: 1_000, why: "it was set", once };
  const found = (beyond: number, above: readonly Explanation[]) =>
    decide({ ...CLAIM, samples: [seen(150), seen(200 + beyond, 200 + beyond, { above })] });

  it("is named by a doubt that needs it, once for all samples", () => {
    expect(found(50, [SET])).toMatchObject({ verdict: "inconclusive", once: [once] });
    const samples = [300, 301].map((ms) => seen(ms, ms, { above: [late(20), SET] }));
    expect(decide({ ...CLAIM, samples }).once).toEqual([once]);
  });

  it("is not named where something else explains the doubt as well, nor by another verdict", () => {
    expect(found(50, [SET, late(60)])).toMatchObject({ verdict: "inconclusive" });
    expect(found(50, [SET, late(60)]).once).toBeUndefined();
    expect(found(5_000, [SET]).verdict).toBe("broken");
    expect(found(5_000, [SET]).once).toBeUndefined();
  });

  it("stays with the doubt where findings of several witnesses become one", () => {
    const doubts = [found(50, [SET]), found(60, [late(70)]), found(70, [SET])];
    expect(mergeFindings(doubts).once).toEqual([once]);
    expect(mergeFindings([...doubts, broken(CLAIM.promise, "late")]).once).toBeUndefined();
  });
});
