/** Values of the `status` label: a closed set, as an answer may state any number. */

/** Statuses of Spec §7, of acceptance, and those that gateways and proxies are known for. */
const KNOWN = [
  0, 200, 201, 202, 204, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410,
  413, 415, 422, 425, 429, 431, 500, 501, 502, 503, 504,
];

/** The status itself where it is a known one, its class otherwise. 0: no whole answer came. */
export function statusLabel(status: number): string {
  if (KNOWN.includes(status)) return String(status);
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : "other";
}
