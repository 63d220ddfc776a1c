/** Nothing that the product says or runs fetches a stranger's package beside the user's keys. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../runner/package-root.ts";
import { registryFetches } from "./registry-fetch.ts";

const text = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

/** Tests aside, which hold bad examples. The lock file is read as what it is, below. */
const PRODUCT = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && !/^(?:test\/|package-lock\.json$)/.test(file))
  .filter((file) => existsSync(path.join(ROOT, file)));

describe("the product", () => {
  it("is looked at whole: documents, templates, action, workflows and code", () => {
    const some = ["README.md", "action.yml", "deploy/Dockerfile", "docs/ci.md", "cli/program.ts"];
    const hidden = [".github/workflows/gate.yml", "deploy/gitlab/templates/gate.yml"];
    expect(PRODUCT).toEqual(expect.arrayContaining([...some, ...hidden, "report/github.ts"]));
  });

  it("fetches no package of its name from the registry", () => {
    const found = PRODUCT.flatMap((file) =>
      registryFetches(text(file), { isYaml: /\.ya?ml$/.test(file) }).map(
        (command) => `${file}: ${command}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it("has a name of its own, and the command that it always had", () => {
    const own = JSON.parse(text("package.json")) as { name: string; bin: object };
    const lock = JSON.parse(text("package-lock.json")) as {
      name: string;
      packages: Record<string, { name?: string }>;
    };
    expect(own).toMatchObject({ name: "plumbline-suite", bin: { plumbline: expect.any(String) } });
    expect([lock.name, lock.packages[""]?.name]).toEqual([own.name, own.name]);
    expect(Object.keys(lock.packages).filter((name) => /\/plumbline/.test(name))).toEqual([]);
  });
});

describe("a command or dependency that fetches the name from the registry is refused", () => {
  it.each([
    "npx plumbline gate --target plumbline.yaml",
    "npx -y plumbline@latest gate",
    "npx --yes plumbline@1.2.3 probe",
    "npx -- plumbline gate",
    "npx plumbline-suite gate",
    "npx --package=plumbline plumbline gate",
    "npx --package plumbline@10 -- plumbline gate",
    "npx -p plumbline plumbline gate",
    "npx --no-install --package=plumbline plumbline gate",
    "npx --package=plumbline-suite plumbline gate",
    "npm exec plumbline -- gate",
    "npm exec --yes -- plumbline gate",
    "npm x plumbline",
    "npm install plumbline",
    "npm install --save-dev plumbline",
    "npm i -g plumbline",
    "npm -g i plumbline@1",
    "npm --prefix tools install plumbline",
    "npm install --save-dev vitest plumbline@^1",
    "npm install tool@npm:plumbline@10",
    "npm install plumbline-suite@0.1.0",
    "pnpm add plumbline",
    "pnpm dlx plumbline gate",
    "yarn global add plumbline",
    "bunx plumbline",
    "    - npm ci && npx plumbline gate",
    "sh -c 'npx plumbline gate'",
    "  code=$(npx plumbline gate)",
    "Call `npx\nplumbline gate` in the job.",
    "npm install \\\n  plumbline",
    'spawn("npx", ["plumbline", "gate"])',
    "throw new Error('not installed; run npm install plumbline.')",
    '"devDependencies": { "plumbline": "^10.0.0" }',
    '"plumbline": "latest"',
    '"plumbline-suite": "*"',
    '"tool": "npm:plumbline@10.0.9"',
    "npx -c 'plumbline gate'",
    "npx --call 'plumbline gate'",
    "npm exec -c 'plumbline gate'",
    "npm exec --call='plumbline gate'",
    "npx --package='plumbline' plumbline gate",
    "npx --loglevel silent plumbline gate",
    "npx -y --no-install=false plumbline",
    "npx.cmd plumbline gate",
    "C:\\node\\npx.cmd plumbline gate",
    "npm --loglevel error install plumbline",
    "npm ins plumbline",
    "npm inst plumbline",
    "npm insta plumbline",
    "npm upgrade plumbline",
    "npm ln plumbline",
    "npm pack plumbline",
    "npm init plumbline",
    "npm i --tag next plumbline",
    "npm i plumbline/",
    "npm i plumbline github:team/tool",
    "npm i https://registry.example.com/plumbline/-/plumbline-10.0.9.tgz",
    "<script src='https://unpkg.com/plumbline/dist/x.js'>",
    "https://cdn.jsdelivr.net/npm/plumbline@10",
    "https://esm.sh/plumbline",
    "deno run npm:plumbline",
    "import gate from 'npm:plumbline'",
    "corepack pnpm dlx plumbline",
    "yarn plumbline gate",
    "volta install plumbline",
    "```yaml\nscript:\n  - npx\n    plumbline gate\n```",
    "With `plumbline` among the `devDependencies` of the repository, copy it",
    "`plumbline` is taken from the devDependencies of the repository.",
  ])("%s", (line) => {
    expect(registryFetches(line)).not.toEqual([]);
  });
});

describe("in YAML", () => {
  it.each([
    "run: >-\n  npx\n  plumbline gate",
    "run: |\n  npm ci\n  npx plumbline gate",
    "script:\n  - npx\n    plumbline gate",
    'script: ["npx",\n  plumbline gate]\nafter: "npx\n  plumbline gate"',
    "dependencies:\n  plumbline: ^10.0.0",
    "dependencies: { 'plumbline': 10 }",
    "one: 1\n---\nrun: >\n  npm install\n  plumbline",
  ])("%j is refused", (yaml) => {
    expect(registryFetches(yaml, { isYaml: true })).not.toEqual([]);
  });

  it.each([
    "run: >-\n  npm ci\n\n  plumbline gate",
    "script:\n  - npm ci\n  - node_modules/.bin/plumbline gate",
    "services:\n  plumbline:\n    image: plumbline",
    "plumbline:",
  ])("%j is let pass", (yaml) => {
    expect(registryFetches(yaml, { isYaml: true })).toEqual([]);
  });
});

describe("what fetches no such name is let pass", () => {
  it.each([
    "npm ci",
    "npm ci --omit=dev --prefix plumbline",
    "npm install --prefix plumbline vitest",
    "npm run plumbline -- gate --target plumbline.yaml",
    "npm install --save-dev ./plumbline-suite-0.1.0.tgz",
    "npm i -g https://example.com/plumbline-suite-0.1.0.tgz",
    "npm install git+https://git.example.com/team/plumbline.git#v1",
    "npm install plumbline-suite@file:../plumbline",
    "npx --no-install plumbline gate",
    "npx --package=./plumbline-suite-0.1.0.tgz plumbline gate",
    "npm exec --package=./plumbline-suite-0.1.0.tgz -- plumbline gate",
    "npx vitest run plumbline",
    "node_modules/.bin/plumbline gate",
    "Run `npm install`, and plumbline is there.",
    "npm ci; plumbline gate",
    "npm --prefix plumbline ci",
    "npm --prefix . run plumbline -- gate",
    "npm i team/plumbline",
    "newName: registry.example.com/plumbline",
    "npx --package='./plumbline-suite-0.1.0.tgz' plumbline gate",
    "https://git.example.com/team/plumbline/-/raw/main/README.md",
    '"bin": { "plumbline": "dist/cli/main.js" }',
    '"plumbline": "node tools/run.mjs plumbline"',
    '"plumbline-suite": "file:plumbline-suite-0.1.0.tgz"',
    '"name": "plumbline-suite"',
    "the package `plumbline` there is somebody else's",
  ])("%s", (line) => {
    expect(registryFetches(line)).toEqual([]);
  });
});
