/** What a commit draws of many cases. */

import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ROOT } from "../runner/package-root.ts";
import { ALL_CASES_VARIABLE } from "../tools/check-environment.ts";
import { commitText, drawnBy, drawnCases } from "./drawn-cases.ts";

const CASES = Array.from({ length: 9 }, (_, at) => at);
const TEXTS = Array.from({ length: 100 }, (_, at) => `commit ${at}`);

it("is a share of them, at the least one, in their order", () => {
  for (const text of TEXTS) {
    const drawn = drawnBy(text, "digits", CASES, 2);
    expect(drawn).toHaveLength(5);
    expect(drawn).toEqual(drawn.toSorted());
  }
  expect(drawnBy("commit", "digits", CASES, 100)).toHaveLength(1);
});

it("is the same for a commit, and other cases for another one or of another kind", () => {
  const drawn = (text: string, what: string) => drawnBy(text, what, CASES, 3).join();
  expect(drawn("commit", "digits")).toBe(drawn("commit", "digits"));
  expect(new Set(TEXTS.map((text) => drawn(text, "digits"))).size).toBeGreaterThan(20);
  expect(new Set(TEXTS.map((what) => drawn("commit", what))).size).toBeGreaterThan(20);
});

it("is each of them in time", () => {
  const tried = TEXTS.flatMap((text) => drawnBy(text, "digits", CASES, 3));
  expect(new Set(tried)).toEqual(new Set(CASES));
});

describe("of this checkout", () => {
  it("is told by its commit, where it has one", () => {
    const isUnderGit = existsSync(path.join(ROOT, ".git"));
    expect(commitText()).toMatch(isUnderGit ? /^[0-9a-f]{40,64}$/ : /^outside of git$/);
  });

  it("is a share where not all are asked for, and all where they are", () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv(ALL_CASES_VARIABLE, undefined);
    const share = drawnCases("digits", CASES, 2);
    expect(share).toEqual(drawnBy(commitText(), "digits", CASES, 2));
    expect(share).toHaveLength(5);
    vi.stubEnv(ALL_CASES_VARIABLE, "1");
    expect(drawnCases("digits", CASES, 2)).toEqual(CASES);
  });
});
