/** The files that tidiness is judged on, read and parsed once. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";
import { ROOT } from "../../runner/package-root.ts";

/** A node of the syntax tree, as far as the rules look: a type, a place, and whatever else. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export interface SourceFile {
  /** From the top of the checkout, with forward slashes. */
  path: string;
  text: string;
  lines: readonly string[];
  tree: SyntaxNode;
}

/** What a rule found; printed as `path:line: what; use what instead`. */
export interface Problem {
  path: string;
  line: number;
  message: string;
}

export type Rule = (files: readonly SourceFile[]) => Problem[];

/** Code files of the checkout, committed or not, without what .gitignore leaves out. */
export function checkedOutFiles(): SourceFile[] {
  const listing = execFileSync(
    "git",
    ["ls-files", "-co", "--exclude-standard", "--", "*.ts", "*.mjs"],
    {
      cwd: ROOT,
      encoding: "utf8",
    },
  );
  const paths = [...new Set(listing.split("\n"))].filter((each) => each !== "").sort();
  return paths
    .filter((each) => existsSync(path.join(ROOT, each)))
    .map((each) => sourceFile(each, readFileSync(path.join(ROOT, each), "utf8")));
}

export function sourceFile(filePath: string, text: string): SourceFile {
  const lang = filePath.endsWith(".ts") ? "ts" : "js";
  const tree = parseAst(text, { lang, sourceType: "module" }) as unknown as SyntaxNode;
  return { path: filePath, text, lines: text.split("\n"), tree };
}

export function problemAt(file: SourceFile, offset: number, message: string): Problem {
  return { path: file.path, line: file.text.slice(0, offset).split("\n").length, message };
}

export function formatProblem({ path: where, line, message }: Problem): string {
  return `${where}:${line}: ${message}`;
}

/** Calls `visit` with each node and its parent, outermost first. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | null) => void,
  parent: SyntaxNode | null = null,
): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit, node);
    }
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** A room of the house: the first folder of a path; "" for files at the top. */
export function roomOf(filePath: string): string {
  return filePath.includes("/") ? filePath.slice(0, filePath.indexOf("/")) : "";
}

export function isTestFile(filePath: string): boolean {
  return roomOf(filePath) === "test";
}
