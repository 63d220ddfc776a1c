/** Runs a table of scenes: each fault must break its own promise and no other. */

import { expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import type { State, Variant } from "../../../../contract/states.ts";
import { promisesWith } from "../../findings.ts";
import type { Body, Edit, Scene } from "./fixtures.ts";
import { run } from "./fixtures.ts";

export const VARIANTS: readonly Variant[] = ["A", "B"];

export interface Row {
  name: string;
  /** The one variant that can show it; both without. */
  only?: Variant;
  scene: Omit<Scene, "variant">;
  /** null for a lawful difference. */
  breaks: string | null;
}

/** Applies an edit to the job objects that show that state only. */
export function when(state: State, edit: (body: Body) => unknown): Edit {
  return (body, poll) => (poll.state === state ? edit(body) : undefined);
}

/** Where the variant keeps its times. */
export function times(body: Body): Body {
  return body.timestamps ?? body;
}

export function testTable(rows: readonly Row[]): void {
  const cases = rows.flatMap((row) =>
    VARIANTS.filter((variant) => (row.only ?? variant) === variant).map((variant) => ({
      ...row,
      title: `${row.name} (${variant}) breaks ${row.breaks ?? "nothing"}`,
      variant,
    })),
  );
  it.each(cases)("$title", ({ scene, variant, breaks }) => {
    const findings = judgeJobs(run({ ...scene, variant }));
    expect(promisesWith(findings, "broken")).toEqual(breaks === null ? [] : [breaks]);
    for (const finding of findings) {
      if (finding.verdict === "broken") expect(finding.observations.length).toBeGreaterThan(0);
    }
  });
}
