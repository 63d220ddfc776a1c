/** A sign for each verdict, so that none is told by its colour alone. */

import type { Verdict } from "../../contract/verdict.ts";

export const MARKS: Readonly<Record<Verdict, string>> = {
  kept: "✓",
  broken: "✗",
  inconclusive: "?",
  unobserved: "–",
};
