/** webhook.wait-1: what makes the first wait shorter or longer that is not the service's doing. */

import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import type { WebhookRun } from "../../../../contract/judges/webhook/case.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run/run-plan.ts";
import { promisedTimes } from "../../../../contract/time/promised-times.ts";
import type { CaseTable } from "./healthy-run.ts";
import {
  afar,
  caseOf,
  FIRST_AT,
  HEALTHY,
  NO_CASES,
  runWith,
  schedule,
  three,
  unretried,
} from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

const late = (lagsMs: readonly number[], ...arrivedMs: readonly number[]) => ({
  ladder: () => [0, 1, 2].map(() => caseOf("ladder", [0, ...arrivedMs], { lagsMs })),
});
/** No answer is held back. */
const PROMPT: CaseTable = { ...NO_CASES, first: HEALTHY.first, ladder: HEALTHY.ladder };
const AFAR = { isLocal: false };
/** Twenty times as fast. */
const FAST = {
  times: promisedTimes({ timeScale: 0.05, tolerances: DEFAULT_TOLERANCES }),
};

/** Schedules whose first retry was due while answers were held back, and came so much later. */
const behindHeld = (count: number, firstMs = 14_000) => {
  const times = [0, firstMs, firstMs + 30_000, firstMs + 330_000];
  return Array.from({ length: count }, () => caseOf("ladder", times));
};
/** Two answers that are held from 5 s to 14 s, and so many at once a minute later. */
const held = (later: number): CaseTable => ({
  silent: () => [],
  "too-late": () => [],
  "in-time": () => [
    ...[0, 1].map(() => caseOf("in-time", [5_000])),
    ...Array.from({ length: later }, () => caseOf("in-time", [65_000])),
  ],
});

/** First attempts one after the other, in less than a second each, since answers were held back. */
const catchingUp = (): CaseTable => ({
  first: () => [
    ...HEALTHY.first(),
    ...[14_800, 15_600, 16_400, 17_200].map((ms) => caseOf("first", [ms])),
  ],
});

/** The first attempts came on new connections or not, the others on one that had served before. */
const onKept = (before: number, offMs: number) =>
  three("ladder", [0, 5_000 + offMs, 35_000 + offMs, 335_000 + offMs], {
    delivery: ({ attempt }: Delivery) => ({ requestsBefore: attempt === 1 ? before : 1 }),
  });

const anew = { delivery: () => ({ requestsBefore: 0 }) };

/** The first attempts came so long after they had connected, and the second ones 3 s later. */
const connecting = (openedForMs: number) =>
  three("ladder", [0, 3_000, 33_000, 333_000], {
    delivery: ({ attempt }: Delivery) => (attempt === 1 ? { openedForMs } : {}),
  });

/** One request took a second longer than all others, as one does that is lost and sent again. */
function losing(run: WebhookRun): WebhookRun {
  const [first, ...others] = run.cases;
  if (first === undefined) throw new Error("no case");
  const { submission } = first;
  const again = { ...submission, receivedAtMs: submission.receivedAtMs + 1_000 };
  return { ...run, cases: [{ ...first, submission: again }, ...others] };
}

/** The first retries of so many ladders come 0.75 s early, those of two others on time. */
const early = (count: number) => {
  const ladder = () =>
    Array.from({ length: count }, () => caseOf("ladder", [0, 4_250, 35_000, 335_000]));
  return runWith({ ladder: () => [...ladder(), ...HEALTHY.ladder()] });
};

table("webhook.wait-1", [
  [
    "one of nine is too short, and one request took that much longer",
    () => losing(early(1)),
    "kept",
    /^7 waits/,
  ],
  [
    "one of nine is too short, and no request took longer",
    () => early(1),
    "broken",
    /^1 of 9 waits/,
  ],
  [
    "five of 13 are too short, and one request took that much longer",
    () => losing(early(5)),
    "broken",
    /^5 of 13 waits/,
  ],
  ["it is 5 s", () => runWith(), "kept", /^7 waits were 5001 to 5002 ms, promised 5 s/],
  [
    "it is 0.75 s too short",
    schedule(0, 4_250, 35_000, 335_000),
    "broken",
    /3 of 6 waits were 4249 to 4250 ms, promised 5 s/,
  ],
  [
    "it is 3 s too long",
    schedule(0, 8_000, 38_000, 338_000),
    "broken",
    /3 of 6 waits were 7999 to 8000 ms, promised 5 s/,
  ],
  [
    "it is 0.2 s too short",
    schedule(0, 4_800, 35_000, 335_000),
    "kept",
    /^5 waits were 4799 to 5002 ms/,
  ],
  [
    "it is 1 s too long",
    schedule(0, 6_002, 36_000, 336_000),
    "kept",
    /^5 waits were 5001 to 6002 ms/,
  ],
  [
    "one is too long while the machine stood still for about as long",
    () => {
      const one = caseOf("ladder", [0, 8_000, 38_000, 338_000], { lagsMs: [700, 0, 0] });
      return runWith({ ladder: () => [one, ...HEALTHY.ladder()] });
    },
    "kept",
    /^7 waits/,
  ],
  [
    "one is too long while the machine was late by little",
    () => {
      const one = caseOf("ladder", [0, 8_000, 38_000, 338_000], { lagsMs: [150, 0, 0] });
      return runWith({ ladder: () => [one, ...HEALTHY.ladder()] });
    },
    "broken",
    /^1 of 9 waits were 7999 to 8000 ms, promised 5 s/,
  ],
  [
    "one is too short, as each thread that the attempt before passed was late",
    () => {
      const one = caseOf("ladder", [0, 3_000, 33_000, 333_000], { lagsMs: [700, 0, 0] });
      return runWith({ ladder: () => [one, ...HEALTHY.ladder()] });
    },
    "kept",
    /^7 waits/,
  ],
  [
    "it counts from connecting, some time before the request",
    () => runWith(connecting(2_000)),
    "kept",
    /^4 waits were 5001/,
  ],
  [
    "it is shorter than from connecting",
    () => runWith(connecting(1_000)),
    "broken",
    /^3 of 8 waits were 2999 to 4000 ms/,
  ],
  [
    "one is too short while the machine was late by little",
    () => {
      const one = caseOf("ladder", [0, 3_000, 33_000, 333_000], { lagsMs: [400, 0, 0] });
      return runWith({ ladder: () => [one, ...HEALTHY.ladder()] });
    },
    "broken",
    /^1 of 9 waits were 2999 to 3000 ms, promised 5 s/,
  ],
  [
    "each wait is 2.3 s too long, which connecting and the network may take",
    () => afar(three("ladder", [0, 7_300, 39_600, 341_900])),
    "inconclusive",
    /3 of 3 waits were 7299 .* connecting and the network may take 2299 ms/,
  ],
  [
    "it is 2.3 s too long, and the others are not",
    () => afar(three("ladder", [0, 7_300, 37_300, 337_300])),
    "broken",
    /3 of 3 waits were 7299/,
  ],
  [
    "each wait is 5 s too long, which is more than the way takes",
    () => afar(three("ladder", [0, 10_000, 45_000, 350_000])),
    "broken",
    /3 of 3 waits were 9999/,
  ],
  [
    "each wait is 2.7 s too long, on connections that had served before",
    () => afar(onKept(1, 2_700)),
    "broken",
    /3 of 3 waits were 7699/,
  ],
  [
    "it is 0.8 s too short after an attempt that had to connect",
    () => afar(onKept(0, -800)),
    "inconclusive",
    /3 of 3 waits were 4199 .* connecting for the attempt before may have taken 1800 ms/,
  ],
  [
    "it is 0.8 s too short, and the next one had to connect as well, perhaps from nearer",
    () => afar(three("ladder", [0, 4_200, 34_200, 334_200], anew)),
    "inconclusive",
    /3 of 3 waits were 4199 .* connecting for the attempt before may have taken 1800 ms/,
  ],
  [
    "it is 0.8 s too short, and no attempt had to connect",
    () => afar(onKept(1, -800)),
    "broken",
    /3 of 3 waits were 4199/,
  ],
  [
    "some are too long by less than answers were held back, as many as ever at once",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2)], ...held(2) }),
    "kept",
    /^7 waits/,
  ],
  [
    "some are too long, and more answers were held at once at another time",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2)], ...held(3) }),
    "broken",
    /^2 of 9 waits were 13999 to 14000 ms, promised 5 s/,
  ],
  [
    "some are too long by more than answers were held back",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2, 30_000)], ...held(2) }),
    "broken",
    /^2 of 9 waits were 29999 to 30000 ms, promised 5 s/,
  ],
  [
    "some come at the end of what was sent one after the other since answers were held back",
    () => {
      const ladder = () => [...HEALTHY.ladder(), ...behindHeld(2, 18_000)];
      return runWith({ ladder, ...held(2), ...catchingUp() });
    },
    "kept",
    /^7 waits/,
  ],
  [
    "some come as late, and nothing was sent before them since answers were held back",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2, 18_000)], ...held(2) }),
    "broken",
    /^2 of 9 waits were 17999 to 18000 ms, promised 5 s/,
  ],
  [
    "two are too long at an address that had failed for a third, on the way from elsewhere",
    () => {
      const at = (ms: readonly number[]) => caseOf("ladder", ms, { isOtherFailing: true });
      const kept = [35_000, 65_000, 365_000];
      const ladders = [at([0, 5_002, 35_004]), at([10, ...kept]), at([9_000, ...kept])];
      return runWith({ ladder: () => ladders }, AFAR);
    },
    "broken",
    /2 of \d+ waits were 25999 to 34990 ms/,
  ],
  [
    "two are too long at addresses that had failed for nobody else, on the way from elsewhere",
    () => {
      const kept = [35_000, 65_000, 365_000];
      const ladders = [
        [0, 5_002, 35_004],
        [10, ...kept],
        [9_000, ...kept],
      ];
      return runWith({ ladder: () => ladders.map((ms) => caseOf("ladder", ms)) }, AFAR);
    },
    "inconclusive",
    /too few to be sure/,
  ],
  [
    "one of several is too long on the way from elsewhere",
    () => {
      const one = () => [...HEALTHY.recovery(), caseOf("recovery", [0, 30_000])];
      return runWith({ recovery: one }, { isLocal: false });
    },
    "inconclusive",
    /1 of 9 waits/,
  ],
  [
    "all are too long by less than the machine was late for all of them",
    () => runWith({ ...NO_CASES, ...late([700], 8_000) }),
    "inconclusive",
    /3 of 3 waits/,
  ],
  [
    "all are too long by no more than the suite is late at most times",
    () => runWith({ ...NO_CASES, ...late([0], 7_300) }, { lagMs: 400 }),
    "inconclusive",
    /3 of 3 waits were 7299 to 7300 ms.*this machine may have been as late itself/,
  ],
  [
    "all are too long by more than the suite is late at most times",
    () => runWith({ ...NO_CASES, ...late([0], 7_500) }, { lagMs: 400 }),
    "broken",
    /waits were 7499 to 7500 ms/,
  ],
  [
    "all are too long by less than two figures of the machine's lag make together",
    () => runWith({ ...NO_CASES, ...late([300], 8_100) }, { lagMs: 400 }),
    "broken",
    /waits were 8099 to 8100 ms/,
  ],
  [
    "all are too short, on a machine that is late at most times",
    () => runWith({ ...NO_CASES, ...late([0], 3_000) }, { lagMs: 2_600 }),
    "inconclusive",
    /too busy to measure times/,
  ],
  [
    "all look too short, while the machine stood still for as long",
    () => runWith({ ...NO_CASES, ...late([1_600], 3_000) }),
    "inconclusive",
    /3 of 3 waits/,
  ],
  [
    "all are too short by more than the threads on the way were late",
    () => runWith({ ...NO_CASES, ...late([400], 3_000) }),
    "broken",
    /waits were 2999 to 3000 ms/,
  ],
  [
    "all are too long on a service that is twenty times as fast",
    () => runWith({ ...NO_CASES, ...late([0], 420) }, FAST),
    "broken",
    /waits were 419 to 420 ms, promised 0.25 s/,
  ],
  [
    "they are as promised on a service that is twenty times as fast",
    () => runWith({ ...NO_CASES, ...late([0], 330) }, FAST),
    "kept",
    /waits were 329 to 330 ms, promised 0.25 s/,
  ],
  [
    "after refused connections the next attempt comes a minute later",
    () => runWith({ ...PROMPT, ...three("refused", [60_000]) }),
    "broken",
    /3 of 6 waits.* 59 s or more after its first attempt was refused/,
  ],
  [
    "the first retry may have been refused as well",
    () => runWith({ ...PROMPT, ...three("refused", [35_004]) }),
    "kept",
    /5 s/,
  ],
  [
    "the port was closed until the second retry",
    () => {
      const refusal = { openAtMs: FIRST_AT + 36_000, lagMs: 0 };
      return runWith({ ...PROMPT, ...three("refused", [335_010], { refusal }) });
    },
    "kept",
    /5 s/,
  ],
  ...(
    [
      ["a third as long", 15_000, "kept", /5 s/],
      ["for much less", 2_000, "broken", /3 of 6 waits/],
    ] as const
  ).map(([title, lagMs, verdict, words]) => {
    const refusal = { openAtMs: FIRST_AT + 1_500, lagMs };
    const run = () => runWith({ ...PROMPT, ...three("refused", [90_000], { refusal }) });
    const what = `it is late after refused connections, and the machine stood still ${title}`;
    return [what, run, verdict, words] as const;
  }),
  ["no retry came", () => runWith(unretried), "inconclusive", /never came/],
  ["nothing failed", () => runWith(NO_CASES), "unobserved", /no attempt 1/],
]);
