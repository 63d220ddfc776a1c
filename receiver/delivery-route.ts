/**
 * Reads where a request to the public address goes: `<base>/d/<token>/<script>`, or
 * `<base>/d?to=<token>/<script>`.
 */

import type { AnswerStep } from "../contract/jobs/delivery.ts";
import { ANSWER_OK, parseScript } from "../contract/jobs/delivery.ts";
import { keptText } from "./kept-text.ts";

export type Route =
  | { kind: "delivery"; token: string; steps: readonly AnswerStep[] }
  | { kind: "greeting" }
  | { kind: "unknown" };

/** Ours: 16 characters of 64 kinds can't be guessed; longer ones than 128 are kept for nothing. */
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;
/** Ours: Spec §6 knows four attempts; a watch for further ones needs few more. */
const STEPS_MAX = 32;

/** A sender behind a proxy may name the whole address; servers take it. RFC 9112 §3.2.2. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

const UNKNOWN: Route = { kind: "unknown" };

/** A proxy may take the path of the public URL away or leave it: both are understood. */
export function createRouter(publicUrl: string | null): (url: string) => Route {
  const base = publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  return (url) => {
    const [path = "", query = ""] = url.replace(ORIGIN, "").split("?", 2);
    const own = base !== "" && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
    const to = own === "/d" ? new URLSearchParams(query).get("to") : null;
    return routeOf(to === null ? own : `${own}/${to}`);
  };
}

/** Answered with 200 to whoever reads it, as a page to log in at is. */
const PAGE = { path: "../../", query: "./" } as const;

/**
 * The headers of an answer to a delivery: redirections name a page. What follows them there, as
 * most clients do, delivers nothing.
 */
export function answerHeaders(status: number, target: string): Record<string, string> {
  if (status < 300 || status > 399 || status === 304) return {};
  const [path = ""] = target.split("?", 1);
  return { location: path.endsWith("/d") ? PAGE.query : PAGE.path };
}

function routeOf(path: string): Route {
  if (path === "/") return { kind: "greeting" };
  const [before, room, token, script, ...rest] = path.split("/");
  if (before !== "" || room !== "d" || rest.length > 0) return UNKNOWN;
  if (token === undefined || script === undefined || !TOKEN.test(token)) return UNKNOWN;
  const steps = parseScript(decoded(script));
  if (steps === null || steps.length > STEPS_MAX) return UNKNOWN;
  return { kind: "delivery", token: keptText(token), steps };
}

/** Some clients write `@` and `,` of a path as percent codes. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The step of an attempt; the last one answers all further attempts. */
export function stepOf(steps: readonly AnswerStep[], attempt: number): AnswerStep {
  return steps[attempt - 1] ?? steps.at(-1) ?? ANSWER_OK;
}
