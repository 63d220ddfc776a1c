/** The compose file, as far as it can be tried without a container engine. */

import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { DCLinter } from "dclint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createKeys } from "../../reference/accounts/keys.ts";
import { fillOptions } from "../../reference/options.ts";
import { ROOT } from "../../runner/package-root.ts";
import { runCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const DEPLOY = path.join(ROOT, "deploy");
const COMPOSE = path.join(DEPLOY, "compose.yaml");

interface Service {
  image: string;
  command?: string[];
  ports?: string[];
  volumes?: (string | { type: string; source: string; bind: object })[];
  restart?: string;
  healthcheck?: { test: string[] };
  environment?: Record<string, string>;
}

/** Variables at their defaults. */
const withDefaults = (text: string) => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1");
const text = await readFile(COMPOSE, "utf8");
const compose = parse(withDefaults(text), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);

interface Complaint {
  type: "error" | "warning";
  message: string;
}

/** Errors of the schema of the Compose Specification, and of rules; how it is laid out is ours. */
function errorsOf(file: string): string[] {
  const layout = [
    "services-alphabetical-order",
    "service-keys-order",
    "top-level-properties-order",
  ];
  const rules = Object.fromEntries(layout.map((rule) => [rule, 0 as const]));
  const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
  const found = linter.lintFiles([file], false) as { messages: Complaint[] }[];
  return found
    .flatMap(({ messages }) => messages)
    .filter(({ type }) => type === "error")
    .map(({ message }) => message);
}

describe("the compose file", () => {
  it("follows the Compose Specification", () => {
    expect(errorsOf(COMPOSE)).toEqual([]);
  });

  it.each([
    ["a test of health that is no list of texts", "retries: 6", "retries: [6]"],
    ["an image without a version", "prom/prometheus:v3.15.0", "prom/prometheus:latest"],
    ["a port that two services publish", "127.0.0.1:9093:9093", "127.0.0.1:9090:9093"],
  ])("with %s would not", async (_, was, is) => {
    expect(text).toContain(was);
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, "compose.yaml"), text.replace(was, is));
    expect(errorsOf(path.join(folder, "compose.yaml"))).not.toEqual([]);
  });

  it("publishes ports on this machine alone, and only those of each service's own", () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.filter((port) => !/^127\.0\.0\.1:(\d+):\1$/.test(port))).toEqual([]);
    for (const [name, { ports = [], healthcheck }] of services) {
      const checked = healthcheck?.test.join(" ") ?? "";
      for (const port of ports)
        expect([name, checked]).toContainEqual(
          expect.stringContaining(`127.0.0.1:${port.split(":").at(-1)}/`),
        );
    }
  });

  it("looks after the health of all that stays, and pins every image", () => {
    for (const [name, { image, restart, healthcheck }] of services) {
      if (restart !== "no") expect([name, healthcheck?.test.length]).not.toEqual([name, undefined]);
      expect(image).toMatch(/:(local|v?\d+\.\d+\.\d+)$/);
    }
  });

  it("mounts what is there, and declares its volumes", async () => {
    const sources = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) =>
        typeof volume === "string" ? (volume.split(":")[0] ?? "") : volume.source,
      ),
    );
    const files = sources.filter((source) => source.startsWith("."));
    for (const file of files) expect(await stat(path.join(DEPLOY, file))).toBeTruthy();
    const named = new Set(sources.filter((source) => !source.startsWith(".")));
    expect([...named].sort()).toEqual(Object.keys(compose.volumes).sort());
  });

  it("takes a path that the caller names for a file, never for a volume of that name", () => {
    const all = parse(text, { merge: true }) as { services: Record<string, Service> };
    const volumes = Object.values(all.services).flatMap((service) => service.volumes ?? []);
    const named = volumes.filter((each) => JSON.stringify(each).includes("${"));
    expect(named).toHaveLength(2);
    for (const each of named)
      expect(each).toMatchObject({ type: "bind", bind: { create_host_path: false } });
  });

  it("has no passwords: Grafana has no accounts, and lets nobody change anything", () => {
    const { environment = {} } = compose.services.grafana ?? {};
    expect(environment).toMatchObject({
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
      GF_AUTH_DISABLE_LOGIN_FORM: "true",
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true",
    });
    expect(text).not.toMatch(/password:|PASSWORD/);
  });

  it("gives our commands options that they have", async () => {
    const ours = services.filter(([, { image }]) => image === "plumbline:local");
    const helps = await Promise.all(
      ours.map(async ([, { command = [] }]) => {
        const { stdout } = await runCli([command[0] ?? "", "--help"]);
        const options = command.filter((word) => word.startsWith("--"));
        return options.filter((option) => !stdout.includes(option));
      }),
    );
    expect(helps.flat()).toEqual([]);
  });
});

describe("the demo", () => {
  const values = async () => {
    const lines = (await readFile(path.join(DEPLOY, "demo.env"), "utf8")).split("\n");
    return Object.fromEntries(
      lines.filter((line) => line.includes("=")).map((line) => line.split("=")),
    );
  };

  it("has the keys and the secret of the reference service's seed", async () => {
    expect(await values()).toEqual({
      PLUMBLINE_KEY_PRO: createKeys(1).find(({ name }) => name === "pro-a")?.value,
      PLUMBLINE_WEBHOOK_SECRET: fillOptions({ seed: 1 }).signingSecret,
    });
  });

  it("has a target file that is read without complaint, at the service's address", async () => {
    const target = path.join(DEPLOY, "demo-target.yaml");
    const run = await runCli(["plan", "--target", target], { environment: await values() });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    const { command = [] } = compose.services.reference ?? {};
    const port = command[command.indexOf("--port") + 1];
    expect(await readFile(target, "utf8")).toContain(`http://reference:${port}`);
  });
});
