/** Reads the body of a 401. Spec §7. */

import type { Decoded, Problem } from "./decoded.ts";
import { complainTo, isObject, notAnObject, readAnyText, readText } from "./decoded.ts";

export interface AuthError {
  error: string | null;
  message: string | null;
  status: number | null;
}

/** `status` repeats the HTTP status, which is 401 for this body. */
export function decodeAuthError(body: unknown): Decoded<AuthError> {
  if (!isObject(body)) return notAnObject(body);
  const problems: Problem[] = [];
  const complain = complainTo(problems);
  const value = {
    error: readText(body, "error", complain),
    message: readAnyText(body, "message", complain),
    status: body.status === 401 ? 401 : null,
  };
  if (value.status === null) complain("status", "the integer 401", body.status);
  return { value, variant: null, problems };
}
