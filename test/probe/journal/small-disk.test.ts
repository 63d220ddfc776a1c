/** The real probe, whose journal is on a disk of a megabyte that somebody else fills. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { StatusView } from "../../../probe/server/view.ts";
import type { ReferenceService } from "../../../reference/service.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { MAIN, MAIN_ENVIRONMENT } from "../../cli/main-file.ts";
import { bigKey, listedJobs } from "../../reference/big-key.ts";
import { openReference } from "../../reference/open-reference.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { until } from "../open-probe.ts";

const LIMIT_MS = 600_000;

/** With file systems of its own: nobody but the probe and who asks for its root sees the disk. */
const ON_SMALL_DISK = 'mount -t tmpfs -o size=1m none "$1" && shift && exec "$@"';
const HELP = "user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";

const targetFile = ({ baseUrl }: ReferenceService) => `
target: { baseUrl: "${baseUrl}" }
keys: [ { name: big, plan: enterprise, sustained: 200, burst: 400, env: PROBE_TEST_KEY } ]
workers:
  success: { id: echo, input: { text: hi } }
  slow: { id: sleep, input: { seconds: 5 } }
canaries:
  - { name: quick, part: success, every: 2s, jitter: 0 }
  - { name: slow, part: slow, every: 5s, deadline: 120s, jitter: 0 }
budget: { jobs: 500, credits: 1000, usd: 100 }
`;

async function startProbe(service: ReferenceService, key: string) {
  const folder = await temporaryFolder();
  const file = path.join(folder, "plumbline.yaml");
  await writeFile(file, targetFile(service));
  const state = path.join(folder, "state");
  await mkdir(state, { mode: 0o700 });
  const place = ["--listen", "127.0.0.1:0", "--state", state, "--grace", "0s"];
  const probe = [process.execPath, MAIN, "probe", "--target", file, ...place];
  const apart = ["--map-root-user", "--mount", "sh", "-c", ON_SMALL_DISK, "probe", state];
  const child = spawn("unshare", [...apart, ...probe], {
    env: { PATH: process.env.PATH ?? "", ...MAIN_ENVIRONMENT, PROBE_TEST_KEY: key },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { out: "", error: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.error += text;
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.out += text;
      const [, at] = /status page +(http:\S+)\/\n/.exec(said.out) ?? [];
      if (at !== undefined) resolve(at);
    });
    const why = (code: number | null) => `${said.error}\nended with ${code}; needs ${HELP}`;
    child.once("exit", (code) => reject(new Error(why(code))));
  });
  const page = async (name: string) => await (await fetch(address + name)).text();
  const has = (pattern: RegExp) => until(async () => pattern.test(await page("/metrics")));
  return { child, said, page, has, disk: `/proc/${child.pid}/root${state}` };
}

/** To the last page, however often something is freed meanwhile. */
async function fill(file: string): Promise<void> {
  for (const bytes of [65_536, 4_096]) {
    for (let isFull = false; !isFull; ) {
      isFull = await appendFile(file, Buffer.alloc(bytes)).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          expect(error.code).toBe("ENOSPC");
          return true;
        },
      );
    }
  }
}

it(covers(
  "on a real disk that is full nothing is submitted, and what was is told once there is room",
  "35 probe",
), { timeout: LIMIT_MS }, async () => {
  const service = await openReference({ timeScale: 1 });
  const key = bigKey(service);
  const { child, said, page, has, disk } = await startProbe(service, key);
  await has(/runs_total\{canary="quick",outcome="success".* [1-9]/);
  await has(/jobs_in_flight\{canary="slow".* 1/);
  await fill(`${disk}/ballast`);
  await has(/plumbline_journal_writable\{.* 0/);
  const jobs = (await listedJobs(service)).toSorted();
  const skipped = /skipped_total\{canary="quick",reason="journal".* [2-9]/;
  await until(async () => {
    const isGrown = (await listedJobs(service)).toSorted().length > jobs.length;
    return isGrown || skipped.test(await page("/metrics"));
  });
  expect((await listedJobs(service)).toSorted()).toEqual(jobs);
  expect(await page("/readyz")).toBe("the journal can't be written\n");
  expect(said.error).toMatch(/"event":"journal-failed","what":"write","msg":"database or disk is/);
  await rm(`${disk}/ballast`);
  await has(/plumbline_journal_writable\{.* 1/);
  const settled = async () => {
    const view = JSON.parse(await page("/api/canaries")) as StatusView;
    const runs = view.canaries.flatMap((canary) => canary.runs);
    return new Map(runs.map(({ jobId, outcome }) => [jobId, outcome]));
  };
  await until(async () => {
    const known = await settled();
    return jobs.every((id) => known.has(id));
  });
  const outcomes = await settled();
  expect(jobs.map((id) => outcomes.get(id))).toEqual(jobs.map(() => "success"));
  expect(jobs.length).toBeGreaterThan(1);
  child.kill("SIGTERM");
  expect((await once(child, "exit"))[0]).toBe(0);
});
