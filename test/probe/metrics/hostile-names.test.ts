/**
 * What a probe's /metrics holds on a service of hostile names: the series that it began with, each
 * in a line of its own, whatever jobs, states, workers and errors are called.
 */

import { describe, expect, it } from "vitest";
import { covers } from "../../../tools/robustness/covers.ts";
import { HOSTILE, startHostileNames } from "../../fronts/hostile-front.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { canary, open } from "../open-probe.ts";

const CANARIES = [canary("success", { webhook: true }), canary("failure"), canary("timeout")];
/** Each of the canaries has a job, and polls that show what nobody knows. */
const ROUNDS = 4;
const LIMIT_MS = 600_000;

/** Label values in quotes, in which a quote, a backslash and a newline are escaped. */
const QUOTED = String.raw`"(?:[^"\\\n]|\\["\\n])*"`;
const LABELS = String.raw`\{\w+=${QUOTED}(?:,\w+=${QUOTED})*\}`;
const SAMPLE = new RegExp(String.raw`^[a-z]\w+(${LABELS}) \S+( # \{job_id=${QUOTED}\} \S+ \S+)?$`);
const ABOUT = /^# (?:TYPE|HELP|UNIT) (?:plumbline|process|nodejs)_\w+ .*$|^# EOF$/;

/** Names and labels of the suite's own series; of Node's some appear as it goes on. */
const seriesIn = (text: string) =>
  text.split("\n").flatMap((line) => (/^plumbline_[^{ ]+/.test(line) ? [withoutValue(line)] : []));

const withoutValue = (line: string) => line.replace(/ \S+$/, "");

describe.each([false, true])("in the form of before: %s", (legacyMetrics) => {
  it(covers(
    "has no other series after runs on a service of hostile names",
    "46 probe",
    "47 probe",
  ), { timeout: LIMIT_MS }, async () => {
    const hostile = await startHostileNames({ timeScale: 0.02 });
    // The keys of the service behind the front are the same.
    const target = {
      baseUrl: hostile.url,
      probe: { ...PROBE_PLAN, rateShare: null, legacyMetrics },
    };
    const { probe, metrics, log } = await open({ target, canaries: CANARIES });
    const before = seriesIn(await metrics());
    for (let round = 0; round < ROUNDS; round += 1) await probe.once();
    expect(hostile.counts().jobs).toBe(ROUNDS * CANARIES.length);
    // It has read them.
    expect(log.filter((line) => line.includes("job.known-states")).join()).toContain(HOSTILE);
    const plain = await metrics();
    expect(seriesIn(plain)).toEqual(before);
    expect(plain).not.toContain(HOSTILE);
    const lines = (await metrics("application/openmetrics-text")).trimEnd().split("\n");
    expect(lines.filter((line) => !SAMPLE.test(line) && !ABOUT.test(line))).toEqual([]);
    // A job's identifier stands in an exemplar alone, which names no series.
    const named = lines.filter((line) => line.includes(HOSTILE));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((line) => SAMPLE.exec(line)?.[1]?.includes(HOSTILE))).toEqual([]);
  });
});
