/**
 * A note where connections are closed in place of an answer and a key is refused within its plan:
 * Go and Node send a GET again, on a new connection, whose own turns out to be closed (RFC 9110
 * §9.2.2), so that a limiter may have counted more requests than were asked for.
 */

import { countText } from "../numbers/figures.ts";

export function sentTwiceNote(who: string, refusals: number, closed: number): readonly string[] {
  if (refusals === 0 || closed === 0) return [];
  return [
    `${who}: ${countText(refusals, "request")} within the plan got 429, and ` +
      `${countText(closed, "connection")} closed without an answer: k6 and Node repeat a GET ` +
      "whose connection was closed, and a limiter counts both",
  ];
}
