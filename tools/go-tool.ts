/** Finds a tool of the tests that is written in Go: the environment, PATH, the cache, Go. */

import path from "node:path";
import { inspectGo } from "../runner/build-k6.ts";
import { captureOutput } from "../runner/capture-output.ts";
import type { Environment } from "../runner/executables.ts";
import { executableName, goSumHash, isExecutable, onPath } from "../runner/executables.ts";
import { cacheDir, placeAtomically } from "../runner/k6-cache.ts";

interface GoTool {
  /** Of the binary, and of the folder with the Go module that pins it by checksum. */
  name: string;
  /** Of that folder, where it is another's. */
  module?: string;
  /** Where the binary that others build has another name. */
  binary?: string;
  package: string;
  /** The environment variable that names a binary. */
  variable: string;
  /** Go that it needs; its go.mod says the same. */
  goMinorMin: number;
  buildTags: readonly string[];
  /** Where else it comes from. */
  remedy: string;
  /** How long a cold build takes on two idle cores. */
  buildTime: string;
}

/** Each has a folder of its name with its Go module, or shares one. */
export const GO_TOOLS = {
  /** Checks what Prometheus will read. */
  promtool: {
    module: "prometheus",
    package: "github.com/prometheus/prometheus/cmd/promtool",
    variable: "PROMTOOL_BIN",
    goMinorMin: 26,
    // Service discovery is most of promtool's code, and nothing that we check with it.
    buildTags: ["remove_all_sd"],
    remedy: "Prometheus, which brings promtool",
    buildTime: "2 min",
  },
  /** Prometheus itself, which evaluates the alert rules in the live test. */
  prometheus: {
    package: "github.com/prometheus/prometheus/cmd/prometheus",
    variable: "PROMETHEUS_BIN",
    goMinorMin: 26,
    // Without the tag "builtinassets" it has no web pages, which nobody looks at here.
    buildTags: ["remove_all_sd"],
    remedy: "Prometheus",
    buildTime: "3 min",
  },
  /** Checks what Alertmanager will read. */
  amtool: {
    package: "github.com/prometheus/alertmanager/cmd/amtool",
    variable: "AMTOOL_BIN",
    goMinorMin: 26,
    buildTags: [],
    remedy: "Alertmanager, which brings amtool",
    buildTime: "1 min",
  },
  /** Puts the manifests of a folder together. */
  kustomize: {
    package: "sigs.k8s.io/kustomize/kustomize/v5",
    variable: "KUSTOMIZE_BIN",
    goMinorMin: 26,
    buildTags: [],
    remedy: "kustomize",
    buildTime: "1 min",
  },
  /** Holds manifests against the schemas of what they are. */
  kubeconform: {
    package: "github.com/yannh/kubeconform/cmd/kubeconform",
    variable: "KUBECONFORM_BIN",
    goMinorMin: 26,
    buildTags: [],
    remedy: "kubeconform",
    buildTime: "10 s",
  },
  /** Holds manifests against what is good practice. */
  "kube-score": {
    package: "github.com/zegl/kube-score/cmd/kube-score",
    variable: "KUBE_SCORE_BIN",
    goMinorMin: 24,
    buildTags: [],
    remedy: "kube-score",
    buildTime: "1 min",
  },
  /** Breaks, slows and slices connections. */
  toxiproxy: {
    package: "github.com/Shopify/toxiproxy/v2/cmd/server",
    binary: "toxiproxy-server",
    variable: "TOXIPROXY_BIN",
    goMinorMin: 26,
    buildTags: [],
    remedy: "Toxiproxy, which brings toxiproxy-server",
    buildTime: "30 s",
  },
} satisfies Record<string, Omit<GoTool, "name">>;

type GoToolName = keyof typeof GO_TOOLS;

export function isGoTool(name: string): name is GoToolName {
  return Object.hasOwn(GO_TOOLS, name);
}

/** Ours: many times a cold build on idle cores, as a busy machine takes it. */
const BUILD_TIME_LIMIT_MS = 30 * 60_000;
/** Ours: the end of Go's output names the cause. */
const OUTPUT_CHARS_MAX = 1_500;

/** Path of the tool. Throws with what to install. */
export async function findGoTool(
  name: GoToolName,
  env: Environment,
  onProgress: (text: string) => void,
): Promise<string> {
  const tool: GoTool = { name, ...GO_TOOLS[name] };
  const given = env[tool.variable];
  if (given) return given;
  const cached = await cachedPath(tool, env);
  for (const candidate of [...onPath(binaryOf(tool), env), cached])
    if (await isExecutable(candidate)) return candidate;
  const go = await inspectGo(env);
  if (!go.usable || Number(go.version.split(".")[1]) < tool.goMinorMin) {
    const found = go.usable ? `Go ${go.version} is too old` : go.reason;
    const remedy = `install ${tool.remedy}, or Go 1.${tool.goMinorMin} or newer`;
    throw new Error(`no ${tool.name} found, and ${found}; ${remedy}, or set ${tool.variable}`);
  }
  onProgress(`building ${tool.name} with Go (about ${tool.buildTime}, once) ...`);
  await placeAtomically(cached, (temporaryPath) => build(tool, env, temporaryPath));
  return cached;
}

async function build(tool: GoTool, env: Environment, temporaryPath: string): Promise<void> {
  const tags = tool.buildTags.join(",");
  const args = ["build", "-tags", tags, "-o", temporaryPath, tool.package];
  const { exitCode, stderr } = await captureOutput("go", args, {
    cwd: moduleDir(tool),
    env: { ...env, GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" },
    timeLimitMs: BUILD_TIME_LIMIT_MS,
  });
  if (exitCode === 0) return;
  const said = stderr.trim().slice(-OUTPUT_CHARS_MAX);
  throw new Error(
    `building ${tool.name} with Go failed; put ${tool.name} on PATH. Go said: ${said}`,
  );
}

async function cachedPath(tool: GoTool, env: Environment): Promise<string> {
  const hash = await goSumHash(moduleDir(tool));
  return path.join(cacheDir(env), tool.name, hash, executableName(binaryOf(tool)));
}

function moduleDir({ name, module = name }: GoTool): string {
  return path.join(import.meta.dirname, module);
}

function binaryOf({ name, binary = name }: GoTool): string {
  return binary;
}
