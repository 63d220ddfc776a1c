/** Colours of series by the ends of their names: errors are red, client errors orange. */

import type { Color, Panel } from "./panel.ts";

/** Labels that tell how something ended; a series whose name ends with one has its colour. */
const TELLING = /\{\{(status|outcome|state|result|reason)\}\}$/;

/** Statuses as patterns, everything else as the metrics call it. */
const ENDINGS: Readonly<Partial<Record<Color, readonly string[]>>> = {
  red: [
    ...["0", "5\\d\\d", "5xx"],
    ...["wrong_state", "wrong_result", "deadline", "http_error", "failed", "failure", "journal"],
    ...["missing", "unsigned"],
  ],
  orange: [
    ...["4\\d\\d", "4xx", "rate_limited", "auth", "credits", "budget", "overlap"],
    ...["timeout", "repeated"],
  ],
  green: ["200", "success", "completed", "first", "none"],
  // Beside 200: submissions are told from polls.
  blue: ["20[1-9]", "2xx"],
  gray: [
    ...["probe_error", "ambiguous_submission", "unseen"],
    ...["cancelled", "unchecked", "unknown_token", "paused", "stopping"],
  ],
};

/** Regular expressions of whole names, each with its colour; none where names tell no end. */
export function colorsByName({ queries }: Panel): readonly (readonly [string, Color])[] {
  if (!queries.some(({ legend }) => TELLING.test(legend ?? ""))) return [];
  return Object.entries(ENDINGS).map(([color, endings]) => {
    return [`(?:.* )?(?:${endings.join("|")})`, color as Color];
  });
}
