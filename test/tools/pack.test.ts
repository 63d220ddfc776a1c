/** The package works when it is installed elsewhere, where Node strips no types. */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTargetFile } from "../../cli/target-file/target-file.ts";
import { captureOutput } from "../../runner/capture-output.ts";
import { ROOT } from "../../runner/package-root.ts";
import { SCENARIOS } from "../../scenarios/catalogue.ts";
import { texts } from "../docs/documents.ts";
import { k6Here } from "../runner/k6-here.ts";

const NAME = (JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { name: string })
  .name;
const TIME_LIMIT_MS = 600_000;

async function succeed(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { path: K6_BIN } = await k6Here();
  const env = { ...process.env, K6_BIN, ...environment };
  const result = await captureOutput(command, args, { cwd, env, timeLimitMs: TIME_LIMIT_MS });
  expect(result, `${command} ${args.join(" ")}`).toMatchObject({ exitCode: 0 });
  return result.stdout;
}

interface Packed {
  filename: string;
  files: readonly { path: string }[];
}

/**
 * Installs the tarball as npm does, but with the dependencies of this checkout, offline: npm itself
 * puts the command in its place. Says what is in it.
 */
async function installTarball(folder: string): Promise<Packed> {
  const listing = await succeed("npm", ["pack", "--json", "--pack-destination", folder], ROOT);
  // The scripts that npm runs before speak as well.
  const [pack] = JSON.parse(listing.slice(listing.search(/^\[$/m))) as [Packed];
  const modules = path.join(folder, "node_modules");
  const home = path.join(modules, NAME);
  await mkdir(home, { recursive: true });
  await succeed("tar", ["-xzf", pack.filename, "--strip-components=1", "-C", home], folder);
  for (const name of await readdir(path.join(ROOT, "node_modules"))) {
    if (name.startsWith(".")) continue;
    await symlink(path.join(ROOT, "node_modules", name), path.join(modules, name));
  }
  await succeed("npm", ["rebuild", NAME, "--offline", "--ignore-scripts"], folder);
  return pack;
}

interface Announced {
  baseUrl: string;
  keys: readonly { name: string; value: string }[];
}

/** What the service says of itself once it listens. */
async function announced({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<Announced> {
  stderr.resume();
  let said = "";
  stdout.setEncoding("utf8");
  // Whoever ends the iteration would close the service's output.
  for await (const text of stdout.iterator({ destroyOnReturn: false })) {
    said += text;
    if (said.endsWith("\n}\n")) return JSON.parse(said) as Announced;
  }
  throw new Error("the reference service ended before it said where it listens");
}

/** Documents about the code itself, or on what takes it, whose readers have a checkout. */
const ABOUT_CODE =
  /^docs\/(?:architecture|robustness|doubt|alerts|deploy|measurements.*|decisions\/.*)\.md$/;

/** Files that documents in the tarball link, or name where they speak of what to install. */
function pointedAt(): { document: string; file: string }[] {
  return [...texts].flatMap(([document, text]) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s#]+)/g)].map(([, link = ""]) =>
      path.join(path.dirname(document), link),
    );
    const names = ABOUT_CODE.test(document)
      ? []
      : [...text.matchAll(/`((?:dashboards|deploy|schemas)\/[\w./-]*)`/g)].map(
          ([, name = ""]) => name,
        );
    return [...links, ...names].map((file) => ({ document, file }));
  });
}

function isPacked(packed: readonly string[], file: string): boolean {
  const folder = `${file.replace(/\/$/, "")}/`;
  return packed.includes(file) || packed.some((each) => each.startsWith(folder));
}

describe("the packed tarball", () => {
  let folder = "";
  let pack: Packed;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "plumbline-pack-"));
    pack = await installTarball(folder);
  }, 2 * TIME_LIMIT_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(
    "lists the promises and judges the embedded service",
    async () => {
      const command = path.join(folder, "node_modules/.bin/plumbline");
      expect(await succeed(command, ["--help"], folder)).toContain("Usage: plumbline ");
      expect(await succeed(command, ["promises"], folder)).toContain("auth.missing-key");
      const report = await succeed(
        command,
        ["gate", "--only", "auth.missing-key", "--report", "report", "--json"],
        folder,
      );
      expect(JSON.parse(report)).toMatchObject({ exitCode: 0, counts: { kept: 1, broken: 0 } });
      expect(await succeed(command, ["probe", "--once"], folder)).toMatch(/^main: success/m);
      expect(await succeed(command, ["explain", "rate.burst"], folder)).toContain("usual causes");
      expect(await succeed(command, ["completion", "fish"], folder)).toContain("plumbline");
      await succeed(command, ["dashboards", "export", "boards"], folder);
      expect(await readdir(path.join(folder, "boards/files"))).toContain("plumbline-jobs.json");
    },
    2 * TIME_LIMIT_MS,
  );

  it(
    "starts a reference service, and writes a target file for it",
    async () => {
      const command = path.join(folder, "node_modules/.bin/plumbline");
      const reference = spawn(command, ["reference", "--json", "--time-scale", "0.05"]);
      const ended = once(reference, "exit");
      try {
        const { baseUrl, keys } = await announced(reference);
        const [FREE = "", PRO = ""] = ["free-a", "pro-c"].map(
          (wanted) => keys.find(({ name }) => name === wanted)?.value,
        );
        const options = ["--time-scale", "0.05", "--key", "FREE:free:one", "--key", "PRO:pro:two"];
        await succeed(command, ["init", baseUrl, ...options], folder, { FREE, PRO });
        const target = await readFile(path.join(folder, "plumbline.yaml"), "utf8");
        expect(parseTargetFile(target, "plumbline.yaml", null).target.baseUrl).toBe(baseUrl);
      } finally {
        reference.kill("SIGINT");
        await ended;
      }
    },
    2 * TIME_LIMIT_MS,
  );

  it("runs its scenarios from bundles, of which it carries one for each", () => {
    const packed = pack.files.map(({ path: file }) => file);
    const files = [
      ...SCENARIOS.map(({ name }) => name),
      "machine",
      "capacity",
      "capacity-requests",
    ];
    expect(packed).toEqual(expect.arrayContaining(files.map((name) => `dist/k6/${name}.js`)));
    const modules = packed.filter((file) => file.startsWith("dist/k6/"));
    expect(modules.length).toBeLessThan(2 * files.length + 10);
  });

  it("carries no tests, and only what it names", () => {
    // The documents install it by this name, which is nobody's in the registry.
    expect(pack.filename).toMatch(/^plumbline-suite-\d+\.\d+\.\d+\.tgz$/);
    expect(readFileSync(path.join(ROOT, "docs/ci.md"), "utf8")).toContain(`./${pack.filename}`);
    const packed = pack.files.map(({ path: file }) => file);
    expect(packed.filter((file) => /\.test\.ts$/.test(file))).toEqual([]);
    const folders = new Set(pack.files.map(({ path: file }) => file.split("/")[0]));
    const named = [
      ...[
        "dist",
        "docs",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "contract",
        "dashboards",
        "deploy",
        "scenarios",
        "schemas",
      ],
      "tools",
    ];
    const always = ["package.json", "LICENSE", "README.md"];
    expect([...folders].filter((each) => ![...named, ...always].includes(each ?? ""))).toEqual([]);
    expect(pointedAt().filter(({ file }) => !isPacked(packed, file))).toEqual([]);
  });
});
