/** Addresses to listen on, as they are written on the command line and in the target file. */

import { codeOf } from "../../contract/text/thrown.ts";
import type { ListenAddress } from "../../receiver/options.ts";
import { UsageError } from "../usage-error.ts";

export const LISTEN_FORM = "host:port such as 127.0.0.1:0";
const PATTERN = /^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/;

/** Highest TCP port. RFC 9293 §3.1. */
export const PORT_MAX = 65_535;

/** Null for a text of another form. */
export function parseListenAddress(text: string): ListenAddress | null {
  if (!PATTERN.test(text)) return null;
  const at = text.lastIndexOf(":");
  const port = Number(text.slice(at + 1));
  return port > PORT_MAX ? null : { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port };
}

/** What to throw where a server could not listen: the error itself, if it is another one. */
export function listenProblem(error: unknown, what: string): unknown {
  const code = codeOf(error) ?? "";
  if (!["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND"].includes(code)) return error;
  const expected = "expected a free address of this machine";
  return new UsageError("invalid-option", [`${what} (${code}); ${expected}`]);
}
