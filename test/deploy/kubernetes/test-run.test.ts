/** `plumbline k8s testrun`: its manifests are valid, and what they start comes to one report. */

import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { sinkManifests } from "../../../cli/kubernetes/sink.ts";
import type { ReferenceService } from "../../../reference/service.ts";
import { reportSchema } from "../../../report/model.ts";
import { runCli } from "../../cli/run-cli.ts";
import { runHere } from "../../cli/run-here.ts";
import { TOOL_MS } from "../../go-tool.ts";
import { start } from "../../reference/client.ts";
import { patientFor } from "../../reference/patient.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import type { LocalCluster, Manifests } from "./cluster.ts";
import { localCluster, runMerge, runTestRun, startSink } from "./cluster.ts";
import { podSpec, violationsOf } from "./restricted.ts";
import { changed, criticismOf, problemsOf } from "./validate.ts";

const SINK_SECRET = "a-secret-of-this-test-0123456789abcdef";

/** Ours: a job's limit of a minute is longer then than a machine stands still. */
const TIME_SCALE = 0.1;

interface Written extends Manifests {
  text: string;
}

function targetText(baseUrl: string, webhook: string): string {
  return [
    `target: { baseUrl: "${baseUrl}", timeScale: ${TIME_SCALE} }`,
    "keys: [ { name: pro, plan: pro, env: TEST_KEY_PRO } ]",
    "workers: { success: { id: echo, input: { text: hi }, marker: text } }",
    webhook,
    "load: { jobsPerSecond: 8, duration: 3s }",
    "budget: { jobs: 500 }",
  ].join("\n");
}

const WEBHOOK = 'webhook: { publicUrl: "https://hooks.example.com" }';

async function written(target: string, ...more: readonly string[]): Promise<Written> {
  const file = path.join(await temporaryFolder(), "plumbline.yaml");
  await writeFile(file, target);
  const args = ["--target", file, "--image", "registry.example.com/plumbline:0.1.0", "--seed", "7"];
  const run = await runHere(["k8s", "testrun", ...args, ...more], {
    environment: { TEST_KEY_PRO: "a-key-that-no-file-may-hold" },
  });
  expect(run.exitCode, run.stderr).toBe(0);
  const all = parseAllDocuments(run.stdout).map((each) => each.toJS() as { kind: string });
  return { text: run.stdout, of: (kind) => all.find((each) => each.kind === kind) };
}

let made: Promise<Written> | null = null;

/** Of a target somewhere; the same for all tests that only read it. */
async function example(): Promise<Written> {
  made ??= written(targetText("https://api.example.com", WEBHOOK));
  return await made;
}

describe("the manifests", { timeout: TOOL_MS }, () => {
  it("are known to Kubernetes and the operator, to the last field, and good practice", async () => {
    const { text } = await example();
    expect(await problemsOf(text)).toEqual([]);
    const other = changed(text, text.replace("parallelism: 2", "parallelism: 3"));
    expect(other).toContain("kind: TestRun");
    expect(await problemsOf(other)).toEqual([]);
    expect(await criticismOf(text)).toBe("");
  });

  it.each([
    ["a text for a number", "parallelism: 2", "parallelism: two"],
    ["no script", "localFile:", "file:"],
    ["a field that no runner has", "containerSecurityContext:", "containerSecurity:"],
    ["a reference that is none", "secretKeyRef:", "secretRef:"],
    ["a job without what it runs", "template:", "pod:"],
    ["a claim without its size", "storage: 2Gi", "storage: [2]"],
  ])("would be refused with %s", async (_, was, is) => {
    const { text } = await example();
    expect(text).toContain(was);
    expect(await problemsOf(changed(text, text.replace(was, is)))).not.toEqual([]);
  });

  it("have pods that are allowed where `restricted` is enforced", async () => {
    const { of } = await example();
    const templated = z.looseObject({
      spec: z.looseObject({ template: z.looseObject({ spec: podSpec }) }),
    });
    for (const kind of ["Deployment", "Job"])
      expect(violationsOf(templated.parse(of(kind)).spec.template.spec)).toEqual([]);
    expect(violationsOf(runnerPod(of("TestRun")))).toEqual([]);
  });

  it("hold no value of a key, neither in the open nor in the archive", async () => {
    const { text, of } = await example();
    const { binaryData } = z
      .looseObject({ binaryData: z.record(z.string(), z.string()) })
      .parse(of("ConfigMap"));
    const [packed = ""] = Object.values(binaryData);
    const archive = gunzipSync(Buffer.from(packed, "base64")).toString("latin1");
    expect(archive).toContain("TEST_KEY_PRO");
    expect(`${text}${archive}`).not.toContain("a-key-that-no-file-may-hold");
    // Source: Kubernetes, what a ConfigMap may hold; half of it is left for what the load will be.
    expect(packed.length).toBeLessThan(512 * 1_024);
  });

  it("give each pod the same number of shards, and as many pods as are asked for", async () => {
    const { of } = await written(
      targetText("https://api.example.com", WEBHOOK).replace("3s }", "3s, shards: 4 }"),
      ...["--parallelism", "3"],
    );
    expect(of("TestRun")).toMatchObject({ spec: { parallelism: 3 } });
    const { data } = z
      .looseObject({ data: z.record(z.string(), z.string()) })
      .parse(of("ConfigMap"));
    expect(JSON.parse(data["load.json"] ?? "")).toMatchObject({
      head: { plan: { load: { shards: 6 } } },
    });
  });

  it("give the sink each secret that signs webhooks, by its variable", () => {
    const names = ["SECRET_A", "SECRET_B"];
    const [deployment] = sinkManifests(
      { name: "load", image: "plumbline:1", secret: "keys" },
      {
        listen: { host: "127.0.0.1", port: 0 },
        publicUrl: null,
        signature: { header: "X-Sig", scheme: "hmac-sha256", secretEnvs: names },
      },
    );
    const text = JSON.stringify(deployment);
    for (const name of names) {
      expect(text).toContain(`"--signature-secret-env","${name}"`);
      expect(text).toContain(`"secretKeyRef":{"name":"keys","key":"${name}"}`);
    }
  });

  it("have no sink where no webhooks are asked for", async () => {
    const { of } = await written(targetText("https://api.example.com", ""));
    expect([of("Deployment"), of("Service")]).toEqual([undefined, undefined]);
  });
});

/** As the operator makes it of the run: init containers have the context of the container. */
function runnerPod(manifest: unknown) {
  const { runner } = z
    .looseObject({
      spec: z.looseObject({
        runner: z.looseObject({
          securityContext: z.unknown(),
          containerSecurityContext: z.unknown(),
          initContainers: z.array(z.looseObject({})),
          volumes: z.unknown(),
        }),
      }),
    })
    .parse(manifest).spec;
  const own = { securityContext: runner.containerSecurityContext };
  return podSpec.parse({
    ...runner,
    initContainers: runner.initContainers.map((each) => ({ ...each, ...own })),
    containers: [{ name: "k6", ...own }],
  });
}

describe("what can't be shared is refused", () => {
  it.each([
    ["no load", "load:", "canaries: [] #"],
    ["no budget", "budget: { jobs: 500 }", ""],
    ["a key without a plan", "plan: pro,", ""],
  ])("%s", async (_, was, is) => {
    const file = path.join(await temporaryFolder(), "plumbline.yaml");
    await writeFile(file, targetText("https://api.example.com", WEBHOOK).replace(was, is));
    const args = ["k8s", "testrun", "--target", file, "--image", "plumbline:1", "--only", "load"];
    const { exitCode, stderr } = await runHere(args);
    expect([exitCode, stderr]).toEqual([104, expect.stringContaining("; expected ")]);
  });
});

/** The load of the manifests on a service, in so many processes; what the job ends with. */
async function carried(service: ReferenceService, parallelism: number) {
  const key = service.keys.find(({ plan }) => plan === "pro")?.value ?? "";
  const secrets = { TEST_KEY_PRO: key, PLUMBLINE_SINK_SECRET: SINK_SECRET };
  const cluster = await localCluster(secrets);
  const webhook = `webhook: { publicUrl: "http://127.0.0.1:${cluster.webhookPort}" }`;
  const target = targetText(service.baseUrl, webhook);
  const manifests = await written(target, "--parallelism", String(parallelism));
  await startSink(manifests, cluster);
  await runTestRun(manifests, cluster);
  return { cluster, manifests };
}

async function merged(manifests: Manifests, cluster: LocalCluster) {
  const run = await runMerge(manifests, cluster);
  const folder = path.join(cluster.folder, "evidence/plumbline-load-7");
  const report = reportSchema.parse(
    JSON.parse(await readFile(path.join(folder, "report/report.json"), "utf8")),
  );
  const verdicts = new Map(report.promises.map(({ id, verdict }) => [id, verdict]));
  return { ...run, folder, report, verdicts };
}

/** Where a machine stands still, no delivery of these is retried for that. */
const PATIENT = patientFor(30_000);

const ASKED = ["load.no-losses", "load.webhooks", "load.accounting"] as const;

describe("what they start", { timeout: TOOL_MS }, () => {
  it("carries one load in two pods, and comes to one report of it", async () => {
    const { service } = await start({ timeScale: TIME_SCALE }, [PATIENT]);
    const { cluster, manifests } = await carried(service, 2);
    const whole = await merged(manifests, cluster);
    expect(whole.exitCode, whole.stdout).toBe(0);
    expect(ASKED.map((id) => whole.verdicts.get(id))).toEqual(["kept", "kept", "kept"]);
    expect(whole.report.notes).toContainEqual(expect.stringContaining("by 2 processes"));
    const [load] = whole.report.measurements.load ?? [];
    expect(load).toMatchObject({ offered: 24, accepted: 24 });
    const judgedAgain = await runCli(["judge", path.join(whole.folder, "report")]);
    expect([judgedAgain.exitCode, judgedAgain.stdout]).toEqual([
      0,
      expect.stringContaining("no verdict changed"),
    ]);

    const consoles = (await readdir(whole.folder)).filter((name) => name.endsWith(".log"));
    const [one = "", ...others] = consoles.map((name) => path.join(whole.folder, name));
    expect(others).toHaveLength(1);
    const doubted = ["inconclusive", "inconclusive", "inconclusive"];
    const again = async () => await mergedNow(whole.folder, cluster);

    await copyFile(one, `${one}.copy.log`);
    const twice = await again();
    expect([twice.exitCode, ASKED.map((id) => twice.verdicts.get(id))]).toEqual([111, doubted]);

    await rm(`${one}.copy.log`);
    await rm(one);
    const half = await again();
    expect([half.exitCode, ASKED.map((id) => half.verdicts.get(id))]).toEqual([111, doubted]);
  });

  it("finds the fault that a load shows, in two pods as in one", async () => {
    // One that strikes each of so few jobs.
    const faults = ["load.accounting/1-percent-more"];
    const { service } = await start({ timeScale: TIME_SCALE, faults }, [PATIENT]);
    const { cluster, manifests } = await carried(service, 2);
    const { exitCode, verdicts } = await merged(manifests, cluster);
    expect([exitCode, verdicts.get("load.accounting")]).toEqual([99, "broken"]);
  });
});

/** Without waiting for what will not come. */
async function mergedNow(folder: string, { secrets }: LocalCluster) {
  const report = path.join(await temporaryFolder(), "report");
  const run = await runCli(["merge", folder, "--report", report], { environment: secrets });
  const { promises } = reportSchema.parse(
    JSON.parse(await readFile(path.join(report, "report.json"), "utf8")),
  );
  return { ...run, verdicts: new Map(promises.map(({ id, verdict }) => [id, verdict])) };
}
