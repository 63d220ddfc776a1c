/** Who may read: everyone, or who knows the token. */

import { isSameSecret } from "../../receiver/bearer.ts";

/** What a browser or a client is told that lacks the token. RFC 6750 §3, RFC 7617 §2. */
export const CHALLENGES = ["Bearer", 'Basic realm="plumbline probe, token as password"'];

/**
 * Bearer for programs; Basic, with the token as password and any name, for browsers, which ask for
 * it by themselves and send it with the event stream, too. RFC 6750 §2.1, RFC 7617 §2.
 */
export function isAllowed(token: string | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const [scheme = "", credentials = ""] = (authorization ?? "").split(" ");
  if (scheme.toLowerCase() === "bearer") return isSameSecret(credentials, token);
  if (scheme.toLowerCase() !== "basic") return false;
  const text = Buffer.from(credentials, "base64").toString("utf8");
  return isSameSecret(text.slice(text.indexOf(":") + 1), token);
}
