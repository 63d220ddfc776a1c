/** Answers that come late, and which of them a sender must count. Spec §6. */

import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import {
  caseOf,
  ERROR,
  FIRST_AT,
  HEALTHY,
  NO_CASES,
  OK,
  repeating,
  runWith,
  three,
} from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

const seconds = (impatient: number[], late: number[]) => ({
  ...three("in-time", impatient),
  ...three("too-late", late),
});
/** Connecting and the way take the sender a second. */
const far = three("not-found", [0, 6_000]);
const AFAR = { isLocal: false };
const AFTER_7_S = { script: [{ ...OK, delayMs: 7_000 }] };
const LULL = { script: [{ ...OK, bodyMs: 4_000 }] };
const AFTER_11_S = { ...OK, delayMs: 11_000 };
const LATE_RETRY = caseOf("recovery", [0, 5_002], { script: [ERROR, AFTER_11_S] });
const inTime = (sevenMs: readonly number[]) => ({
  "in-time": () => [
    caseOf("in-time", [0, 14_000]),
    caseOf("in-time", [0, 14_000]),
    ...[0, 1].map(() => caseOf("in-time", sevenMs, AFTER_7_S)),
  ],
});
const hungUp = (ms: number) => ({
  delivery: () => ({ answeredAtMs: null, hungUpAtMs: FIRST_AT + ms }),
});

table("webhook.answer-time", [
  [
    "9 s count and 11 s do not",
    () => runWith(),
    "kept",
    /2 slow responses within the limit counted, 2 responses after/,
  ],
  ["9 s do not count", () => runWith(seconds([0, 14_000], [0, 15_000])), "broken", /within 10 s/],
  [
    "the sender hung up after 4 s",
    () => runWith(three("in-time", [0, 9_000], hungUp(4_000))),
    "broken",
    /within 10 s did not count/,
  ],
  [
    "the sender hung up 3 s early on a machine that held up another delivery for as long",
    () => {
      const heldUp = { "not-found": () => [caseOf("not-found", [0, 5_002], { lagsMs: [3_100] })] };
      return runWith({ ...three("in-time", [0, 12_000], hungUp(7_000)), ...heldUp });
    },
    "inconclusive",
    /its sender may have been held up on this machine/,
  ],
  [
    "a body that comes 4 s after a 200 does not count, be it waited for or not",
    () => {
      const hungUpAfter3s = {
        ...LULL,
        delivery: (each: Delivery) => ({ ...each, hungUpAtMs: each.arrivedAtMs + 3_000 }),
      };
      const cases = [
        caseOf("in-time", [0, 9_000], LULL),
        caseOf("in-time", [0, 8_000], hungUpAfter3s),
      ];
      return runWith({ "in-time": () => [...HEALTHY["in-time"](), ...cases] });
    },
    "broken",
    /2 of \d+ responses: a response within 10 s did not count/,
  ],
  [
    "a body that comes 4 s after a 200 counts, and its sender does not wait for it",
    () => {
      const hungUp = { ...LULL, delivery: () => ({ hungUpAtMs: FIRST_AT + 5 }) };
      const cases = [caseOf("in-time", [0], LULL), caseOf("in-time", [0], hungUp)];
      return runWith({ "in-time": () => [...HEALTHY["in-time"](), ...cases] });
    },
    "kept",
    /4 slow responses within the limit counted/,
  ],
  ["11 s count", () => runWith(seconds([0], [0])), "broken", /more than 10 s counted/],
  [
    "9 s are followed by a second delivery, and so are fast answers",
    () => runWith({ ...seconds([0, 10_000], [0, 15_000]), ...repeating }),
    "inconclusive",
    /see webhook\.once/,
  ],
  [
    "11 s are followed by nothing, and so is no answer at all",
    () => runWith({ ...seconds([0], [0]), ...three("silent", [0]) }),
    "inconclusive",
    /see webhook\.retried/,
  ],
  [
    "11 s are followed by a retry on first attempts only, and no answer at all not always",
    () => {
      const silent = () => [...HEALTHY.silent(), ...[0, 1, 2].map(() => caseOf("silent", [0]))];
      return runWith({ silent, recovery: () => [LATE_RETRY] });
    },
    "inconclusive",
    /see webhook\.retried/,
  ],
  [
    "11 s are followed by a retry on first attempts only, and no answer at all always",
    () => runWith({ recovery: () => [LATE_RETRY] }),
    "broken",
    /1 of 5 responses: a response after more than 10 s counted: .*, attempt 2 .* was not retried$/,
  ],
  [
    "9 s are followed by a second delivery while the machine was late by more than half a second",
    () => runWith(three("in-time", [0, 14_000], { lagsMs: [600] })),
    "inconclusive",
    /both sides of the limit/,
  ],
  [
    "9 s are followed by a second delivery where the machine is that late at most times",
    () => runWith(three("in-time", [0, 14_000]), { lagMs: 600 }),
    "inconclusive",
    /both sides of the limit/,
  ],
  [
    "one of three answers after 9 s is followed by a second delivery",
    () => {
      const cases = [
        caseOf("in-time", [0]),
        caseOf("in-time", [0]),
        caseOf("in-time", [0, 14_000]),
      ];
      return runWith({ "in-time": () => cases });
    },
    "inconclusive",
    /1 of 5 responses: .*another job's delivery took as long, and counted/,
  ],
  [
    "an answer after 7 s is followed by a second delivery, and those after 9 s are not",
    () => {
      const fair = { script: [{ ...OK, delayMs: 7_000 }] };
      const cases = [...HEALTHY["in-time"](), caseOf("in-time", [0, 12_000], fair)];
      return runWith({ "in-time": () => cases });
    },
    "inconclusive",
    /1 of 5 responses: .*another job's delivery took as long, and counted/,
  ],
  [
    "an answer after 7 s on a retry is followed by another one, and those after 9 s are not",
    () => {
      const fair = { script: [ERROR, { ...OK, delayMs: 7_000 }] };
      const cases = [...HEALTHY["in-time"](), caseOf("in-time", [0, 5_000, 42_000], fair)];
      return runWith({ "in-time": () => cases });
    },
    "broken",
    /1 of 5 responses: a response within 10 s did not count/,
  ],
  [
    "the receiver itself was late with the answer",
    () => {
      const delivery = () => ({ answeredAtMs: FIRST_AT + 9_900 });
      return runWith(three("in-time", [0, 15_000], { delivery }));
    },
    "inconclusive",
    /both sides of the limit/,
  ],
  [
    "9 s do not count for a sender that is a second away",
    () => runWith({ ...three("in-time", [0, 14_000]), ...far }, AFAR),
    "inconclusive",
    /both sides of the limit/,
  ],
  ["they don't, and 7 s do", () => runWith({ ...inTime([0]), ...far }, AFAR), "kept", /^2 slow/],
  [
    "they don't, nor do 7 s",
    () => runWith({ ...inTime([0, 12_000]), ...far }, AFAR),
    "broken",
    /2 of 4 responses: .* within 10 s did not count/,
  ],
  [
    "9 s do not count from afar where 7 s do, and no way takes a second",
    () => runWith(inTime([0]), AFAR),
    "broken",
    /2 of 6 responses: .* within 10 s did not count/,
  ],
  ["nothing was answered slowly", () => runWith(NO_CASES), "unobserved", /answered slowly/],
]);
