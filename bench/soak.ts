/**
 * What a job of a load takes, and how many are completed, beside a k6 script by hand of the same
 * requests; on the embedded service without a rate limit, each in a process of its own.
 *
 * npm run bench -- --only soak; node bench/soak.ts [--rate 200] [--seconds N] [--shards N]
 */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { temporaryFolder } from "../test/cli/temporary-folder.ts";
import { k6Here } from "../test/runner/k6-here.ts";
import type { Service } from "../test/soak/service.ts";
import type { Load } from "./loaded.ts";
import { allMs, ran, soak, withService } from "./loaded.ts";
import { measure } from "./row.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "200" },
    seconds: { type: "string", default: "15" },
    shards: { type: "string" },
  },
});

const PLAIN = path.join(import.meta.dirname, "plain-script.ts");
const load: Load = {
  rate: Number(values.rate),
  seconds: Number(values.seconds),
  ...(values.shards === undefined ? {} : { shards: Number(values.shards) }),
};

const summary = z.object({
  metrics: z.object({ checks: z.object({ passes: z.number() }).optional() }),
});

/** Jobs completed a second of the load, and processor time a job. */
async function plain(service: Service): Promise<readonly number[]> {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "summary.json");
  const { path: k6 } = await k6Here();
  const env = {
    BASE_URL: service.baseUrl,
    SOAK_KEY: service.key,
    JOBS_PER_SECOND: String(load.rate),
    SECONDS: String(load.seconds),
  };
  const argv = [k6, "run", "-q", `--summary-export=${file}`, PLAIN] as const;
  const { used } = await ran("k6", argv, env, /begins/);
  const { metrics } = summary.parse(JSON.parse(await readFile(file, "utf8")));
  const completed = metrics.checks?.passes ?? 0;
  return [completed / load.seconds, allMs(used) / completed];
}

async function soaked(service: Service): Promise<readonly number[]> {
  const { completed, used, generator, judgedMs } = await soak(service, load);
  late.push([generator.lagP99Ms, judgedMs / 1_000]);
  return [completed / load.seconds, allMs(used) / completed];
}

const late: (readonly number[])[] = [];
const subject = `a soak, ${load.rate} jobs/s asked`;
await measure({
  figures: [
    { name: "soak-rate", what: "jobs completed a second", goal: { atLeast: 0.8 } },
    { name: "soak-job", what: "processor ms a job", goal: { atMost: 1.5 } },
  ],
  subject,
  peer: "a k6 script by hand",
  warmsUp: false,
  measureSubject: () => withService(soaked),
  measurePeer: () => withService(plain),
});
await measure({
  figures: [
    { name: "soak-late", what: "submissions late by, p99 ms", goal: { atMost: 50 } },
    {
      name: "soak-judged",
      what: "from the end of the generator to the report, s",
      goal: { atMost: 2 },
    },
  ],
  subject,
  peer: null,
  warmsUp: false,
  measureSubject: async () => late.shift() ?? [],
});
