/** Two probes of one place: the first dies, then the second, which comes back. */

import type { Courses } from "./healthy.ts";
import { HEALTHY } from "./healthy.ts";
import type { RuleCase } from "./rule-case.ts";

const FIRST = "probe:9464";
const SECOND = "second:9464";

/** All series of a probe, less what it says between two minutes. */
function dead(instance: string, from: number, to: number): Courses {
  const gone = (minute: number) => minute >= from && minute < to;
  const courses = Object.entries(HEALTHY).map(([name, course]) => [
    name.replace(FIRST, instance),
    (minute: number) => (gone(minute) ? (name.startsWith("up{") ? 0 : "stale") : course(minute)),
  ]);
  return Object.fromEntries(courses);
}

export const TWO_PROBES: RuleCase = {
  alert: "PlumblineProbeDown",
  severity: "page",
  fires: {
    title: "both probes of a place, one after the other",
    series: { ...dead(FIRST, 10, 30), ...dead(SECOND, 15, 20) },
    minutes: { silent: 10, firing: 23, silentAgain: 32 },
  },
  nearMiss: { title: "none dies", series: {}, until: 10 },
};

const DOWN = 'ALERTS{alertstate="firing",alertname="PlumblineProbeDown"}';
const expr = `group by (instance, place) (${DOWN})`;
const watched = (instance: string) => `{instance="${instance}"}`;
const unwatched = (instance: string) => `{instance="${instance}", place="unwatched"}`;

export const WHO_IS_DOWN = [
  { minute: 11.5, expr, labels: [watched(FIRST)] },
  // The second's death is not sure yet; the page on the first must not go meanwhile.
  { minute: 15.5, expr, labels: [watched(FIRST)] },
  { minute: 17.5, expr, labels: [unwatched(FIRST), unwatched(SECOND)] },
  { minute: 23, expr, labels: [watched(FIRST)] },
];
