/** The measured rate limits as rows of text; a figure of another shape is left to report.json. */

import { z } from "zod";

import type { Json } from "../contract/verdict.ts";
import { oneLine } from "./text.ts";

const estimate = z.object({ value: z.number(), low: z.number(), high: z.number().nullable() });

const rateMeasurement = z.object({
  key: z.string(),
  plan: z.string().nullish(),
  declared: z.object({ sustained: z.number(), burst: z.number() }).nullish(),
  sustained: estimate.nullish(),
  burst: estimate.nullish(),
  algorithm: z.string().nullish(),
});

type RateMeasurement = z.infer<typeof rateMeasurement>;

/**
 * A list of texts for each key: "free-a (free)", "10.01/s [9.99, 10.03] of 10", "burst 19 [19, 20]
 * of 20", "token bucket". A figure that was looked for and not found is unknown.
 */
export function rateCells(values: readonly Json[]): string[][] {
  return values.flatMap((value) => {
    const parsed = rateMeasurement.safeParse(value);
    return parsed.success ? [row(parsed.data)] : [];
  });
}

function row(value: RateMeasurement): string[] {
  const { declared, sustained, burst } = value;
  return [
    oneLine(`${value.key} (${value.plan ?? "no plan"})`),
    sustained ? `${rate(sustained)}${of(declared?.sustained)}` : unknown("rate", sustained),
    burst ? `burst ${requests(burst)}${of(declared?.burst)}` : unknown("burst", burst),
    value.algorithm === "unknown" ? "kind unknown" : oneLine(value.algorithm ?? ""),
  ];
}

function rate({ value, low, high }: z.infer<typeof estimate>): string {
  return `${value.toFixed(2)}/s [${low.toFixed(2)}, ${high?.toFixed(2) ?? "unknown"}]`;
}

function requests({ value, low, high }: z.infer<typeof estimate>): string {
  return low === high ? String(value) : `${value} [${low}, ${high ?? "unknown"}]`;
}

function unknown(name: string, figure: null | undefined): string {
  return figure === null ? `${name} unknown` : "";
}

function of(declared: number | undefined): string {
  return declared === undefined ? "" : ` of ${declared}`;
}
