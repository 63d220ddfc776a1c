/** Timestamps: ISO 8601 in UTC and nothing else. */

import { describe, expect, it } from "vitest";
import {
  cutTogether,
  parseTimestamp,
  precisionMs,
  utc,
} from "../../../contract/time/timestamps.ts";

describe("parseTimestamp", () => {
  it.each([
    ["2026-01-02T03:04:05Z", 1767323045000, 0],
    ["2026-01-02T03:04:05.6Z", 1767323045600, 1],
    ["2026-01-02T03:04:05.678Z", 1767323045678, 3],
    ["2026-01-02T03:04:05,678Z", 1767323045678, 3],
    ["2026-01-02T03:04:05.678+00:00", 1767323045678, 3],
    ["2026-01-02T03:04:05.678-00:00", 1767323045678, 3],
    ["2026-01-02T03:04:05.678+0000", 1767323045678, 3],
    ["2026-01-02T03:04:05.678500Z", 1767323045678.5, 6],
    ["2026-01-02T03:04:05.678500000Z", 1767323045678.5, 9],
    ["20260102T030405.678Z", 1767323045678, 3],
    ["20260102T030405+0000", 1767323045000, 0],
    ["2026-01-02t03:04:05.678z", 1767323045678, 3],
    ["2026-01-02T03:04Z", 1767323040000, -1],
    ["2026-01-02T03:04+00:00", 1767323040000, -1],
    ["20260102T0304Z", 1767323040000, -1],
    ["2024-02-29T00:00:00Z", 1709164800000, 0],
    ["1970-01-01T00:00:00Z", 0, 0],
  ])("%s is %d with %i digits", (text, ms, fractionDigits) => {
    expect(parseTimestamp(text)).toEqual({ text, ms, fractionDigits });
  });

  it.each([
    "",
    "2026-01-02",
    "2026-01-02T03:04",
    "2026-01-02T03Z",
    "2026-01-02T03:04:05",
    "2026-01-02 03:04:05Z",
    "2026-01-02T03:04:05+01:00",
    "20260102T030405+0100",
    "20260102T03:04:05Z",
    "20260102030405Z",
    "2026-01-02T03:04:05.Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:60:00Z",
    "2026-01-02T03:04:60Z",
    "2026-1-2T3:4:5Z",
    " 2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05Z\n",
    "Fri, 02 Jan 2026 03:04:05 GMT",
    "1767323045",
  ])("%j is refused", (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

it.each([
  [-1, 60_000],
  [0, 1000],
  [1, 100],
  [3, 1],
  [6, 1],
])("a time of %i fraction digits may lie %i ms before the true one", (fractionDigits, ms) => {
  expect(precisionMs({ ms: 0, fractionDigits })).toBe(ms);
});

describe("cutTogether", () => {
  const written = (...seconds: readonly string[]) => {
    const [from = null, to = null] = seconds.map((each) => {
      return parseTimestamp(`2026-01-02T03:04:${each}Z`);
    });
    const { from: first, to: last } = cutTogether({ from, to });
    return [first, last].flatMap((each) => (each === null ? [] : [precisionMs(each)]));
  };
  it.each([
    ["of whole seconds both, whose zeros tell nothing", ["05.000", "07.000"], [1_000, 1_000]],
    ["one of which shows what others may not have lost", ["05.000", "07.001"], [1, 1]],
    ["of which one says nothing of another", ["05.000"], [1]],
  ])("times of a job, %s", (_what, seconds, ms) => {
    expect(written(...seconds)).toEqual(ms);
  });

  it.each([
    [2_000, 1_000],
    [1_999, 1],
    [null, 1],
  ])("an end at the full second, beside a duration of %s ms", (durationMs, ms) => {
    const { end } = cutTogether({ end: parseTimestamp("2026-01-02T03:04:05.000Z") }, durationMs);
    expect(end && precisionMs(end)).toBe(ms);
  });
});

describe("utc", () => {
  it.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [8.64e15, "+275760-09-13T00:00:00.000Z"],
    [-1e308, "-1e+308 ms from 1970"],
    [Number.POSITIVE_INFINITY, "Infinity ms from 1970"],
    [Number.NaN, "NaN ms from 1970"],
  ])("writes %d as %s, also where no date has that value", (ms, text) => {
    expect(utc(ms)).toBe(text);
  });
});
