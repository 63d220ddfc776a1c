/**
 * No output holds a secret, in any spelling: of a gate and a probe on a service with faults that
 * says every key aloud, of one that is killed, and of commands that are given wrongly.
 */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { reportSchema } from "../../report/model.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { openReference } from "../reference/open-reference.ts";
import { startMetricsReceiver } from "../runner/metrics-receiver.ts";
import { leakingFront } from "./leaking-front.ts";
import type { CliRun } from "./run-cli.ts";
import { runCli } from "./run-cli.ts";
import { traces } from "./spellings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const LIMIT_MS = 600_000;

/** All that a key may hold: each of them is spelt otherwise somewhere. RFC 9110 §5.5. */
const PUNCTUATION = `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`;

const CANARIES = {
  KEY_BIG: `canarybig7q${PUNCTUATION}9f3c2b1abig`,
  KEY_PRO: "canary-pro-key-of-some-length",
  HOOK: `canaryhook7q&<>!*'()+/=%"\\9f3c1a`,
  K6_PROMETHEUS_RW_PASSWORD: `canarypassword7q&<>!*'()+/=%"\\of-remote-write`,
};

const SPELLINGS = Object.values(CANARIES).flatMap(traces);

/** The spellings that a text holds; bytes are read as one character each. */
function leaks(where: string, content: string): string[] {
  return SPELLINGS.filter((each) => content.includes(each)).map((each) => `${where}: ${each}`);
}

function leaksOfRun(where: string, { stdout, stderr }: CliRun): string[] {
  return [...leaks(`${where}, stdout`, stdout), ...leaks(`${where}, stderr`, stderr)];
}

function leaksBelow(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(files.length).toBeGreaterThan(0);
  return files
    .filter((each) => each.isFile())
    .map((each) => path.join(each.parentPath, each.name))
    .flatMap((file) => leaks(file, readFileSync(file, "latin1")));
}

/** What anybody may read of the processes that came of this one: their arguments and titles. */
function leaksOfProcesses(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const texts = ["cmdline", "comm"].map((file) =>
          readFileSync(`/proc/${pid}/${file}`, "utf8"),
        );
        return leaks(`process ${pid}`, texts.join(" "));
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

async function leakingService(onRequest: () => void) {
  const faults = ["job.result-present/missing", "submit.malformed/accepted"];
  const signingSecret = CANARIES.HOOK;
  const service = await openReference({ timeScale: 0.05, faults, signingSecret });
  const real = (plan: string) => service.keys.find((each) => each.plan === plan)?.value ?? "";
  const keys = new Map([
    [CANARIES.KEY_BIG, real("enterprise")],
    [CANARIES.KEY_PRO, real("pro")],
  ]);
  const front = await leakingFront(service.baseUrl, { keys, secrets: [CANARIES.HOOK], onRequest });
  onTestFinished(() => front.close());
  return front.url;
}

const targetOf = (baseUrl: string) => `
target: { baseUrl: "${baseUrl}", timeScale: 0.05 }
keys:
  - { name: big, plan: enterprise, sustained: 200, burst: 400, env: KEY_BIG }
  - { name: pro, plan: pro, env: KEY_PRO }
workers:
  success: { id: echo, input: { text: hi }, marker: text }
  failure: { id: fail, input: {} }
webhook: { listen: "127.0.0.1:0", signature: { scheme: hmac-sha256, secretEnv: HOOK } }
load: { jobsPerSecond: 3, duration: 3s }
canaries: [ { name: main, part: success, every: 1s, webhook: true } ]
budget: { jobs: 500, credits: 1000, usd: 100 }
`;

/** k6 has said something. */
const IN_MID_RUN = /contract: (?!started)/;
const ONLY = [
  "auth.error-body,submit.malformed,submit.accepted-shape,job.result-present",
  "webhook.signed,load.no-losses",
].join();

describe("no secret", () => {
  it(covers(
    "comes out of a gate that is killed, nor of the next one, which clears up",
    "48 gate",
    "33 gate",
  ), {
    timeout: LIMIT_MS,
  }, async () => {
    await using folder = await temporaryFolder();
    const seen = { requests: 0, found: [] as string[] };
    const baseUrl = await leakingService(() => {
      seen.requests += 1;
      if (seen.requests % 40 === 1) seen.found.push(...leaksOfProcesses());
    });
    const metrics = await startMetricsReceiver(200);
    const file = await folder.write("plumbline.yaml", targetOf(baseUrl));
    const report = path.join(folder.path, "report");
    const args = ["gate", "--target", file, "--report", report, "--only", ONLY, "--verbose"];
    const more = ["--prometheus-rw", metrics.url, "--trace", "http://trace.example/{traceId}"];
    const environment = {
      ...CANARIES,
      K6_PROMETHEUS_RW_USERNAME: "somebody",
      PLUMBLINE_DEBUG: "1",
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: await folder.write("summary.md", ""),
      GITHUB_OUTPUT: await folder.write("output", ""),
      TMPDIR: folder.path,
    };
    const left = () => readdirSync(folder.path).filter((name) => /^plumbline-run-/.test(name));
    const killed = await runCli([...args, ...more], {
      environment,
      onStderr: (text, child) => void (IN_MID_RUN.test(text) && child.kill("SIGKILL")),
    });
    const abandoned = left();
    const run = await runCli([...args, ...more, "--json"], { environment });
    expect(run.exitCode, run.stderr).toBe(99);
    expect(abandoned.length).toBeGreaterThan(0);
    expect(left()).toEqual([]);
    expect(metrics.posts.length).toBeGreaterThan(0);
    const { promises } = reportSchema.parse(JSON.parse(run.stdout));
    const verdictOf = (id: string) => promises.find((each) => each.id === id)?.verdict;
    expect(["webhook.signed", "load.no-losses"].map(verdictOf)).toEqual(["kept", "kept"]);
    // What the service said aloud did come this far.
    expect(readFileSync(path.join(report, "evidence.jsonl"), "utf8")).toContain("[redacted]");
    const series = JSON.stringify(metrics.posts.map((post) => post.series));
    expect([
      ...seen.found,
      ...leaksOfRun("killed", killed),
      ...leaksOfRun("gate", run),
      ...leaks("metrics", series),
      ...leaksBelow(folder.path),
    ]).toEqual([]);
  });

  it(covers("comes out of a probe", "48 probe"), { timeout: LIMIT_MS }, async () => {
    await using folder = await temporaryFolder();
    const baseUrl = await leakingService(() => {});
    const file = await folder.write("plumbline.yaml", targetOf(baseUrl));
    const found: string[] = [];
    let isAsked = false;
    const use = async (text: string, child: { kill(signal: NodeJS.Signals): unknown }) => {
      const address = /metrics +(\S+)\/metrics/.exec(text)?.[1];
      if (address === undefined || isAsked) return;
      isAsked = true;
      const page = async (name: string) => await (await fetch(address + name)).text();
      await expect
        .poll(() => page("/metrics"), { timeout: LIMIT_MS / 2, interval: 100 })
        .toMatch(/runs_total\{canary="main",outcome="\w+"[^}]*\} [1-9]/);
      for (const name of ["/", "/metrics", "/api/canaries", "/none"]) {
        found.push(...leaks(name, await page(name)));
      }
      found.push(...leaksOfProcesses());
      child.kill("SIGTERM");
    };
    const place = ["--listen", "127.0.0.1:0", "--state", path.join(folder.path, "state")];
    const args = ["probe", "--target", file, ...place, "--grace", "0s"];
    const run = await runCli([...args, "--trace", "http://trace.example/{traceId}"], {
      environment: { ...CANARIES, TMPDIR: folder.path },
      onStdout: (text, child) => void use(text, child),
    });
    expect([isAsked, run.exitCode]).toEqual([true, 0]);
    const journal = readFileSync(path.join(folder.path, "state", "probe.db"), "latin1");
    expect(journal).toContain("[redacted]");
    expect([...found, ...leaksOfRun("probe", run), ...leaksBelow(folder.path)]).toEqual([]);
  });

  it.each([
    ["an unknown profile", ["--profile", "nonsense"], ""],
    ["a service that is away", [], ""],
    ["a key in the place of its variable's name", [], `env: ${CANARIES.KEY_PRO}`],
    ["a key in the address", [], `baseUrl: "http://me:${CANARIES.KEY_PRO}@127.0.0.1:1"`],
  ])("comes out of a gate that was given %s", { timeout: LIMIT_MS }, async (_, flags, wrong) => {
    await using folder = await temporaryFolder();
    const right = targetOf("http://127.0.0.1:1");
    const [name = ""] = wrong.split(":");
    const text = right.replace(new RegExp(`${name}: [^ ,}]+`), wrong === "" ? "$&" : wrong);
    const file = await folder.write("plumbline.yaml", text);
    const args = ["gate", "--target", file, "--report", path.join(folder.path, "report"), ...flags];
    const environment = { ...CANARIES, PLUMBLINE_DEBUG: "1" };
    const run = await runCli(args, { environment });
    expect([104, 111]).toContain(run.exitCode);
    expect(run.stderr).toMatch(/error/);
    expect(leaksOfRun("gate", run)).toEqual([]);
  });
});
