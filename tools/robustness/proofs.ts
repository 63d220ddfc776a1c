/** Reads from the files of tests which of them prove which cells. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "rolldown/parseAst";
import { ROOT } from "../../runner/package-root.ts";
import type { Cell } from "./faults.ts";

/** A test, or a row of a table of tests, by the titles under which a run lists it. */
export interface Proof {
  /** From the top of the checkout. */
  file: string;
  /** Those of the blocks around it first. */
  titles: readonly string[];
  cells: readonly Cell[];
}

interface SyntaxNode {
  type: string;
  [field: string]: unknown;
}

/** In the order of their files. Throws where a call's arguments are no literals. */
export function proofs(): readonly Proof[] {
  const files = readdirSync(path.join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/${file.split(path.sep).join("/")}`)
    .sort()
    .flatMap((file) => proofsIn(file, readFileSync(path.join(ROOT, file), "utf8")));
}

export function proofsIn(file: string, text: string): readonly Proof[] {
  if (!text.includes("covers(")) return [];
  const found: Proof[] = [];
  const visit = (node: SyntaxNode, around: readonly string[]) => {
    const called = node.type === "CallExpression" ? nameOf(node.callee) : null;
    if (called === "covers") {
      const [title = "", ...cells] = argumentsOf(node).map((each) => literalOf(file, each));
      found.push({ file, titles: [...around, title], cells: cells as Cell[] });
      return;
    }
    const within = called === "describe" ? [...around, ...titleOf(node)] : around;
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, within);
  };
  visit(parseAst(text, { lang: "ts" }) as unknown as SyntaxNode, []);
  return found;
}

/** `describe` also of `describe.each(table)(title, ...)`. */
function nameOf(callee: unknown): string | null {
  if (!isNode(callee)) return null;
  if (callee.type === "Identifier") return String(callee.name);
  return nameOf(callee.type === "CallExpression" ? callee.callee : callee.object);
}

/** A block's title, where it is the same for all rows of its table. */
function titleOf(call: SyntaxNode): readonly string[] {
  const [first] = argumentsOf(call);
  const value = first?.value;
  return typeof value === "string" && !/[%$]/.test(value) ? [value] : [];
}

function argumentsOf(call: SyntaxNode): readonly SyntaxNode[] {
  return (call.arguments as unknown[]).filter(isNode);
}

function literalOf(file: string, { type, value }: SyntaxNode): string {
  if (type === "Literal" && typeof value === "string") return value;
  throw new Error(`${file}: an argument of covers() is no literal; write it out`);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value;
}
