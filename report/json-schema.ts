/** JSON Schemas of the files that users read, as texts that are ready to be written. */

import { z } from "zod";

export function jsonSchemaText(title: string, schema: z.ZodType): string {
  const made = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return `${JSON.stringify({ title, ...made }, null, 2)}\n`;
}
