/** What the documents show is true: target files load, options exist, links lead somewhere. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseTargetFile } from "../../cli/target-file/target-file.ts";
import { ROOT } from "../../runner/package-root.ts";
import { runCli } from "../cli/run-cli.ts";
import { blocks, calls, DOCUMENTS, texts } from "./documents.ts";

/** As editors read it, whatever time that takes. */
const fitsSchema = addFormats
  .default(new Ajv({ strict: false, allErrors: true }))
  .compile(
    JSON.parse(readFileSync(path.join(ROOT, "schemas/target.schema.json"), "utf8")) as object,
  );

describe("documents", () => {
  const targets = blocks("yaml").filter(({ text }) => text.startsWith("target:"));

  it("show several target files", () => {
    expect(targets.length).toBeGreaterThan(3);
  });

  it.each(targets)("show a target file that loads: $document", ({ text, document }) => {
    expect(parseTargetFile(text, document, null).target.baseUrl).toMatch(/^https?:/);
    expect(fitsSchema(parse(text)), JSON.stringify(fitsSchema.errors)).toBe(true);
  });

  it.each([
    ["slo: [{ name: canary-success, objective: 100 }]"],
    ["probe: { requestsPerJob: 1 }"],
    ["load: { jobsPerSecond: 0, duration: 5 }"],
    ["budget: { job: 1 }"],
  ])("have a schema for editors, which refuses %s", (section) => {
    const { text = "" } = targets[0] ?? {};
    expect(fitsSchema({ ...parse(text), ...parse(section) })).toBe(false);
  });

  describe("call the command", () => {
    const help = new Map<string, Promise<string>>();
    const helpOf = (command: string) => {
      const known =
        help.get(command) ?? runCli([...command.split(" "), "--help"]).then((run) => run.stdout);
      help.set(command, known);
      return known;
    };
    let commands = "";
    beforeAll(async () => {
      commands = (await runCli(["--help"])).stdout;
    });

    it.each(calls())("as it is: $text ($document)", async ({ text }) => {
      const [command = "", ...rest] = text.split(/\s+/);
      expect(commands).toMatch(new RegExp(`^  ${command}\\b`, "m"));
      const options = rest.filter((word) => word.startsWith("--"));
      const own = await helpOf(command);
      const [sub = ""] = rest;
      const isGroup = /^[a-z]+$/.test(sub) && new RegExp(`^  ${sub}\\b`, "m").test(own);
      const shown = isGroup ? await helpOf(`${command} ${sub}`) : own;
      for (const option of options) expect(shown).toMatch(new RegExp(`^  ${option}\\b`, "m"));
    });
  });

  it.each(DOCUMENTS)("link to what is there: %s", (document) => {
    const links = [...(texts.get(document) ?? "").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
      ([, link = ""]) => (/^https?:/.test(link) ? [] : [link]),
    );
    const dead = links.filter((link) => !isThere(document, link));
    expect(dead).toEqual([]);
  });

  it.each(DOCUMENTS)("name files that are there: %s", (document) => {
    const named = [...(texts.get(document) ?? "").matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => /^(?:[a-z]+)\//.test(name) && existsSync(path.join(ROOT, roomOf(name))));
    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  it("keep the README within 150 lines", () => {
    expect(texts.get("README.md")?.split("\n").length).toBeLessThanOrEqual(151);
  });
});

function roomOf(name: string): string {
  return name.split("/")[0] ?? "";
}

/** A heading's anchor is its text in lower case, without punctuation, spaces as dashes. */
function isThere(document: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? document : path.join(path.dirname(document), file);
  if (!existsSync(path.join(ROOT, target))) return false;
  if (anchor === undefined) return true;
  if ((texts.get(target) ?? "").includes(`<a id="${anchor}"></a>`)) return true;
  const headings = [...(texts.get(target) ?? "").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s+/g, "-"),
  );
  return headings.includes(anchor);
}
