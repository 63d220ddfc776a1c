/**
 * Programs of the suite on a machine whose names a server of the test's own knows: it moves them
 * while the programs run. Arguments: k6, and a folder. Prints what each program made of it.
 */

import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Secret } from "../../contract/text/secret.ts";
import { startProbe } from "../../probe/probe.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";
import { captureOutput } from "../../runner/capture-output.ts";
import { ROOT } from "../../runner/package-root.ts";
import { runK6 } from "../../runner/run-k6.ts";
import { SOURCES } from "../cli/main-file.ts";
import { startDnsServer } from "../fronts/dns-server.ts";
import { BASE_TARGET, key } from "../gate/base-target.ts";
import { listen } from "../http/listen.ts";
import { alone } from "../probe/alone.ts";
import { bigKey } from "../reference/big-key.ts";
import { BASE_PLAN } from "../runner/base-plan.ts";
import type { Findings } from "./findings.ts";

const [k6Path = "", folder = ""] = process.argv.slice(2);
const [FIRST, SECOND] = ["127.0.0.1", "127.0.0.2"];
const NOBODY = "nobody.plumbline.test";
const SCENARIO = path.join(ROOT, "test/runner/ask-each/main.ts");

const dns = await startDnsServer(FIRST);

const jobsOf = async ({ baseUrl, keys }: ReferenceService): Promise<number> => {
  const value = bigKey({ keys });
  const answer = await fetch(`${baseUrl}/v1/jobs`, { headers: { "x-api-key": value } });
  return ((await answer.json()) as { jobs: unknown[] }).jobs.length;
};

/** Runs a canary while the name is unknown, then known, then another machine's. */
async function probe(): Promise<Findings["probe"]> {
  const name = "probed.plumbline.test";
  const first = await startReference({ timeScale: 0.02, host: FIRST });
  const port = Number(new URL(first.baseUrl).port);
  const second = await startReference({ timeScale: 0.02, host: SECOND, port });
  const value = bigKey(first);
  const started = await startProbe({
    target: {
      ...BASE_TARGET,
      baseUrl: `http://${name}:${port}`,
      keys: [key("only")],
      canaries: [CANARY],
    },
    secrets: new Map([["KEY_only", new Secret(value)]]),
    stateDir: path.join(folder, "probe"),
    ...alone(),
  });
  const once = async () => {
    const settled = (await started.once()).get(CANARY.name) ?? null;
    return { outcome: settled?.outcome, why: settled?.why };
  };
  const unknown = await once();
  const metrics = await (await fetch(`${started.address}/metrics`)).text();
  const spent = /^plumbline_spent_jobs_total(?:{.*})? (\S+)$/m.exec(metrics)?.[1] ?? "none";
  dns.answers.set(name, FIRST);
  const known = await once();
  const jobsOfFirst = await jobsOf(first);
  dns.answers.set(name, SECOND);
  await first.close();
  const moved = await once();
  const jobs = { spentWhileUnknown: spent, first: jobsOfFirst, second: await jobsOf(second) };
  await Promise.all([started.close(0), second.close()]);
  return { unknown, known, moved, jobs };
}

/** Ours: a run takes a fraction of a second, and some seconds on a busy machine. */
const DEADLINE_MS = 20_000;
const CANARY = {
  name: "main",
  part: "success",
  everyMs: 3_600_000,
  jitterShare: 0,
  deadlineMs: DEADLINE_MS,
  webhook: false,
  expect: null,
  overlapMax: null,
} as const;

/** A server that notes that it was asked, on the first port or on another's. */
async function answering(host: string, status: number, onAsked: () => void, port?: number) {
  const server = createServer((_, response) => {
    onAsked();
    response.writeHead(status, { connection: "close" }).end("{}");
  });
  return { server, port: await listen(server, host, port) };
}

/** A scenario asks for a name that nobody has, and for one that moves when it was asked for. */
async function scenario(): Promise<Findings["scenario"]> {
  const name = "asked.plumbline.test";
  const answered: string[] = [];
  dns.answers.set(name, FIRST);
  const { server: first, port } = await answering(FIRST, 503, () => {
    answered.push("first");
    dns.answers.set(name, SECOND);
    first.close();
  });
  const { server: second } = await answering(SECOND, 200, () => answered.push("second"), port);
  const urls = [`http://${NOBODY}/`, `http://${name}:${port}/#until-200`];
  const list = createServer((_, response) => response.end(JSON.stringify(urls)));
  const baseUrl = `http://${FIRST}:${await listen(list, FIRST)}`;
  const run = await runK6({
    k6Path,
    name: "sample",
    script: SCENARIO,
    plan: { ...BASE_PLAN, baseUrl },
    secrets: new Map(),
    timeLimitMs: 60_000,
    signal: new AbortController().signal,
    onRecord: () => {},
    outputDir: path.join(folder, "out"),
  });
  for (const server of [second, list]) server.close();
  const notes = run.records.flatMap((each) => (each.type === "note" ? [each.text] : []));
  const told = new Map(notes.map((text) => [JSON.parse(text).url as string, JSON.parse(text)]));
  const { exitCode, stderrTail } = run;
  return { exitCode, stderrTail, told: urls.map((url) => told.get(url) ?? null), answered };
}

/** The command asks for a name that nobody has. */
async function gate(): Promise<Findings["gate"]> {
  const file = path.join(folder, "plumbline.yaml");
  const keys = "keys: [ { name: only-one, plan: free, env: THE_KEY } ]";
  await writeFile(file, `target: { baseUrl: "http://${NOBODY}" }\n${keys}\n`);
  const args = [SOURCES, "gate", "--target", file, "--report", path.join(folder, "report")];
  const { exitCode, stderr } = await captureOutput(process.execPath, args, {
    env: { ...process.env, THE_KEY: "secret-key-0123456789" },
    timeLimitMs: 60_000,
    cwd: folder,
  });
  return { exitCode, stderr };
}

/** Ours: the first retry comes after half a second, and others after 3 and 30 s. */
const WAIT_MS = 60_000;

/** A webhook goes to a name that nobody has when it is posted for the first time. */
async function webhook(): Promise<Findings["webhook"]> {
  const name = "hooks.plumbline.test";
  const posted = Promise.withResolvers<string>();
  const { server, port } = await answering(FIRST, 200, () => posted.resolve("delivered"));
  const { baseUrl, keys, close } = await startReference({ timeScale: 0.1 });
  const value = bigKey({ keys });
  await fetch(`${baseUrl}/v1/workers/echo/jobs`, {
    method: "POST",
    headers: { "x-api-key": value, "content-type": "application/json" },
    body: JSON.stringify({ text: "x", webhook: `http://${name}:${port}/` }),
  });
  await dns.asked(name);
  dns.answers.set(name, FIRST);
  const outcome = await Promise.race([posted.promise, sleep(WAIT_MS, "not delivered")]);
  server.close();
  await close();
  return outcome;
}

const findings: Findings = {
  probe: await probe(),
  scenario: await scenario(),
  gate: await gate(),
  webhook: await webhook(),
};
dns.close();
process.stdout.write(JSON.stringify(findings));
process.exit();
