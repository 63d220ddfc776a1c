/** The target of an HTTP request, parted into path and query. RFC 9112 §3.2. */

import type { RawRequest } from "./http.ts";

/** In absolute form as in origin form; a fragment that does not belong there is part of neither. */
export function splitTarget(target: string): Pick<RawRequest, "path" | "query"> {
  const origin = target.startsWith("/") ? target : originForm(target);
  const end = origin.search(/[?#]/);
  if (end < 0) return { path: origin, query: "" };
  return { path: origin.slice(0, end), query: origin.slice(end + 1) };
}

function originForm(target: string): string {
  if (!URL.canParse(target)) return target;
  const rest = /^https?:\/\/[^/?#]+(.*)$/i.exec(target)?.[1];
  if (rest === undefined || rest.includes("#")) return target;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
