/** The endpoints of the service as route templates and path builders. Spec §4. */

/** Header that carries the key. Spec §5. */
export const API_KEY_HEADER = "x-api-key";

/** Every request names who sends it: firewalls refuse one that doesn't. RFC 9110 §10.1.5. */
export const USER_AGENT = "plumbline";

/** Route templates; also the closed set of values of a `route` label. */
export const ROUTES = {
  me: "/v1/me",
  credits: "/v1/me/credits",
  deployments: "/v1/me/deployments",
  workers: "/v1/workers",
  worker: "/v1/workers/{worker_id}",
  publish: "/v1/workers/{worker_id}/publish",
  submit: "/v1/workers/{worker_id}/jobs",
  jobs: "/v1/jobs",
  job: "/v1/jobs/{job_uuid}",
} as const;

/** The version at the end of an address, where it would stand twice: each route begins with it. */
export const VERSION_AT_END = /\/v1\/*$/;

export type RouteName = keyof typeof ROUTES;

/** Path of a route with its one parameter, if it has one, as a segment of it. */
export function routePath(route: RouteName, parameter = ""): string {
  const template = ROUTES[route];
  const start = template.indexOf("{");
  if (start < 0) return template;
  const end = template.indexOf("}") + 1;
  return template.slice(0, start) + asSegment(parameter) + template.slice(end);
}

const PATTERNS = Object.values(ROUTES).map((template) => {
  return { template, pattern: new RegExp(`^${template.replace(/\{\w+\}/, "[^/]+")}$`) };
});

/** The route of a path, whichever worker or job it is of; the path where none has such. */
export function templateOf(path: string): string {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.template ?? path;
}

/** The worker that a path names; empty where it names none. */
export function workerInPath(path: string): string {
  return decodeURIComponent(path.split("/")[3] ?? "");
}

/**
 * What a segment may hold as it is stays as it was issued: encoded it is another address to whoever
 * compares addresses as texts. Left encoded are `;`, `+` and `&`, which some decode, or cut at.
 * RFC 3986 §2.2, §3.3.
 */
function asSegment(text: string): string {
  return percentEncoded(text).replace(/%(?:24|2C|3A|3D|40)/g, decodeURIComponent);
}

/** Most identifiers are of nothing else. RFC 3986 §2.3. */
const UNRESERVED = /^[\w.~-]+$/;

/**
 * Any text as a part of a URL. Half a surrogate pair, which JSON can hold and UTF-8 can't, becomes
 * U+FFFD, as any encoder makes of it: `encodeURIComponent` alone throws. RFC 3986 §2.1.
 */
export function percentEncoded(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}
