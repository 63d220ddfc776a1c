/**
 * Whole gates, with real k6 over real HTTP, of services that answer as none should: what this
 * breaks is called broken, and nothing else; the run ends in time, and its report is whole.
 */

import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { medianOf } from "../../contract/numbers/figures.ts";
import { PART_WORKERS } from "../../reference/embedded-target.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { traces } from "../cli/spellings.ts";
import * as answers from "../probe/client/hostile-service.ts";
import { turns } from "../turns.ts";
import type { Row } from "./hostile-gate.ts";
import { expectedOf, FEW, judged } from "./hostile-gate.ts";
import type { Refusal, Submissions } from "./hostile-services.ts";
import * as hostile from "./hostile-services.ts";

/** Ours: all wait for their turn, on a machine that may be busy. */
const LIMIT_MS = 600_000;
/** Ours: a run takes 5 s of processor time in half a minute; so many leave half of each core. */
const SIDE_BY_SIDE = 3 * availableParallelism();
/** Ours: a run asks what is in doubt once more, and may take so much longer than most others. */
const SLOWER = { times: 3, ms: 20_000 };
/** Ours: a wait that makes no sense is kept to for 10 s, and a busy machine asks later. */
const HELD_MS_MAX = 25_000;
/** A cost that is never stated is waited for. */
const UNPRICED_MS = 65_000;
/** Ours: single submissions of each scenario that has met as many refusals, every 2 s for 10 s. */
const TRIES_MAX = 20;

/** In variant A the service estimates each job at a credit. */
const PRICED = { budget: { jobs: 12, credits: 12 } };
const LOAD = {
  budget: { jobs: 60 },
  webhook: { listen: "127.0.0.1:0" },
  load: { jobsPerSecond: 5, duration: "3s", mix: { success: 1 }, objectives: { errorShare: 0 } },
};

/** For a poll that is answered 200, and with no job object. Spec §4.4. */
const NO_JOB = {
  verdicts: { "job.shape": "broken", "job.never-lost": "kept" },
  exitCode: 99,
} as const;

/** Nothing is promised of what is not answered whole, of refusals, or of what a result holds. */
const KEPT = { verdicts: { "job.never-lost": "kept" }, exitCode: 0 } as const;

/** An accepted job stays readable, and ends. Spec §3.1, §4.4. */
const LOST = { verdicts: { "job.never-lost": "broken" }, exitCode: 99 } as const;

/** Its objective is no failure at all. */
const ERRORS_OF_A_LOAD = {
  sections: LOAD,
  verdicts: { "load.errors": "broken", "load.no-losses": "kept" },
  exitCode: 99,
} as const;

/** What services were asked for, and what they did. */
const seen = {
  unknownIds: [] as string[],
  charged: [] as number[],
  bursts: [] as string[],
  refusals: [] as Refusal[],
  unpaid: [] as string[],
  lost: { marks: [], lost: new Set(), found: new Set() } as Submissions,
};

const BODIES: readonly Row[] = [
  {
    title: covers("a service that answers once with far too long a body", "14 gate"),
    service: hostile.pollsAnswered("A", answers.json(200, "x".repeat(4e6)), 1),
    ...NO_JOB,
    also: ({ files }) => {
      expect(files.get("report.json")?.length).toBeLessThan(1e6);
    },
  },
  {
    title: covers("a service that answers once with what unpacks to far too much", "15 gate"),
    service: hostile.pollsAnswered("A", answers.gzipBombOf(20), 1),
    ...KEPT,
    also: ({ files }) => {
      expect(files.get("evidence.jsonl")?.length).toBeLessThan(1e6);
    },
  },
  {
    title: covers("a service whose answers are cut off in mid-body", "16 gate"),
    service: hostile.pollsAnswered("A", answers.truncated),
    ...KEPT,
    also: ({ files }) => {
      expect(files.get("evidence.jsonl")).toMatch(/"status":0,.*"body":"","error":"reset"/);
    },
  },
  {
    title: covers("a service that answers with a web page, and 200", "17 gate"),
    service: hostile.pollsAnswered("A", answers.html(200)),
    ...NO_JOB,
  },
  {
    title: covers("a service whose results hold bytes that are no text", "18 gate"),
    service: hostile.pollsRewritten("A", hostile.notUtf8),
    ...KEPT,
    also: ({ files }) => expect(files.get("evidence.jsonl")).toContain("ä\ufffd"),
  },
  {
    title: covers("a service whose objects have names that every object has", "20 gate"),
    service: hostile.pollsRewritten("A", hostile.inheritedNames),
    verdicts: { ...KEPT.verdicts, "job.own-result": "kept" },
    exitCode: 0,
    also: ({ files }) => {
      expect(files.get("evidence.jsonl")).toContain("__proto__");
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect("polluted" in {}).toBe(false);
    },
  },
  {
    title: covers(
      "a service whose identifiers are odd and long, and at times of another job",
      "21 gate",
    ),
    service: hostile.oddIdentifiers("A", seen.unknownIds),
    verdicts: {
      "submit.accepted-shape": "kept",
      "job.same-id": "broken",
      "job.never-lost": "kept",
    },
    exitCode: 99,
    also({ run, files, report }) {
      expect(seen.unknownIds).toEqual([]);
      expect(JSON.stringify(report)).toContain(hostile.SCRIPT);
      expect(run.stdout).toContain(hostile.SCRIPT);
      expect(run.stdout + run.stderr).not.toContain("\u001b");
      for (const name of ["report.html", "junit.xml", "summary.md"]) {
        // What is fenced in Markdown is text as it stands.
        const text = files.get(name)?.replace(/^```text$.*?^```$/gms, "");
        expect([name, text?.includes(hostile.SCRIPT)]).toEqual([name, false]);
        expect([name, text?.includes("\u001b")]).toEqual([name, false]);
        expect([name, text?.includes("&lt;script&gt;alert(1)")]).toEqual([name, true]);
      }
    },
  },
  {
    title: covers("a service whose jobs are in a state that nobody knows", "22 gate"),
    service: hostile.jobsShown("A", (body, { state }) =>
      state === "running" ? { ...body, status: "constructor" } : body,
    ),
    // Three seconds, scaled: a poll sees one run on a busy machine, too.
    sections: {
      ...FEW,
      workers: {
        success: PART_WORKERS.success,
        slow: { ...PART_WORKERS.slow, input: { seconds: 150 } },
      },
    },
    verdicts: { "job.known-states": "broken", "job.never-lost": "kept" },
    exitCode: 99,
    also: ({ run }) => expect(run.stdout).toContain('"constructor" is not one of the states'),
  },
  {
    title: covers("a service that turns to the other variant", "22 gate"),
    service: hostile.jobsShown("B", (body, _, { number }) =>
      number > 2 ? hostile.asVariantA(body) : body,
    ),
    ...NO_JOB,
    also: ({ run }) => expect(run.stdout).toMatch(/variant [AB] among those of/),
  },
  {
    title: covers("a service whose jobs run again after their end", "23 gate"),
    service: hostile.jobsShown("B", (body, { state }, { poll }) =>
      state === "completed" && poll % 2 === 0 ? hostile.asRunning(body) : body,
    ),
    verdicts: { "job.terminal-final": "broken", "job.never-lost": "kept" },
    exitCode: 99,
  },
  {
    title: covers("a service whose costs are null, negative, no number, or without end", "24 gate"),
    service: hostile.jobsOfCost(["-1000000", '"NaN"', "null", "1e999"], []),
    sections: PRICED,
    // A completed job has a cost. Spec §2.5.
    verdicts: { "job.cost": "broken", "job.shape": "broken", "job.never-lost": "kept" },
    exitCode: 99,
    also({ report: { budget } }) {
      // What was estimated stays charged.
      expect(budget.spent).toEqual({ jobs: 4, credits: 4, usd: 0.04 });
      expect(JSON.stringify(budget)).not.toMatch(/NaN|Infinity/);
    },
  },
  {
    title: covers("a service whose first job costs more than all money there is", "24 gate"),
    service: hostile.jobsOfCost(["1e308"], seen.charged),
    sections: PRICED,
    verdicts: { "job.cost": "kept", "job.never-lost": "kept" },
    exitCode: 0,
    also({ report: { budget } }) {
      expect(budget.spent).toMatchObject({ jobs: 1, credits: 1e308 });
      expect(seen.charged).toHaveLength(1);
    },
  },
];

const API: readonly Row[] = [
  {
    title: covers(
      "a service that answers a load with series of 500, and the key in them",
      "25 gate",
    ),
    service: hostile.burstsOf500("B", seen.bursts),
    ...ERRORS_OF_A_LOAD,
    also: ({ files }) => {
      expect(seen.bursts.length).toBeGreaterThan(3);
      expect(files.get("evidence.jsonl")).toMatch(/x-api-key/i);
    },
  },
  {
    title: covers("a service whose Retry-After is no time", "26 gate"),
    service: hostile.retryAfter("B", ["-1", "soon", "Fri, 31 Feb 2026 25:00:00 GMT"]),
    key: "free-a",
    verdicts: { "rate.retry-after-valid": "broken", "rate.retry-after-present": "kept" },
    exitCode: 99,
  },
  {
    title: covers(
      "a service that refuses polls until a date, for no time, and for ever",
      "26 gate",
    ),
    service: hostile.pollsRefused("B", hostile.waitsTold(), seen.refusals),
    ...KEPT,
    also({ report }) {
      const [date, invalid, forEver] = seen.refusals;
      expect(seen.refusals).toHaveLength(3);
      expect(date?.againMs).toBeGreaterThan(hostile.DATE_MS - 1_500);
      expect(invalid?.againMs).toBeLessThan(HELD_MS_MAX);
      expect(forEver?.againMs).toBeLessThan(HELD_MS_MAX);
      expect(report.notes.join()).toContain("got 429 on GET job, and waited for Retry-After");
    },
  },
  {
    title: covers("a service whose keys are revoked in mid-run", "27 gate"),
    service: hostile.keysRevoked("A"),
    verdicts: { "job.never-lost": "inconclusive" },
    exitCode: 111,
    also: ({ report }) => {
      expect(report.notes.join()).toMatch(/the key pro-a is no longer taken: .* got 401, Unauthor/);
    },
  },
  {
    title: covers("a service whose credits run out in mid-run", "28 gate"),
    service: hostile.creditsGone("B", 4, seen.unpaid),
    sections: { budget: { jobs: 60 } },
    ...KEPT,
    also({ report }) {
      const note = /20 submissions in a row got 402, Payment Required: one is tried every 2 s/;
      expect(report.notes.join()).toMatch(note);
      expect(seen.unpaid.length).toBeGreaterThanOrEqual(20);
      expect(seen.unpaid.length).toBeLessThan(20 + TRIES_MAX);
      expect(report.budget.spent.usd).toBe(0.04);
    },
  },
  {
    title: covers("a service that does not find what it has accepted", "29 gate"),
    service: hostile.jobsNotFound("A"),
    sections: PRICED,
    ...LOST,
    also: ({ report }) => {
      expect(report.budget.spent).toEqual({ jobs: 4, credits: 4, usd: 0.04 });
    },
  },
  {
    title: covers("a service whose jobs never end", "30 gate"),
    service: hostile.jobsThatNeverEnd("A"),
    sections: PRICED,
    ...LOST,
    also: ({ run, report }) => {
      expect(run.stdout).toMatch(/an accepted job did not end: running for/);
      expect(report.budget.spent).toEqual({ jobs: 4, credits: 4, usd: 0.04 });
    },
  },
  {
    title: covers("a service whose answers to submissions are lost", "31 gate"),
    service: hostile.answersLost("A", seen.lost),
    ...ERRORS_OF_A_LOAD,
    also({ report }) {
      const { marks, lost, found } = seen.lost;
      const started = marks.length;
      expect(new Set(marks).size).toBe(started);
      expect(lost.size).toBeGreaterThan(0);
      expect(found).toEqual(lost);
      // One without a mark, which tried whether webhooks come.
      expect(report.budget.spent).toMatchObject({ jobs: started + 1, credits: started + 1 });
    },
  },
];

/** What a gate has to wait for, beside all that most of the others do. */
const waitMsOf = ({ verdicts }: Row) => (verdicts["job.cost"] === "broken" ? UNPRICED_MS : 0);

/** The longest, begun last, would be waited for alone. */
const ROWS = [...BODIES, ...API].toSorted((a, b) => waitMsOf(b) - waitMsOf(a));

const inTurn = turns(SIDE_BY_SIDE);
/** How long each gate took, but for what it has to wait for. */
const took: { title: string; ms: number }[] = [];

describe.concurrent("a gate of", { timeout: LIMIT_MS }, () => {
  it.for(ROWS)("$title", async (row) => {
    const result = await inTurn(() => judged(row));
    const { run, report, files, keyValue } = result;
    const expected = expectedOf(row);
    const asked = report.promises.filter(({ id }) => id in expected);
    const summaries = asked.map(({ id, summary }) => `${id}: ${summary}`).join("\n");
    const verdicts = Object.fromEntries(asked.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts, summaries).toEqual(expected);
    expect([run.exitCode, report.exitCode]).toEqual([row.exitCode, row.exitCode]);
    const ms = Date.parse(report.finishedAt) - Date.parse(report.startedAt) - waitMsOf(row);
    took.push({ title: row.title, ms });
    expect(run.stderr).not.toMatch(/^\s+at /m);
    expect([...files.keys()]).toEqual(expect.arrayContaining(["report.html", "junit.xml"]));
    const written = [run.stdout, run.stderr, ...files.values()].join("\n");
    expect(traces(keyValue).filter((each) => written.includes(each))).toEqual([]);
    row.also?.(result);
  });
});

describe("all of them", () => {
  it("take about as long as each other, as they run side by side", () => {
    expect(took).not.toEqual([]);
    const mostMs = medianOf(took.map(({ ms }) => ms)) * SLOWER.times + SLOWER.ms;
    expect(took.filter(({ ms }) => ms > mostMs)).toEqual([]);
  });
});
