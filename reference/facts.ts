/** What a request says: its query and its key, read from what was sent. */

import { API_KEY_HEADER, type RouteName } from "../contract/requests/routes.ts";
import type { RawRequest, RequestFacts } from "./http.ts";

export function factsOf(raw: RawRequest, route: RouteName | null, parameter: string): RequestFacts {
  const { method, body, rawHeaders, connection } = raw;
  const query = queryOf(raw.query);
  const apiKey = headerIn(rawHeaders, API_KEY_HEADER);
  return { method, route, parameter, query, body, apiKey, rawHeaders, connection };
}

/** Of a header that is given several times, all values, as Node joins them. */
function headerIn(rawHeaders: readonly string[], wanted: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue;
    const value = rawHeaders[at + 1] ?? "";
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

const NO_QUERY: RequestFacts["query"] = {};

/** Of a parameter that is given several times, the first counts. */
export function queryOf(text: string): RequestFacts["query"] {
  if (text === "") return NO_QUERY;
  const fields: Record<string, string | undefined> = {};
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    if (Object.hasOwn(fields, name)) continue;
    fields[name] = equals < 0 ? "" : decoded(pair.slice(equals + 1));
  }
  return fields;
}

/** What is wrongly encoded stays as it was sent. */
function decoded(text: string): string {
  const spaced = text.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
