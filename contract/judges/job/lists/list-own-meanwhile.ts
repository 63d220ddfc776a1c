/**
 * job.list-own, while jobs wait and run: by lists that were asked for meanwhile. The order of a
 * list is open, and it may lag behind and be cut short. Spec §4.5.
 */

import { areWholeList } from "../../../answers/read-pages.ts";
import { decodeJobList } from "../../../decode/job-list.ts";
import { mentions } from "../../../jobs/mentions.ts";
import type { Claim, Seen } from "../../../judging/claim.ts";
import { countedClaim } from "../../../judging/claim.ts";
import { judgeFaultsAlone } from "../../../judging/decide.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { isBefore, isSuccess, jsonBody } from "../../../requests/exchange.ts";
import type { Finding } from "../../../verdict.ts";
import { AWAY_MS } from "../../expected-status.ts";
import type { ListAfter } from "../../steps.ts";
import type { OwnJob } from "./list-limit.ts";
import { keptBack, LAGS, LIST_LAG_MS, leftOut } from "./list-limit.ts";
import { listedIds } from "./list-own.ts";
import { awaySeen, isAway, isRefusedList } from "./refused-list.ts";

export interface ListedSeen {
  /** Each with all of its pages. */
  lists: readonly (readonly Exchange[])[];
  own: readonly OwnJob[];
}

/** Ours: two lists tell more than one only when they are so far apart. */
const APART_MS = 1_000;

export function listedMeanwhileClaim({ lists, own }: ListedSeen): Claim {
  const readings = lists.flatMap((pages) => readingOf(pages, own) ?? []);
  const shown = own.filter(({ id }) => readings.some((reading) => reading.shown.has(id))).length;
  return countedClaim({
    promise: "job.list-own",
    faults: own.flatMap((job) => missing(job, readings) ?? []),
    good: shown,
    of: "jobs",
    kept: `jobs are listed while queued, while running and after their end`,
    without: "no job of the key was in a list",
  });
}

/** Left out of lists that are far apart, the last of them long after it was accepted. */
function missing(job: OwnJob, readings: readonly ListReading[]): Seen | null {
  const without = readings.filter((reading) => isLeftOut(job, reading));
  const [first, last] = [without[0], without.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (last.askedAtMs - first.askedAtMs < APART_MS) return null;
  const laterMs = Math.round(last.askedAtMs - job.receivedAtMs);
  if (laterMs < LIST_LAG_MS) return null;
  return {
    what:
      `job ${job.id} is not in the list ${laterMs} ms after it was accepted, ` +
      "and both older and newer ones are; promised the recent jobs",
    exchanges: [...last.pages.slice(0, 1), ...first.pages.slice(0, 1)],
  };
}

interface ListReading {
  pages: readonly Exchange[];
  askedAtMs: number;
  /** Those of the caller's that are listed. */
  shown: ReadonlySet<string>;
  /** When the first of those had ended, and when the latest was submitted. */
  endedAtMs: number;
  newestAtMs: number;
}

/** null for a list that was not answered, or not seen to its end. */
function readingOf(pages: readonly Exchange[], own: readonly OwnJob[]): ListReading | null {
  const [first] = pages;
  const last = pages.at(-1);
  if (first === undefined || last === undefined || !pages.every(isSuccess)) return null;
  const list = decodeJobList(jsonBody(last));
  if (list === null || !areWholeList(pages, list.looksPaginated)) return null;
  const listed = own.filter(({ id }) => pages.some(({ body }) => mentions(body, id)));
  return {
    pages,
    askedAtMs: first.sentAtMs,
    shown: new Set(listed.map(({ id }) => id)),
    endedAtMs: Math.min(
      ...listed.map(({ settledAtMs }) => settledAtMs ?? Number.POSITIVE_INFINITY),
    ),
    newestAtMs: Math.max(...listed.map(({ sentAtMs }) => sentAtMs)),
  };
}

/**
 * One that ended before the job was submitted is listed, so the list was not cut short before it;
 * and one that was submitted later is, so that it is not behind.
 */
function isLeftOut({ id, sentAtMs, receivedAtMs }: OwnJob, reading: ListReading): boolean {
  if (receivedAtMs >= reading.askedAtMs || reading.shown.has(id)) return false;
  return reading.endedAtMs < sentAtMs && reading.newestAtMs > receivedAtMs;
}

/**
 * A list by itself, as it was before so many jobs came that earlier ones go: it may leave out jobs
 * that ended in some way. None where nothing is wrong.
 */
export function judgeListBefore(list: Exchange, own: readonly OwnJob[]): readonly Finding[] {
  const left = keptBack(list, own);
  if (left === null) return [];
  const what =
    `job ${left} is not in the list, although an older one is, or none; ` +
    "promised the recent jobs";
  const faults = [{ what, exchanges: [list] }];
  return judgeFaultsAlone({ promise: "job.list-own", faults, of: "jobs" });
}

/** Ours: once is an accident. */
const TIMES_MIN = 2;

/**
 * Lists that were refused each time while jobs ran, and were answered otherwise. `others`: lists
 * that were asked for at other times. None where that is not so.
 */
export function judgeRefusedMeanwhile(
  all: readonly ListedSeen[],
  others: readonly Exchange[],
): readonly Finding[] {
  const asked = all.map(({ lists }) => lists.flatMap((pages) => pages.slice(0, 1)));
  const refused = asked.filter((each) => each.length > 0 && each.every(isRefusedList));
  if (refused.length < TIMES_MIN || refused.length < asked.length) return [];
  const lists = refused.flat().sort((a, b) => a.sentAtMs - b.sentAtMs);
  const [first, last] = [lists[0], lists.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (last.sentAtMs - first.sentAtMs < AWAY_MS) return [];
  const between = others.find((each) => {
    return isSuccess(each) && isBefore(first, each) && isBefore(each, last);
  });
  if (between === undefined) return [];
  const what =
    `the job list got ${first.status} each of ${lists.length} times while jobs ran, and ` +
    "200 in between; promised the recent jobs";
  const faults = [{ what, exchanges: [...lists.slice(0, 2), between] }];
  return judgeFaultsAlone({ promise: "job.list-own", faults, of: "lists" });
}

export function listAfterClaim(seen: ListAfter): Claim {
  const { key, list, own, foreignIds, refusals } = seen;
  const ids = new Set(listedIds(list));
  const leaked = foreignIds.find((id) => ids.has(id));
  const left = keptBack(list, own);
  const exchanges = [list];
  const submission = seen.leftOut === null ? [] : [seen.leftOut];
  const strange = `${key} lists job ${leaked} of another account; promised the caller's own`;
  const missing = `job ${left} of ${key} is not in its list, although an older one is, or none`;
  const good = own.filter(({ id }) => ids.has(id)).length;
  return countedClaim({
    promise: "job.list-own",
    faults: [
      ...(leaked === undefined ? [] : [{ what: strange, exchanges }]),
      ...(left === null
        ? []
        : [{ what: `${missing}; promised the recent jobs`, exchanges: [...submission, list] }]),
      ...(refusals !== undefined && isAway(list, refusals)
        ? [awaySeen(`the job list of ${key}`, list, refusals)]
        : []),
    ],
    open: left === null && leftOut(list, own) !== null ? [{ what: LAGS, exchanges }] : [],
    good,
    of: "jobs",
    kept: `${good} jobs of ${key} are listed, and none of another account's`,
    without: "no job of the load is listed",
  });
}
