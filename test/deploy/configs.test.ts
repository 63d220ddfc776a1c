/** What the compose file mounts: configurations of Prometheus, Alertmanager and Grafana. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { captureOutput } from "../../runner/capture-output.ts";
import { ROOT } from "../../runner/package-root.ts";
import { runCli } from "../cli/run-cli.ts";
import { goTool, TOOL_MS } from "../go-tool.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const DEPLOY = path.join(ROOT, "deploy");
const PROVISIONING = path.join(ROOT, "dashboards/provisioning");
const EXAMPLE = path.join(ROOT, "dashboards/generated/alertmanager.example.yaml");

interface Service {
  command?: string[];
  ports?: string[];
  volumes?: unknown[];
  environment?: Record<string, string>;
}

const text = await readFile(path.join(DEPLOY, "compose.yaml"), "utf8");
const { configs, services } = parse(text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1"), {
  merge: true,
}) as {
  configs: Record<string, { content: string }>;
  services: Record<string, Service>;
};

/** Where services of the compose file are reached by the others: names with their ports. */
const REACHABLE = Object.entries(services).flatMap(([name, { ports = [] }]) =>
  ports.map((port) => `${name}:${port.split(":").at(-1)}`),
);

const run = (command: string, args: readonly string[]) =>
  captureOutput(command, args, { cwd: ROOT, env: process.env, timeLimitMs: 60_000 });

/** What the service `boards` of the compose file writes, by its own command. */
async function writtenBoards(): Promise<string> {
  const folder = await temporaryFolder();
  const { command = [] } = services.boards ?? {};
  const { exitCode } = await runCli(command.map((word) => (word === "/boards" ? folder : word)));
  expect(exitCode).toBe(0);
  return folder;
}

describe("Prometheus", () => {
  it("takes its configuration, with the rules that are written for it", {
    timeout: TOOL_MS,
  }, async () => {
    const boards = await writtenBoards();
    const config = await readFile(path.join(DEPLOY, "prometheus.yaml"), "utf8");
    const file = path.join(boards, "prometheus.yaml");
    await writeFile(path.join(boards, "targets.yaml"), configs.targets?.content ?? "");
    await writeFile(
      file,
      config.replace("/boards/", `${boards}/`).replace("/etc/prometheus/", `${boards}/`),
    );
    const promtool = await goTool("promtool");
    expect(await run(promtool, ["check", "config", file])).toMatchObject({ exitCode: 0 });
    expect(await readFile(path.join(boards, "plumbline-rules.yaml"), "utf8")).toContain(
      "http://127.0.0.1:3000/d/plumbline-overview",
    );
  });

  it("scrapes and alerts services of the compose file", async () => {
    const config = await readFile(path.join(DEPLOY, "prometheus.yaml"), "utf8");
    const scraped = `${config}${configs.targets?.content}`;
    const addresses = [...scraped.matchAll(/targets: \["([^"]+)"\]/g)].map(
      ([, address]) => address,
    );
    expect(addresses).toHaveLength(2);
    expect(scraped).toContain('environment: "demo"');
    expect(addresses.filter((address) => !REACHABLE.includes(address ?? ""))).toEqual([]);
  });
});

type Labels = Readonly<Record<string, string>>;

const INHIBITIONS = z.object({
  inhibit_rules: z.array(
    z.object({
      source_matchers: z.array(z.string()),
      target_matchers: z.array(z.string()),
      equal: z.array(z.string()),
    }),
  ),
});
type Inhibition = z.infer<typeof INHIBITIONS>["inhibit_rules"][number];

/** Alertmanager's own rules: expressions are of the whole label, one that is not there is empty. */
function matches(matcher: string, labels: Labels): boolean {
  const [, label = "", operator, value = ""] = /^(\w+) (=~|!~|=|!=) "(.*)"$/.exec(matcher) ?? [];
  if (operator === undefined) throw new Error(`unknown matcher: ${matcher}`);
  const is = labels[label] ?? "";
  const holds = operator.includes("~") ? new RegExp(`^(?:${value})$`).test(is) : is === value;
  return operator.startsWith("!") ? !holds : holds;
}

function inhibits(rule: Inhibition, source: Labels, target: Labels): boolean {
  return (
    rule.source_matchers.every((each) => matches(each, source)) &&
    rule.target_matchers.every((each) => matches(each, target)) &&
    rule.equal.every((label) => (source[label] ?? "") === (target[label] ?? ""))
  );
}

describe("Alertmanager", () => {
  const files = { deploy: path.join(DEPLOY, "alertmanager.yaml"), example: EXAMPLE };

  it.each(Object.entries(files))(
    "takes the configuration: %s",
    { timeout: TOOL_MS },
    async (_, file) => {
      const amtool = await goTool("amtool");
      expect(await run(amtool, ["check-config", file])).toMatchObject({ exitCode: 0 });
    },
  );

  it("routes a page, a ticket and the watchdog each to its own", { timeout: TOOL_MS }, async () => {
    const amtool = await goTool("amtool");
    const routed = async (...labels: string[]) => {
      const args = ["config", "routes", "test", `--config.file=${files.deploy}`, ...labels];
      return (await run(amtool, args)).stdout.trim();
    };
    expect(await routed("alertname=PlumblineProbeDown", "severity=page")).toBe("pager");
    expect(await routed("alertname=PlumblineJobsStuck", "severity=ticket")).toBe("tickets");
    expect(await routed("alertname=PlumblineWatchdog", "severity=none")).toBe("dead-man");
  });

  it("silences a place only where no probe of it lives", async () => {
    const { inhibit_rules } = INHIBITIONS.parse(parse(await readFile(EXAMPLE, "utf8")));
    const here = { job: "plumbline", environment: "production", location: "home" };
    const silenced = (source: Labels, target: Labels) =>
      inhibit_rules.some((rule) => inhibits(rule, { ...here, ...source }, { ...here, ...target }));
    const canary = { alertname: "PlumblineCanaryFailing", severity: "page" };
    const down = { alertname: "PlumblineProbeDown", instance: "one:9464", severity: "page" };
    const unwatched = { ...down, place: "unwatched" };
    expect(silenced(unwatched, canary)).toBe(true);
    expect(silenced({ ...unwatched, alertname: "PlumblineProbeAbsent" }, canary)).toBe(true);
    expect(silenced(down, canary)).toBe(false);
    expect(silenced({ ...unwatched, location: "away" }, canary)).toBe(false);
    expect(silenced(unwatched, { ...down, instance: "two:9464" })).toBe(false);
    expect(silenced(unwatched, { alertname: "PlumblineWatchdog" })).toBe(false);
  });

  it("has the routes and inhibitions of the generated example", async () => {
    const [deployed, example] = await Promise.all(
      Object.values(files).map(async (file) => {
        const { route, inhibit_rules, receivers } = parse(await readFile(file, "utf8")) as {
          route: unknown;
          inhibit_rules: unknown;
          receivers: { name: string }[];
        };
        return { route, inhibit_rules, names: receivers.map(({ name }) => name) };
      }),
    );
    expect(deployed).toEqual(example);
  });
});

const SOURCES = z.strictObject({
  apiVersion: z.literal(1),
  prune: z.boolean(),
  datasources: z.array(
    z.strictObject({
      name: z.string(),
      uid: z.string(),
      type: z.enum(["prometheus", "alertmanager"]),
      access: z.literal("proxy"),
      url: z.url(),
      isDefault: z.boolean().optional(),
      editable: z.literal(false),
      jsonData: z.record(z.string(), z.unknown()),
    }),
  ),
});

const PROVIDERS = z.strictObject({
  apiVersion: z.literal(1),
  providers: z.array(
    z.strictObject({
      name: z.string(),
      folder: z.string(),
      folderUid: z.string(),
      type: z.literal("file"),
      disableDeletion: z.boolean(),
      allowUiUpdates: z.literal(false),
      updateIntervalSeconds: z.number(),
      options: z.strictObject({ path: z.string(), foldersFromFilesStructure: z.boolean() }),
    }),
  ),
});

describe("Grafana", () => {
  const provisioned = async (file: string) =>
    parse(await readFile(path.join(PROVISIONING, file), "utf8")) as unknown;

  it("asks services of the compose file, by uids that stay", async () => {
    const { datasources } = SOURCES.parse(await provisioned("datasources/plumbline.yaml"));
    expect(datasources.map(({ uid }) => uid)).toEqual([
      "plumbline-prometheus",
      "plumbline-alertmanager",
    ]);
    const hosts = datasources.map(({ url }) => new URL(url).host);
    expect(hosts.filter((host) => !REACHABLE.includes(host))).toEqual([]);
    expect(datasources.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  it("says of its data source how often is scraped", async () => {
    const { datasources } = SOURCES.parse(await provisioned("datasources/plumbline.yaml"));
    const config = parse(await readFile(path.join(DEPLOY, "prometheus.yaml"), "utf8")) as {
      global: { scrape_interval: string };
    };
    expect(datasources[0]?.jsonData.timeInterval).toBe(config.global.scrape_interval);
  });

  it("finds all boards where they are mounted, the overview first", async () => {
    const { providers } = PROVIDERS.parse(await provisioned("dashboards/plumbline.yaml"));
    const { volumes = [], environment = {} } = services.grafana ?? {};
    const folder = providers[0]?.options.path ?? "";
    expect(volumes).toContain(`boards:${folder}:ro`);
    const home = environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? "";
    const board = path.join(await writtenBoards(), path.relative(folder, home));
    expect(JSON.parse(await readFile(board, "utf8"))).toMatchObject({ uid: "plumbline-overview" });
  });
});
