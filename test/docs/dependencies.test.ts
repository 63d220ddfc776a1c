/** Each package that is installed with Plumbline is justified, and no other one is. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../runner/package-root.ts";
import { texts } from "./documents.ts";

it("docs/dependencies.md has a row for each run-time dependency", () => {
  const text = readFileSync(path.join(ROOT, "package.json"), "utf8");
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  const rows = (texts.get("docs/dependencies.md") ?? "").matchAll(/^\| (`[^|]+`) \|/gm);
  const named = [...rows].flatMap(([, names = ""]) => names.match(/[^`, ]+/g) ?? []);
  expect(named).toEqual(Object.keys(dependencies));
});

it("docs/decisions/README.md lists every decision by its title", () => {
  const list = texts.get("docs/decisions/README.md") ?? "";
  const titles = [...texts].flatMap(([name, text]) => {
    const file = /^docs\/decisions\/(?!README)(.+)$/.exec(name)?.[1];
    return file === undefined ? [] : [`- [${text.split("\n")[0]?.slice(2)}](${file})`];
  });
  expect(titles.length).toBeGreaterThan(0);
  expect(titles.filter((title) => !list.includes(title))).toEqual([]);
});
