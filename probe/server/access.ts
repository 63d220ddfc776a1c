/** Who may read: everyone who asks for this host, or who knows the token. */

import { isIP } from "node:net";
import type { Secret } from "../../contract/text/secret.ts";

import { isSameSecret } from "../../receiver/bearer.ts";

/** What a browser or a client is told that lacks the token. RFC 6750 §3, RFC 7617 §2. */
export const CHALLENGES = ["Bearer", 'Basic realm="plumbline probe, token as password"'];

/**
 * Bearer for programs; Basic, with the token as password and any name, for browsers, which ask for
 * it by themselves and send it with the event stream, too. RFC 6750 §2.1, RFC 7617 §2.
 */
export function isAllowed(token: Secret | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const [scheme = "", credentials = ""] = (authorization ?? "").split(" ");
  if (scheme.toLowerCase() === "bearer") return isSameSecret(credentials, token.reveal());
  if (scheme.toLowerCase() !== "basic") return false;
  const text = Buffer.from(credentials, "base64").toString("utf8");
  return isSameSecret(text.slice(text.indexOf(":") + 1), token.reveal());
}

/** `probe:9464`, `[::1]:9464`, `localhost`. RFC 9110 §7.2. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d{1,5})?$/i;

/**
 * Whether no page of another site can have sent the request under a name of its own, which it has
 * let point to this machine (DNS rebinding): a browser then names that site's host. An address
 * can't be pointed elsewhere, and is always right; a name has to be one of ours.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const [, address, name = ""] = HOST.exec(host ?? "") ?? [];
  if (address !== undefined) return isIP(address) !== 0;
  const plain = withoutDot(name);
  if (isIP(plain) !== 0 || plain === "localhost") return true;
  return plain !== "" && names.some((each) => withoutDot(each) === plain);
}

/** Names are the same in any case, and with the dot of the root behind them. RFC 1034 §3.1. */
function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
