/** What one run of a cell found, as a journal keeps it. */

import { z } from "zod";
import type { PromiseId } from "../../contract/promises.ts";
import { isPromiseId } from "../../contract/promises.ts";
import { VARIANTS } from "../../contract/states.ts";

export const cellRecordSchema = z.object({
  fault: z.string(),
  variant: z.enum(VARIANTS),
  seed: z.number(),
  /** By the clock; of processor time in the simulation. */
  seconds: z.number(),
  error: z.string().nullable(),
  verdicts: z.array(
    z.object({
      promise: z.custom<PromiseId>((id) => typeof id === "string" && isPromiseId(id)),
      verdict: z.enum(["kept", "broken", "inconclusive", "unobserved"]),
      summary: z.string(),
    }),
  ),
});

export type CellRecord = z.infer<typeof cellRecordSchema>;
