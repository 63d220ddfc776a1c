/** The times in which a service answered nobody, from what each scenario met. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Silence, Stretch } from "../../contract/requests/silence.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { silenceNotes } from "../../gate/silence-notes.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number) => noon + seconds * 1_000;

function silence(fromS: number, toS: number, statuses: Silence["statuses"] = { 503: 9 }): Silence {
  return { fromMs: at(fromS), toMs: at(toS), requests: 9, statuses };
}

function seen(
  silences: readonly Silence[],
  answered: readonly (readonly [number, number])[],
): EvidenceRecord {
  const stretches = answered.map(([from, to]): Stretch => [at(from), at(to)]);
  return { type: "silences", scenario: "contract", silences, answered: stretches };
}

describe("times in which nobody was answered", () => {
  it("are none where all requests were answered", () => {
    expect(silenceNotes([seen([], [[0, 60]])], null)).toEqual([]);
    expect(silenceNotes([], null)).toEqual([]);
  });

  it("say from when to when, and what was met", () => {
    const records = [
      seen(
        [silence(20, 30)],
        [
          [0, 20],
          [30, 60],
        ],
      ),
    ];
    expect(silenceNotes(records, null)).toEqual([
      "the service answered nobody from 12:00:20 UTC to 12:00:30 UTC (10 s; about 9 requests: " +
        "9 503): what is broken or in doubt, webhooks too, may come of that",
    ]);
  });

  it("are those of whoever asked for one path where all did, who may be the only ones", () => {
    const one = { ...silence(20, 30, { 500: 9 }), path: "/v1/jobs" };
    const answered = [
      [0, 20],
      [30, 60],
    ] as const;
    const [note, ...others] = silenceNotes([seen([one], answered)], null);
    expect(note).toContain("answered nobody who asked for /v1/jobs from 12:00:20 UTC to 12:00:30");
    expect(note).toContain("9 500): what is broken or in doubt may come of that");
    expect(others).toEqual([]);
    const [all] = silenceNotes([seen([one, silence(22, 28)], answered)], null);
    expect(all).toContain("answered nobody from 12:00:20 UTC");
  });

  it("last to the end of the run where nobody was answered again", () => {
    const [note] = silenceNotes(
      [seen([silence(25, 60, { 0: 4, 502: 5 })], [[0, 25]]), seen([silence(26, 90)], [[0, 24]])],
      null,
    );
    expect(note).toContain("from 12:00:25 UTC to the end of the run (65 s; about 18 requests: ");
    expect(note).toContain("9 503, 5 502, 4 no answer");
  });

  it("end where another scenario was answered", () => {
    const other = seen([], [[0, 28]]);
    const [note] = silenceNotes([seen([silence(20, 40)], [[0, 20]]), other], null);
    expect(note).toContain("from 12:00:28 UTC to the end of the run (12 s");
    expect(silenceNotes([seen([silence(20, 30)], [[0, 20]]), other], null)).toEqual([]);
  });

  it("are not told of where they are short", () => {
    expect(silenceNotes([seen([silence(20, 22)], [[0, 20]])], null)).toEqual([]);
  });

  it("hold no answer of anybody", () => {
    const second = fc.integer({ min: 0, max: 60 });
    const span = fc
      .tuple(second, second)
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    const one = fc.tuple(fc.array(span, { maxLength: 3 }), fc.array(span, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 3 }), (all) => {
        const records = all.map(([lost, good]) =>
          seen(
            lost.map((each) => silence(...each)),
            good,
          ),
        );
        const stretches = all.flatMap(([, good]) => good);
        for (const note of silenceNotes(records, null)) {
          const [from = 0, to = 61] = [...note.matchAll(/12:0(\d):(\d\d) UTC/g)].map(
            ([, minute, seconds]) => Number(minute) * 60 + Number(seconds),
          );
          expect(stretches.filter(([start, end]) => start < to && end > from)).toEqual([]);
        }
      }),
    );
  });
});

it.each([
  ["the scenario that told", [[0, 20]], "12:00:20"],
  ["another scenario", [[0, 25]], "12:00:25"],
  [
    "others, after it came back",
    [
      [0, 20],
      [130, 150],
    ],
    "12:00:20",
  ],
] as const)("a run was called off since the last answer, as seen by %s", (_, answered, since) => {
  const told = silenceNotes([seen([], answered)], { sinceMs: at(20), atMs: at(86) });
  expect(told).toEqual([
    `target unavailable: nobody was answered since ${since} UTC; called off at 12:01:26 UTC`,
  ]);
});
