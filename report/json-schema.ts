/** JSON Schemas of the files that users read, as texts that are ready to be written. */

import { z } from "zod";

/** `input`: of what is written into the file, before defaults are filled in. */
export function jsonSchemaText(
  title: string,
  schema: z.ZodType,
  { target = "draft-2020-12", io = "output" }: Parameters<typeof z.toJSONSchema>[1] = {},
): string {
  const made = z.toJSONSchema(schema, { target, io });
  return `${JSON.stringify({ title, ...made }, null, 2)}\n`;
}
