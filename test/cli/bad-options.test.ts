/** Options that make no sense: exit 104, what and which and what was expected, no stack. */

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

import { PROMISE_IDS } from "../../contract/promises.ts";
import { buildReport } from "../../report/build-report.ts";
import { healthyResult } from "../report/fixtures.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Row {
  title: string;
  args: readonly string[];
  says: readonly RegExp[];
}

const ROWS: readonly Row[] = [
  { title: "an unknown command", args: ["gaet"], says: [/unknown command 'gaet'/, /gate/] },
  { title: "an unknown option", args: ["gate", "--fast"], says: [/unknown option '--fast'/] },
  { title: "an option without its value", args: ["gate", "--only"], says: [/argument missing/] },
  { title: "a stray argument", args: ["gate", "rate"], says: [/too many arguments/] },
  {
    title: "an unknown promise, with the nearest one",
    args: ["gate", "--only", "rate.sustaned"],
    says: [/--only: unknown promise or group "rate.sustaned" \(did you mean "rate.sustained"\?\)/],
  },
  { title: "an empty list", args: ["gate", "--only", ""], says: [/unknown promise or group ""/] },
  {
    title: "an unknown profile",
    args: ["gate", "--profile", "fast"],
    says: [/--profile: unknown value "fast"; expected one of: quick, standard, soak/],
  },
  {
    title: "an unknown variant",
    args: ["gate", "--variant", "c"],
    says: [/--variant: unknown variant "c"; expected one of: a, b/],
  },
  {
    title: "a variant that every object of JavaScript has",
    args: ["gate", "--variant", "constructor"],
    says: [/--variant: unknown variant "constructor"; expected one of: a, b/],
  },
  {
    title: "what shapes the embedded service, beside two target files",
    args: ["compare", "--base", "a.yaml", "--candidate", "b.yaml", "--variant", "c"],
    says: [
      /unknown variant "c"/,
      /--variant applies to the embedded service only; it cannot be combined with a target file/,
    ],
  },
  {
    title: "a fault of one of two equal sides",
    args: ["compare", "--embedded", "--calibrate", "--fault", "load.latency/slow-submit"],
    says: [/--fault breaks a candidate; expected none beside --calibrate/],
  },
  {
    title: "a fault beside a recording, which has no candidate",
    args: ["compare", "--record", "b.json", "--embedded", "--fault", "load.latency/slow-submit"],
    says: [/--fault breaks a candidate; expected none beside --record/],
  },
  {
    title: "promises for a search of capacity",
    args: ["plan", "--target", "a.yaml", "--scenario", "capacity", "--only", "rate"],
    says: [/--only is about promises; expected none beside --scenario capacity/],
  },
  {
    title: "an unknown fault",
    args: ["gate", "--fault", "rate.nothing/none"],
    says: [/--fault: unknown fault "rate.nothing\/none"; expected .*reference --list/],
  },
  {
    title: "a promise in place of a fault, with the faults that break it",
    args: ["gate", "--fault", "auth.revoked-key"],
    says: [/unknown fault "auth.revoked-key"; expected one of: auth.revoked-key\/cancels, /],
  },
  {
    title: "a fault of the other variant",
    args: ["gate", "--variant", "b", "--fault", "job.cost/negative"],
    says: [/--fault: "job.cost\/negative" exists in one variant only; expected --variant a/],
  },
  {
    title: "a host with scheme or port",
    args: ["probe", "--allow-host", "probe.example.com,http://b,c:9464"],
    says: [
      /--allow-host: "http:\/\/b" is not a host name; expected names such as probe.example.com/,
      /--allow-host: "c:9464" is not a host name/,
    ],
  },
  {
    title: "a time scale of 0",
    args: ["gate", "--time-scale", "0"],
    says: [/--time-scale: invalid value "0"; expected a number above 0 and up to 1/],
  },
  {
    title: "an address of a Prometheus that is none",
    args: ["gate", "--prometheus-rw", "localhost:9090"],
    says: [
      /--prometheus-rw: invalid value "localhost:9090" \(did you mean "http:..localhost:9090"\?\)/,
      /expected an address such as http/,
    ],
  },
  {
    title: "an address of a Prometheus that holds a password, without repeating it",
    args: ["gate", "--prometheus-rw", "http://me:secret@127.0.0.1:9090/"],
    says: [/--prometheus-rw: the address holds a name or password; expected none in it/],
  },
  {
    title: "an unknown thing to do with dashboards",
    args: ["dashboards", "buld"],
    says: [/dashboards: unknown value "buld" \(did you mean "build"\?\); expected one of: build/],
  },
  {
    title: "objectives of latency that can't be counted, all of them told",
    args: ["dashboards", "check", "--latency", "queue-wait=99@7", "--latency", "wait=99@5"],
    says: [
      /queue-wait: 7 s is not a bucket's bound; expected one of: 0.1, /,
      /unknown objective "wait"/,
    ],
  },
  {
    title: "a job that would end a query",
    args: ["dashboards", "check", "--job", 'a"} or vector(1) #'],
    says: [/--job: invalid value "a"} or vector\(1\) #"; expected letters, digits/],
  },
  {
    title: "a folder without dashboards",
    args: ["dashboards", "check", "nowhere"],
    says: [
      /"nowhere" holds none of the 9 files; expected the output of plumbline dashboards build/,
    ],
  },
  {
    title: "a seed that is none",
    args: ["gate", "--seed", "-1x"],
    says: [/--seed: invalid value "-1x"/],
  },
  {
    title: "several wrong options, all of them told",
    args: ["gate", "--profile", "fast", "--seed", "x", "--only", "nothing"],
    says: [/--profile/, /--seed/, /--only/],
  },
  {
    title: "a fault for a target that is not ours",
    args: ["gate", "--target", "plumbline.yaml", "--time-scale", "0.1"],
    says: [
      /--time-scale applies to the embedded service only; it cannot be combined with --target/,
    ],
  },
  {
    title: "slots of an unknown worker, no concurrency, no processors",
    args: ["reference", "--slots", "ecko=3", "--concurrency", "0", "--processors", "x"],
    says: [
      /--slots: unknown worker "ecko" \(did you mean "echo"\?\); expected worker=number with one/,
      /--concurrency: invalid value "0"; expected a whole number of at least 1/,
      /--processors: invalid value "x"; expected a whole number/,
    ],
  },
  {
    title: "limits of an unknown key, without a burst, of nothing",
    args: ["reference", "--limit", "bg=2/4", "--limit", "big=5", "--limit", "big=0/4"],
    says: [
      /--limit: cannot read "bg=2\/4"; expected key=rate\/burst with one of: free-a/,
      /--limit: cannot read "big=5"; expected key=rate\/burst/,
      /--limit: invalid value "0"; expected a whole number of at least 1/,
    ],
  },
  {
    title: "an unknown choice",
    args: ["reference", "--choice", "limitr=gcra"],
    says: [/--choice: unknown choice "limitr" \(did you mean "limiter"\?\)/],
  },
  {
    title: "a choice's unknown value",
    args: ["reference", "--choice", "limiter=leaky"],
    says: [/limiter cannot be "leaky"; expected one of: token-bucket/],
  },
  {
    title: "a port that is none",
    args: ["reference", "--port", "70000"],
    says: [/--port: invalid value "70000"; expected a whole number from 0 to 65535/],
  },
  {
    title: "an address of another machine",
    args: ["reference", "--host", "192.0.2.1"],
    says: [/cannot listen on 192\.0\.2\.1:0 \(EADDRNOTAVAIL\)/],
  },
  { title: "a plan without a target", args: ["plan"], says: [/--target <file>' not specified/] },
  {
    title: "a report that is not there",
    args: ["report", "nowhere.json"],
    says: [/cannot read the report "nowhere.json" \(ENOENT\); expected a report.json/],
  },
  {
    title: "several reports as text",
    args: ["report", "one.json", "two.json"],
    says: [/--format terminal with 2 reports; expected one report, or --format html/],
  },
];

describe("the command line refuses", () => {
  /** One that the parser finds, one that a command finds. */
  const asProcesses = ["an unknown option", "a report that is not there"];

  it.each(ROWS)("$title", async ({ title, args, says }) => {
    const run = await (asProcesses.includes(title) ? runCli : runHere)(args);
    expect(run.exitCode, run.stderr).toBe(104);
    for (const pattern of says) expect(run.stderr).toMatch(pattern);
    expect(run.stderr).toMatch(/^error \([a-z-]+\): /m);
    expect(run.stderr).not.toMatch(/^\s+at /m);
    const problems = run.stderr.match(/^error .*$/gm) ?? [];
    expect(problems).toEqual([...new Set(problems)]);
    expect(run.stdout).toBe("");
  });

  it("a report directory that cannot be written, before anything is sent", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("file", "");
    const run = await runHere(["gate", "--report", `${file}/report`]);
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(/cannot write the report directory ".*file\/report" \(ENOTDIR\)/);
    expect(run.stderr).not.toMatch(/preflight/);
  });

  it("a K6_BIN that is no k6, with the remedy", async () => {
    await using folder = await temporaryFolder();
    const environment = { K6_BIN: await folder.write("k6", "") };
    const run = await runHere(["gate", "--report", folder.path], { environment });
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(/K6_BIN=.* is no k6 that starts; expected k6 2\.x/);
  });

  it.each([
    ["no JSON", "{", /is not JSON; expected a report.json/],
    ["another schema version", '{"schemaVersion":7}', /schemaVersion is 7; expected 1/],
    [
      "missing fields",
      '{"schemaVersion":1}',
      /verdict: .*expected one of.*; \d+ more members do not fit; expected a report.json/,
    ],
  ])("a report file with %s, given by its name or its folder's", async (_, text, pattern) => {
    await using folder = await temporaryFolder();
    for (const given of [await folder.write("report.json", text), folder.path]) {
      const run = await runHere(["report", given]);
      expect(run.exitCode).toBe(104);
      expect(run.stderr).toMatch(pattern);
    }
  });
});

describe("an address of a Prometheus that may hold a secret is refused, and not repeated", () => {
  const TOKEN = "9f3c2b1a";
  const query =
    /--prometheus-rw: the address holds a query or fragment; expected none in it; put a/;
  const invalid = /--prometheus-rw: invalid value; expected an address such as http/;
  it.each([
    ["a query", `http://127.0.0.1:9090/api/v1/write?token=${TOKEN}`, query],
    ["a query of one word", `http://127.0.0.1:9090/?${TOKEN}`, query],
    ["a fragment", `http://127.0.0.1:9090/#${TOKEN}`, query],
    ["a query, and no scheme", `127.0.0.1:9090/api/v1/write?token=${TOKEN}`, invalid],
    ["a query, and another scheme", `ftp://127.0.0.1/write?token=${TOKEN}`, invalid],
    ["a password, and no scheme", `me:${TOKEN}@127.0.0.1:9090/`, invalid],
  ])("%s", async (_, url, says) => {
    for (const command of ["gate", "capacity"]) {
      const run = await runHere([command, "--prometheus-rw", url]);
      expect(run.exitCode, run.stderr).toBe(104);
      expect(run.stderr).toMatch(says);
      expect(run.stdout + run.stderr).not.toContain(TOKEN);
    }
  });
});

describe("an earlier report stays where what is named instead of evidence is none", () => {
  it.each([
    ["merge", "report.json", ["merge", "no-such-folder"]],
    ["compare", "comparison.json", ["compare", "--before", ..."12345", "--after", ..."12345"]],
  ])("%s", async (_, name, args) => {
    await using folder = await temporaryFolder();
    const file = await folder.write(name, "{}");
    const run = await runHere([...args, "--report", folder.path]);
    expect([run.exitCode, run.stderr]).toEqual([104, expect.stringContaining("cannot read")]);
    expect(await readFile(file, "utf8")).toBe("{}");
  });
});

describe("the command line answers", () => {
  it.each([
    ["--help", runCli],
    ["--version", runCli],
    ["gate --help", runHere],
    ["promises", runHere],
    ["reference --list", runHere],
  ] as const)("%s", async (words, runIt) => {
    const run = await runIt(words.split(" "));
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).not.toBe("");
  });

  it("puts reports side by side as one page", async () => {
    await using folder = await temporaryFolder();
    const text = JSON.stringify(buildReport(healthyResult()));
    const [one, two] = [await folder.write("1.json", text), await folder.write("2.json", text)];
    const run = await runHere(["report", one, two, "--format", "html"]);
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^<!doctype html>[\s\S]*2 runs side by side[\s\S]*<\/html>\n$/);
  });

  it("lists the promises as JSON", async () => {
    const run = await runHere(["promises", "--json"]);
    expect(JSON.parse(run.stdout)).toHaveLength(PROMISE_IDS.length);
  });
});
