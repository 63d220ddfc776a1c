/** `plumbline capacity` as a user calls it: wrong options, a short real search, and Ctrl-C. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { capacitySchema } from "../../report/capacity-model.ts";
import { startMetricsReceiver } from "../runner/metrics-receiver.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const NO_BUDGET = `target: { baseUrl: "http://127.0.0.1:9" }
keys: [{ name: free, plan: free, env: SOME_KEY }]
workers: { success: { id: echo, input: { text: hi } } }
`;

/** All that is wrong in one call is told at once: few calls, many mistakes. */
const WRONG: readonly [title: string, args: readonly string[], says: readonly RegExp[]][] = [
  [
    "unknown words, and objectives that are none",
    [
      ...["--of", "job", "--part", "sucess", "--endpoint", "job", "--time", "soon"],
      ...["--slo", "fast,life-p95<2s,p95<2,errors<200%", "--step", "1ms", "--max-rate", "0"],
    ],
    [
      /--of: unknown value "job" \(did you mean "jobs"\?\)/,
      /--part: unknown value "sucess" \(did you mean "success"\?\)/,
      /--endpoint: unknown value "job"/,
      /--slo: "fast" is not an objective; expected terms such as p95<2s/,
      /--slo: unknown figure "life" in "life-p95<2s"; expected one of: latency, submit/,
      /--slo: invalid value "2" in "p95<2"; expected a duration/,
      /--slo: "errors<200%" allows more errors than requests; expected up to 100%/,
      /--max-rate: invalid value "0"; expected a number a second above 0/,
      /--step: invalid value "1ms"; .* from 3s to 1800s/,
      /--time: invalid value "soon"; expected a duration/,
    ],
  ],
  [
    "options that contradict each other",
    [
      ...["--unpaced", "--start-rate", "9", "--max-rate", "5"],
      ...["--prometheus-rw", "http://me:secret@127.0.0.1:9090/"],
    ],
    [
      /--unpaced counts requests; expected --of requests/,
      /--unpaced knows no rate, and so no plan; expected --beyond-plan beside it/,
      /--prometheus-rw: the address holds a name or password; expected none in it/,
      /--prometheus-rw sends what k6 measures; expected none beside --unpaced/,
      /--start-rate: 9 is above --max-rate; expected up to 5/,
    ],
  ],
  [
    "options that would change nothing",
    ["--endpoint", "workers", "--connections", "4"],
    [
      /--endpoint is about requests; expected --of requests beside it/,
      /--connections is about --unpaced; expected that beside it/,
    ],
  ],
  [
    "objectives of jobs for requests",
    ["--of", "requests", "--slo", "p95<1s,queue-p95<1s"],
    [/--slo: "queue-p95<1s" is about jobs; expected terms such as p95<500ms beside --of requests/],
  ],
  ["a key that is not there", ["--keys", "bog"], [/--keys: unknown key "bog" .* expected active/]],
];

/** One step; the next one, which would count, has no room in the time. */
const SHORT = ["--start-rate", "20", "--max-rate", "20", "--step", "3s", "--time", "20s"];

/**
 * Plans of 10 and of 50 requests a second, each with a burst of two seconds. A machine that stands
 * still for 0.1 s gives back what is refused in a second.
 */
const TENTH_BEYOND = [
  ...["--keys", "free-a,pro-a", "--beyond-plan", "--start-rate", "66", "--max-rate", "66"],
  ...["--step", "12s", "--time", "40s"],
];

/** Ours: so much later than they were due, requests found what was earned meanwhile. */
const STOOD_STILL_MS = 100;

describe("plumbline capacity", () => {
  it.each(WRONG)("refuses %s", async (_title, args, says) => {
    const run = await runHere(["capacity", ...args]);
    expect(run.exitCode, run.stderr).toBe(104);
    for (const pattern of says) expect(run.stderr).toMatch(pattern);
  });

  it("refuses to submit jobs to a service of others without a budget", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", NO_BUDGET);
    const environment = { SOME_KEY: "secret" };
    const run = await runHere(["capacity", "--target", file], { environment });
    expect(run.exitCode, run.stderr).toBe(104);
    expect(run.stderr).toContain("capacity needs a budget; expected budget: { jobs: ... }");
  });

  it("searches, tells its limits before, and writes what it found", async () => {
    await using folder = await temporaryFolder();
    const { url } = await startMetricsReceiver(403);
    const how = ["--report", folder.path, "--json", "--prometheus-rw", url];
    const args = ["capacity", ...SHORT, ...how];
    const run = await runCli(args);
    expect(run.exitCode, run.stderr).toBe(111);
    const result = capacitySchema.parse(JSON.parse(run.stdout));
    const file = await readFile(join(folder.path, "capacity.json"), "utf8");
    expect(JSON.parse(file)).toEqual(result);
    const page = await readFile(join(folder.path, "capacity.html"), "utf8");
    expect(page).toContain(`<td>${result.steps[0]?.ratePerSecond}</td>`);
    expect(result).toMatchObject({ interrupted: false, bound: "time" });
    expect(result.notes).toContain(`metrics could not be sent to ${url}`);
    expect(run.stderr).toMatch(/at most 20 s, \d+ jobs, and 20 a second \(--max-rate\)/);
    expect(result.steps.every(({ ratePerSecond }) => (ratePerSecond ?? 0) <= 20)).toBe(true);
    const [first] = result.steps;
    expect(first?.sent, run.stderr).toBeGreaterThan(5);
    expect(first?.latencyMs?.p50).toBeGreaterThan(300);
    expect(first?.runMs?.p50).toBeGreaterThan(250);
    expect(first?.queueWaitMs).not.toBeNull();
    expect(result.spent.jobs).toBeGreaterThan(5);
  });

  it("counts requests with real k6, and sends its metrics to a Prometheus", async () => {
    await using folder = await temporaryFolder();
    const { url, posts } = await startMetricsReceiver(204);
    const how = ["--report", folder.path, "--json", "--prometheus-rw", url];
    const args = ["capacity", "--of", "requests", ...TENTH_BEYOND, ...how];
    const run = await runCli(args);
    const result = capacitySchema.parse(JSON.parse(run.stdout));
    const [note] = result.notes;
    const name = /^its metrics carry the label run="(.+)"$/.exec(note ?? "")?.[1];
    expect(name).toBeDefined();
    const series = posts.flatMap((each) => each.series);
    const labels = { run: name, scenario: "capacity", step: "step-1" };
    expect(series.map((each) => each.labels)).toContainEqual(expect.objectContaining(labels));
    const requests = series.filter(
      (each) => each.labels.__name__ === "k6_http_reqs_total" && each.labels.step === "step-1",
    );
    expect(requests.map((each) => each.labels.name)).toContain("GET /v1/me");
    const counts = requests.flatMap(({ values }) => values).filter(Number.isFinite);
    expect(Math.max(...counts)).toBeGreaterThan(5);
    const [first] = result.steps;
    expect(first?.sent).toBeGreaterThan(5);
    // Of a burst none would be refused; of equal turns a third. Keys earn while a machine stands.
    const stoodStill = (first?.generator.latenessMs ?? 0) > STOOD_STILL_MS;
    if (!stoodStill) expect(first?.refused429).toBeGreaterThan(0);
    expect((first?.refused429 ?? 0) / (first?.sent ?? 0)).toBeLessThan(0.2);
    expect(first?.latencyMs?.p50).toBeGreaterThan(0);
    expect(result.spent.jobs).toBe(0);
  });

  it("counts requests as fast as connections go, and names what was the limit", async () => {
    await using folder = await temporaryFolder();
    const how = ["--unpaced", "--beyond-plan", "--connections", "1", "--step", "3s"];
    const args = ["capacity", "--of", "requests", ...how, "--report", folder.path, "--json"];
    const result = capacitySchema.parse(JSON.parse((await runCli(args)).stdout));
    expect(result.mode).toBe("unpaced");
    expect(result.estimate?.perSecond).toBeGreaterThan(10);
    // On a slow machine one connection asks for less than the plan allows, in some steps or in all.
    const refused = result.steps.map(({ sent, refused429 }) => refused429 > sent / 100);
    const limits = [
      "generator",
      ...(refused.includes(true) ? ["limiter"] : []),
      ...(refused.includes(false) ? ["answers"] : []),
    ];
    expect(limits).toContain(result.bottleneck?.bottleneck);
  });

  it("stops at once on Ctrl-C, and leaves what it has", async () => {
    await using folder = await temporaryFolder();
    let stoppedMs = 0;
    const run = await runCli(["capacity", "--report", folder.path], {
      onStderr: (text, child) => {
        if (stoppedMs > 0 || !text.includes("search:")) return;
        stoppedMs = Date.now();
        child.kill("SIGINT");
      },
    });
    expect(run.exitCode, run.stderr).toBe(105);
    expect(Date.now() - stoppedMs).toBeLessThan(30_000);
    const file = await readFile(join(folder.path, "capacity.json"), "utf8");
    expect(capacitySchema.parse(JSON.parse(file)).interrupted).toBe(true);
  });
});
