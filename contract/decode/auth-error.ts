/** Reads the body of a 401. Spec §7. */

import type { Decoded, JsonObject, Problem } from "./decoded.ts";
import { complainTo, isObject, notAnObject, readAnyText, readText } from "./decoded.ts";

/** `status` repeats the HTTP status, which is 401 for this body. */
export function decodeAuthError(body: unknown): Decoded<JsonObject> {
  if (!isObject(body)) return notAnObject(body);
  const problems: Problem[] = [];
  const complain = complainTo(problems);
  readText(body, "error", complain);
  readAnyText(body, "message", complain);
  if (body.status !== 401) complain("status", "the integer 401", body.status);
  return { value: body, variant: null, problems };
}
