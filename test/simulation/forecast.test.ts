/** What a run would rule out is told before it: of the documented target files, whole and small. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { gapsOf } from "../../cli/init/gaps.ts";
import { parseTargetFile } from "../../cli/target-file/target-file.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Target } from "../../contract/target.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { ROOT } from "../../runner/package-root.ts";
import { forecast } from "../../simulation/forecast.ts";
import { findingOf, promisesWith } from "../contract/findings.ts";

const PAGE = path.join(ROOT, "docs/target-file.md");
const [SMALL = "", WHOLE = ""] = [
  ...readFileSync(PAGE, "utf8").matchAll(/```yaml\n(target:[\s\S]*?)```/g),
].map(([, yaml]) => yaml ?? "");

function targetOf(yaml: string): Target {
  return parseTargetFile(yaml, "plumbline.yaml", null).target;
}

async function foretold(target: Target) {
  const findings = await forecast({ target, profile: "standard", variant: "B" });
  const of = (verdict: Verdict) => promisesWith(findings, verdict);
  const looks = (id: PromiseId) => findingOf(findings, id).strength?.looks[0]?.count ?? 0;
  return { findings, of, looks };
}

describe("a forecast", () => {
  it("has a service that keeps its promises keep all of them, on the whole file", async () => {
    const target = targetOf(WHOLE);
    const { of, looks } = await foretold(target);
    expect(of("kept")).toHaveLength(PROMISE_IDS.length);
    expect(gapsOf(target)).toEqual([]);
    expect(looks("load.no-losses")).toBeGreaterThan(200);
  });

  it("names what the small file lacks for each promise that would not be judged", async () => {
    const target = targetOf(SMALL);
    const { of } = await foretold(target);
    expect([of("broken"), of("inconclusive")]).toEqual([[], []]);
    const gaps = new Set(gapsOf(target).flatMap(({ promises }) => promises));
    expect(of("unobserved").filter((id) => !gaps.has(id))).toEqual([]);
    expect(of("kept").filter((id) => gaps.has(id))).toEqual([]);
  });

  it("goes by the file's budget of jobs, and calls nothing broken that it cuts short", async () => {
    const whole = targetOf(WHOLE);
    const { of, looks } = await foretold({
      ...whole,
      budget: { jobs: 300, credits: null, usd: null },
    });
    expect(of("broken")).toEqual([]);
    expect(looks("load.no-losses")).toBeLessThan(200);
  });

  it("is the same each time, and another one for another profile", async () => {
    const order = { target: targetOf(WHOLE), variant: "A" } as const;
    const standard = await forecast({ ...order, profile: "standard" });
    expect(await forecast({ ...order, profile: "standard" })).toEqual(standard);
    expect(await forecast({ ...order, profile: "quick" })).not.toEqual(standard);
  });
});
