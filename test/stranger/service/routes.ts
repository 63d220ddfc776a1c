/** Which endpoint a request asks for. Spec §4. */

import type { Picks } from "./choices.ts";

export interface Match {
  route:
    | "me"
    | "credits"
    | "deployments"
    | "workers"
    | "worker"
    | "publish"
    | "submit"
    | "jobs"
    | "job"
    | "change-job";
  parameter: string;
}

const ROUTES: readonly [string, RegExp, Match["route"]][] = [
  ["GET", /^\/v1\/me$/, "me"],
  ["GET", /^\/v1\/me\/credits$/, "credits"],
  ["GET", /^\/v1\/me\/deployments$/, "deployments"],
  ["GET", /^\/v1\/workers$/, "workers"],
  ["GET", /^\/v1\/workers\/([^/]+)$/, "worker"],
  ["POST", /^\/v1\/workers\/([^/]+)\/publish$/, "publish"],
  ["POST", /^\/v1\/workers\/([^/]+)\/jobs$/, "submit"],
  ["GET", /^\/v1\/jobs$/, "jobs"],
  ["GET", /^\/v1\/jobs\/([^/]+)$/, "job"],
  ["DELETE", /^\/v1\/jobs\/([^/]+)$/, "change-job"],
  ["POST", /^\/v1\/jobs\/([^/]+)$/, "change-job"],
  ["PATCH", /^\/v1\/jobs\/([^/]+)$/, "change-job"],
];

export function matchRoute({ segments }: Picks, method: string, path: string): Match | null {
  for (const [verb, pattern, route] of ROUTES) {
    const found = verb === method ? pattern.exec(path) : null;
    if (found !== null) {
      const parameter = found[1] ?? "";
      return { route, parameter: segments === "decoded" ? decoded(parameter) : parameter };
    }
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
