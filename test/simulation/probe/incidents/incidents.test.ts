/** Incidents: what fires and by when, what does not, what the page says, when it is over. */

import { expect, it } from "vitest";
import { drawnCases } from "../../../drawn-cases.ts";
import { INCIDENTS } from "./cases.ts";
import { play } from "./play.ts";

it.each(drawnCases("incidents", INCIDENTS, 3))("$title", async (incident) => {
  const { fires, minutes, over, page } = incident;
  const { fired, problems } = await play(incident);
  const expected = Object.keys(fires);
  const others = fired.filter(({ alert }) => !expected.some((each) => alert.startsWith(each)));
  expect(others, "fires, and should not").toEqual([]);
  for (const [alert, within] of Object.entries(fires)) {
    const firsts = fired.filter((each) => each.alert.startsWith(alert)).map(({ first }) => first);
    const first = Math.min(...firsts);
    expect(first, `${alert} begins after so many minutes`).toBeGreaterThanOrEqual(0);
    expect(first, `${alert} begins after so many minutes`).toBeLessThanOrEqual(within);
  }
  const said = problems.get(minutes - 1) ?? ["nothing was looked at"];
  expect(said).toEqual(page.map((pattern) => expect.stringMatching(pattern)));
  const endsAt = minutes + over;
  expect(fired.filter(({ last }) => last >= endsAt)).toEqual([]);
  expect(problems.get(endsAt)).toEqual([]);
});
