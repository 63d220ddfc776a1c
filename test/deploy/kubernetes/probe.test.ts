/** The manifests of the probe: valid, allowed, and of one piece; what they start runs. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { ROOT } from "../../../runner/package-root.ts";
import { runCli } from "../../cli/run-cli.ts";
import { runHere } from "../../cli/run-here.ts";
import { TOOL_MS } from "../../go-tool.ts";
import { openReference } from "../../reference/open-reference.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { podSpec, violationsOf } from "./restricted.ts";
import { built, changed, criticismOf, problemsOf } from "./validate.ts";

const KUBERNETES = path.join(ROOT, "deploy/kubernetes");
const EXAMPLE = path.join(KUBERNETES, "example");

const labels = z.record(z.string(), z.string());
const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: labels.optional() }),
});
const deployment = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    strategy: z.unknown(),
    selector: z.object({ matchLabels: labels }),
    template: z.looseObject({
      metadata: z.looseObject({ labels }),
      spec: podSpec.extend({
        containers: z.array(
          podSpec.shape.containers.element.extend({
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
          }),
        ),
      }),
    }),
  }),
});
const monitor = z.looseObject({
  spec: z.looseObject({
    jobLabel: z.string(),
    selector: z.object({ matchLabels: labels }),
    podMetricsEndpoints: z.tuple([
      z.looseObject({
        port: z.string(),
        relabelings: z.array(z.looseObject({ targetLabel: z.string(), replacement: z.string() })),
      }),
    ]),
  }),
});

/** The example with all that it takes in, built once: no test changes it. */
function example() {
  made ??= read();
  return made;
}

let made: ReturnType<typeof read> | null = null;

async function read() {
  const text = await built(EXAMPLE);
  const all = parseAllDocuments(text).map((document) => manifest.parse(document.toJS()));
  const of = (kind: string) => all.filter((each) => each.kind === kind);
  const probe = deployment.parse(of("Deployment")[0]).spec;
  return { text, all, of, probe };
}

it("has manifests that Kubernetes and the operators know, to the last field", {
  timeout: TOOL_MS,
}, async () => {
  const { text, all } = await example();
  expect(await problemsOf(text)).toEqual([]);
  const other = changed(text, text.replace("replicas: 1", "replicas: 2"));
  expect(other).toContain("kind: Deployment");
  expect(await problemsOf(other)).toEqual([]);
  expect(all.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["Deployment", "NetworkPolicy", "PodMonitor", "PrometheusRule"]),
  );
});

it.each([
  ["a field that no deployment has", "replicas: 1", "replica: 1"],
  ["a text for a number", "replicas: 1", "replicas: one"],
  ["a field that no container has", "imagePullPolicy:", "pullPolicy:"],
  ["a probe of health that is none", "periodSeconds: 2", "everySeconds: 2"],
  ["a monitor without what it selects", "podMetricsEndpoints:", "endpoints:"],
  ["a rule without its expression", "expr: vector(1)", "expression: vector(1)"],
  ["a kind that nobody knows", "kind: PodMonitor", "kind: PodWatcher"],
])("would be refused with %s", { timeout: TOOL_MS }, async (_, was, is) => {
  const { text } = await example();
  expect(text).toContain(was);
  expect(await problemsOf(changed(text, text.replace(was, is)))).not.toEqual([]);
});

it.each([
  ["a root folder that can be written", "readOnlyRootFilesystem: true", ""],
  ["no limit of memory", "memory: 512Mi", ""],
  ["no network policy", "kind: NetworkPolicy", "kind: Other"],
])("is good practice, and would not be with %s", { timeout: TOOL_MS }, async (_, was, is) => {
  const { text } = await example();
  expect(await criticismOf(text)).toBe("");
  expect(text).toContain(was);
  expect(await criticismOf(text.replace(was, is))).not.toBe("");
});

describe("the pod", () => {
  it("is allowed where `restricted` is enforced, as the namespace does", {
    timeout: TOOL_MS,
  }, async () => {
    const { of, probe } = await example();
    expect(of("Namespace")[0]?.metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    expect(violationsOf(probe.template.spec)).toEqual([]);
  });

  it.each([
    ["a folder of the host", { volumes: [{ name: "state", hostPath: { path: "/state" } }] }],
    ["the host's network", { hostNetwork: true }],
    ["any user", { securityContext: {} }],
    ["root", { securityContext: { runAsNonRoot: true, runAsUser: 0 } }],
  ])("would not be with %s", { timeout: TOOL_MS }, async (_, change) => {
    const { probe } = await example();
    expect(violationsOf(podSpec.parse({ ...probe.template.spec, ...change }))).not.toEqual([]);
  });

  it.each(["allowPrivilegeEscalation", "capabilities"])(
    "would not be without %s",
    { timeout: TOOL_MS },
    async (name) => {
      const { probe } = await example();
      const [own] = probe.template.spec.containers;
      const changed = { ...own, securityContext: { ...own?.securityContext, [name]: undefined } };
      const pod = podSpec.parse({ ...probe.template.spec, containers: [changed] });
      expect(violationsOf(pod)).toHaveLength(1);
    },
  );

  it("is one, and ends before the next one begins", { timeout: TOOL_MS }, async () => {
    const { probe } = await example();
    expect([probe.replicas, probe.strategy]).toEqual([1, { type: "Recreate" }]);
  });
});

describe("monitoring", () => {
  it("finds the pod, by the job that the rules know", { timeout: TOOL_MS }, async () => {
    const { of, probe } = await example();
    const { spec } = monitor.parse(of("PodMonitor")[0]);
    const own = probe.template.metadata.labels;
    for (const { matchLabels } of [spec.selector, probe.selector]) {
      expect(own).toMatchObject(matchLabels);
      expect(matchLabels).not.toEqual({});
    }
    expect(own[spec.jobLabel]).toBe(DEFAULT_RULE_OPTIONS.job);
    const ports = probe.template.spec.containers[0]?.ports.map(({ name }) => name);
    expect(ports).toContain(spec.podMetricsEndpoints[0].port);
  });

  it("has the labels that the example sets: of the rules, of the service", {
    timeout: TOOL_MS,
  }, async () => {
    const { of, probe } = await example();
    for (const kind of ["PrometheusRule", "PodMonitor"])
      expect(of(kind).map(({ metadata }) => metadata.labels?.release)).toEqual(["prometheus"]);
    const { relabelings } = monitor.parse(of("PodMonitor")[0]).spec.podMetricsEndpoints[0];
    expect(relabelings[0]).toMatchObject({ targetLabel: "environment", replacement: "staging" });
    expect(probe.template.spec.containers[0]?.env[0]?.value).toBe("eu-1");
  });

  it("has a board a ConfigMap, each small enough to be applied", {
    timeout: TOOL_MS,
  }, async () => {
    const { of } = await example();
    const boards = of("ConfigMap").filter(({ metadata }) => metadata.labels?.grafana_dashboard);
    expect(boards).toHaveLength(6);
    // Source: Kubernetes, the size that annotations may have; kubectl keeps a copy in one.
    for (const board of boards) expect(JSON.stringify(board).length).toBeLessThan(256 * 1_024);
  });
});

/** The container's command as it is started here: paths of this machine, ports that are free. */
async function localArguments(baseUrl: string) {
  const { probe } = await example();
  const [container] = probe.template.spec.containers;
  const folder = await temporaryFolder();
  const target = parse(await readFile(path.join(EXAMPLE, "target.yaml"), "utf8")) as object;
  const local = { target: { baseUrl }, webhook: { listen: "127.0.0.1:0" } };
  await mkdir(path.join(folder, "state"));
  await writeFile(path.join(folder, "target.yaml"), JSON.stringify({ ...target, ...local }));
  const places = Object.entries({
    "/etc/plumbline/target.yaml": path.join(folder, "target.yaml"),
    "/state/": `${folder}/state/`,
    "0.0.0.0:9464": "127.0.0.1:0",
    "$(PLUMBLINE_LOCATION)": container?.env[0]?.value ?? "",
  });
  return (container?.args ?? []).map((word) =>
    places.reduce((text, [was, is]) => text.replace(was, is), word),
  );
}

it("starts a probe that is alive and ready, and tells its place", {
  timeout: TOOL_MS,
}, async () => {
  const service = await openReference({ timeScale: 0.05 });
  const args = await localArguments(service.baseUrl);
  const key = service.keys.find(({ plan }) => plan === "pro")?.value ?? "";
  const answers = new Map<string, { status: number; text: string }>();
  const ask = async (address: string, name: string) => {
    const response = await fetch(`${address}/${name}`);
    answers.set(name, { status: response.status, text: await response.text() });
  };
  let asked = false;
  const { exitCode } = await runCli(args, {
    environment: { PLUMBLINE_KEY_PRO: key },
    onStdout: async (text, child) => {
      const [, address] = /metrics +(\S+)\/metrics/.exec(text) ?? [];
      if (address === undefined || asked) return;
      asked = true;
      for (const name of ["healthz", "readyz", "metrics"]) await ask(address, name);
      child.kill("SIGTERM");
    },
  });
  expect(exitCode).toBe(0);
  const statuses = [...answers].map(([name, { status }]) => [name, status]);
  expect(Object.fromEntries(statuses)).toEqual({ healthz: 200, readyz: 200, metrics: 200 });
  expect(answers.get("metrics")?.text).toContain('location="eu-1"');
});

it("has an example whose target file is read without complaint", async () => {
  const args = ["plan", "--target", path.join(EXAMPLE, "target.yaml")];
  expect(await runHere(args)).toMatchObject({ exitCode: 0, stderr: "" });
});
