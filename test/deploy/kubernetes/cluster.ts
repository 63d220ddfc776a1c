/**
 * What a cluster would do with the manifests of a load, on this machine: it starts the commands of
 * their containers as processes, with the same arguments and variables. Folders that are mounted
 * are folders here, names of services are addresses of this machine.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { CliRun } from "../../cli/run-cli.ts";
import { runCli } from "../../cli/run-cli.ts";
import { freePort } from "../../http/free-port.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";

const run = promisify(execFile);

const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({
      secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional(),
      fieldRef: z.object({ fieldPath: z.literal("metadata.name") }).optional(),
    })
    .optional(),
});
type Variable = z.infer<typeof variable>;

const container = z.looseObject({ args: z.array(z.string()), env: z.array(variable) });
const workload = z.looseObject({
  spec: z.object({
    template: z.looseObject({ spec: z.looseObject({ containers: z.tuple([container]) }) }),
  }),
});
const archiveMap = z.looseObject({
  data: z.record(z.string(), z.string()),
  binaryData: z.record(z.string(), z.string()),
});
const testRun = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    parallelism: z.number(),
    arguments: z.string(),
    script: z.object({ localFile: z.string() }),
    runner: z.looseObject({
      env: z.array(variable),
      initContainers: z.tuple([
        z.looseObject({ command: z.array(z.string()), env: z.array(variable) }),
      ]),
    }),
  }),
});

export interface Manifests {
  of(kind: string): unknown;
}

export interface LocalCluster {
  folder: string;
  /** Where deliveries arrive, for `webhook.publicUrl`. */
  webhookPort: number;
  queryPort: number;
  secrets: Readonly<Record<string, string>>;
}

export async function localCluster(
  secrets: Readonly<Record<string, string>>,
): Promise<LocalCluster> {
  const [webhookPort = 0, queryPort = 0] = await Promise.all([freePort(), freePort()]);
  return { folder: await temporaryFolder(), webhookPort, queryPort, secrets };
}

function valuesOf(env: readonly Variable[], pod: string, { secrets }: LocalCluster) {
  const entries = env.map(({ name, value, valueFrom }) => {
    const { secretKeyRef, fieldRef } = valueFrom ?? {};
    if (fieldRef !== undefined) return [name, pod];
    return [name, secretKeyRef === undefined ? value : secrets[secretKeyRef.key]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Mounted folders; `/tmp` is each pod's own. */
function places(text: string, pod: string, { folder }: LocalCluster): string {
  return text
    .replaceAll("/evidence/", `${folder}/evidence/`)
    .replaceAll("/archive/", `${folder}/archive/`)
    .replaceAll("/tmp/load", `${folder}/${pod}/load`);
}

/** Until the test is over; resolves once it listens. */
export async function startSink(manifests: Manifests, cluster: LocalCluster): Promise<void> {
  const { template } = workload.parse(manifests.of("Deployment")).spec;
  const [{ args, env }] = template.spec.containers;
  const addresses = args.map((word) =>
    word
      .replace("0.0.0.0:8090", `127.0.0.1:${cluster.webhookPort}`)
      .replace("0.0.0.0:8091", `127.0.0.1:${cluster.queryPort}`),
  );
  const { promise, resolve } = Promise.withResolvers<() => void>();
  const ended = runCli(addresses, {
    environment: valuesOf(env, "sink", cluster),
    onStdout: (_, child) => resolve(() => child.kill("SIGTERM")),
  });
  const stop = await Promise.race([promise, ended.then(failed)]);
  onTestFinished(async () => {
    stop();
    await ended;
  });
}

function failed({ stderr }: CliRun): never {
  throw new Error(stderr);
}

/** All pods of the run, to their ends; they are begun paused, and started together. */
export async function runTestRun(manifests: Manifests, cluster: LocalCluster): Promise<void> {
  const { data, binaryData } = archiveMap.parse(manifests.of("ConfigMap"));
  await mkdir(path.join(cluster.folder, "archive"));
  await mkdir(path.join(cluster.folder, "evidence"));
  const put = (name: string, content: string | Buffer) =>
    writeFile(path.join(cluster.folder, "archive", name), content);
  for (const [name, text] of Object.entries(data)) await put(name, text);
  for (const [name, text] of Object.entries(binaryData)) {
    await put(name, Buffer.from(text, "base64"));
  }
  const { metadata, spec } = testRun.parse(manifests.of("TestRun"));
  const indexes = Array.from({ length: spec.parallelism }, (_, at) => at + 1);
  const pods = await Promise.all(
    indexes.map((index) => startPod({ name: metadata.name, index, spec }, cluster)),
  );
  for (const { address, ended } of pods) await resume(address, ended);
  await Promise.all(pods.map(({ ended }) => ended));
}

interface Runner {
  name: string;
  index: number;
  spec: z.infer<typeof testRun>["spec"];
}

async function startPod(runner: Runner, cluster: LocalCluster) {
  const { name, index, spec } = runner;
  const pod = `${name}-${index}-x7k2p`;
  const address = `127.0.0.1:${await freePort()}`;
  await mkdir(path.join(cluster.folder, pod));
  const [unpack] = spec.runner.initContainers;
  const [program = "", ...words] = unpack.command.map((word) => places(word, pod, cluster));
  const own = { PATH: process.env.PATH ?? "" };
  await run(program, words, { env: { ...own, ...valuesOf(unpack.env, pod, cluster) } });
  const values = valuesOf(spec.runner.env, pod, cluster);
  const [command = "", ...args] = runnerCommand(runner, address).map((word) =>
    places(expanded(word, values), pod, cluster),
  );
  const k6Folder = path.dirname(process.env.K6_BIN ?? "");
  const child = spawn(command, args, {
    env: {
      ...values,
      PATH: `${k6Folder}:${own.PATH}`,
      HOME: path.join(cluster.folder, pod),
      K6_CONFIG: await dnsFile(name, cluster),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`${pod} ended with ${code}: ${said}`);
  });
  return { address, ended };
}

/** As a cluster fills in `$(NAME)`. */
function expanded(word: string, values: Readonly<Record<string, string>>): string {
  return word.replaceAll(/\$\((\w+)\)/g, (text, name: string) => values[name] ?? text);
}

/** The names of services; k6 asks no other names here. */
async function dnsFile(name: string, { folder, queryPort }: LocalCluster): Promise<string> {
  const file = path.join(folder, "k6.json");
  await writeFile(
    file,
    JSON.stringify({ hosts: { [`${name}-sink:8091`]: `127.0.0.1:${queryPort}` } }),
  );
  return file;
}

const CHECK = `if [ ! -f "$1" ]; then
  exit 1
fi
shift
exec "$@"`;

/** Source: grafana/k6-operator v1.6.0, pkg/resources/jobs/runner.go and pkg/types/script.go. */
function runnerCommand({ name, index, spec }: Runner, address: string): readonly string[] {
  const { parallelism: count, script } = spec;
  const bound = (at: number) => (at === 0 ? "0" : at === count ? "1" : `${at}/${count}`);
  const bounds = Array.from({ length: count + 1 }, (_, at) => bound(at));
  const segments = [
    `--execution-segment=${bound(index - 1)}:${bound(index)}`,
    `--execution-segment-sequence=${bounds.join(",")}`,
  ];
  const command = [
    ...["k6", "run", "--quiet", ...(count === 1 ? [] : segments)],
    ...spec.arguments.split(/\s+/),
    ...[script.localFile, `--address=${address}`, "--paused"],
    ...["--tag", `instance_id=${index}`, "--tag", `testrun_name=${name}`],
  ];
  return ["sh", "-c", CHECK, "sh", script.localFile, "sh", "-c", command.join(" ")];
}

/** As the operator's starter does it, once the pod answers; one that ends before never will. */
async function resume(address: string, ended: Promise<void>): Promise<void> {
  const url = `http://${address}/v1/status`;
  const isThere = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  while (!(isOver || (await isThere()))) await new Promise((resolve) => setTimeout(resolve, 50));
  if (isOver) return await over;
  const attributes = { paused: false, stopped: false };
  const response = await fetch(url, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data: { type: "status", id: "default", attributes } }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}

/** The job that judges, by its own arguments. */
export async function runMerge(manifests: Manifests, cluster: LocalCluster): Promise<CliRun> {
  const { template } = workload.parse(manifests.of("Job")).spec;
  const [{ args, env }] = template.spec.containers;
  return await runCli(
    args.map((word) => places(word, "merge", cluster)),
    { environment: valuesOf(env, "merge", cluster) },
  );
}
