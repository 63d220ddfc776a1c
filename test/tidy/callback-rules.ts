/**
 * A function that takes more than it must is not handed to an array method as it is: the method
 * passes on the index as well, and `keys.map(rest)` makes a wait of it.
 */

import { importsOf, nodesIn, textOf } from "./imports.ts";
import type { Rule, SourceFile, SyntaxNode } from "./source-file.ts";
import { isNode, problemAt, walk } from "./source-file.ts";

/** Where a method takes its callback, and how many values every callback of it is made for. */
interface Caller {
  argument: number;
  meant: number;
}

const VALUE_FIRST: Caller = { argument: 0, meant: 1 };
const CALLERS: ReadonlyMap<string, Caller> = new Map([
  ...[
    "map",
    "flatMap",
    "filter",
    "forEach",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
  ].map((name) => [name, VALUE_FIRST] as const),
  ["reduce", { argument: 0, meant: 2 }],
  ["reduceRight", { argument: 0, meant: 2 }],
  ["from", { argument: 1, meant: 1 }],
  ["replace", { argument: 1, meant: 1 }],
  ["replaceAll", { argument: 1, meant: 1 }],
]);

/** Functions of the language that take more than they must. */
const BUILT_IN = [
  "parseInt",
  "Number.parseInt",
  "JSON.parse",
  "JSON.stringify",
  "Math.max",
  "Math.min",
  "Object.assign",
  "structuredClone",
  "fetch",
  "path.join",
  "path.resolve",
];

const FUNCTIONS = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

export const bareCallbacks: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files.flatMap((file) => {
    const problems: ReturnType<Rule> = [];
    walk(file.tree, (node) => {
      const method = node.type === "CallExpression" ? methodOf(node) : null;
      const caller = CALLERS.get(method ?? "");
      if (method === null || caller === undefined) return;
      const given = nodesIn(node.arguments)[caller.argument];
      for (const each of given === undefined ? [] : handedOver(given)) {
        if (!takesMore(nameOf(each), caller.meant, file, byPath)) continue;
        const callback = file.text.slice(each.start, each.end);
        const what = `${method} hands ${callback} more than it is meant to take`;
        problems.push(problemAt(file, each.start, `${what}; use an arrow function around it`));
      }
    });
    return problems;
  });
};

function methodOf({ callee }: SyntaxNode): string | null {
  return isNode(callee) && callee.type === "MemberExpression" ? textOf(callee.property) : null;
}

/** The names that an argument may stand for: both of `a ? b : c`, and what a cast is made of. */
function handedOver(node: SyntaxNode): SyntaxNode[] {
  if (node.type === "Identifier" || node.type === "MemberExpression") return [node];
  const parts = [node.consequent, node.alternate, node.left, node.right, node.expression];
  const isChoice = /^(Conditional|Logical|TSAs|TSSatisfies|TSNonNull|Parenthesized)/.test(
    node.type,
  );
  return isChoice ? parts.filter(isNode).flatMap((part) => handedOver(part)) : [];
}

function nameOf(node: SyntaxNode): string {
  if (node.type !== "MemberExpression" || !isNode(node.object)) return textOf(node) ?? "";
  return `${nameOf(node.object)}.${textOf(node.property) ?? ""}`;
}

function takesMore(
  name: string,
  meant: number,
  file: SourceFile,
  files: ReadonlyMap<string, SourceFile>,
): boolean {
  if (BUILT_IN.includes(name)) return true;
  return functionsNamed(name, file, files).some(({ params }) =>
    nodesIn(params).some((each, at) => {
      if (each.type === "RestElement") return true;
      return at >= meant && (each.optional === true || each.type === "AssignmentPattern");
    }),
  );
}

/** Functions that the name may stand for: of the file itself, or of the one it is imported from. */
function functionsNamed(
  name: string,
  file: SourceFile,
  files: ReadonlyMap<string, SourceFile>,
): SyntaxNode[] {
  const own = declared(file).get(name.slice(name.lastIndexOf(".") + 1));
  if (own !== undefined) return own;
  for (const { source, local, imported } of namesImported(file)) {
    const [first, rest] = name.split(".", 2);
    if (local !== first) continue;
    const target = files.get(
      importsOf(file).find((each) => each.specifier === source)?.target ?? "",
    );
    return target === undefined ? [] : functionsNamed(rest ?? imported, target, files);
  }
  return [];
}

const known = new WeakMap<SourceFile, ReadonlyMap<string, SyntaxNode[]>>();

/** All functions and methods of a file by their names, wherever they are declared in it. */
function declared(file: SourceFile): ReadonlyMap<string, SyntaxNode[]> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const found = new Map<string, SyntaxNode[]>();
  walk(file.tree, (node) => {
    const name = textOf(node.id ?? node.key);
    const made = [node, node.init, node.value].find(isFunction);
    if (name !== null && made !== undefined) found.set(name, [...(found.get(name) ?? []), made]);
  });
  known.set(file, found);
  return found;
}

function isFunction(value: unknown): value is SyntaxNode {
  return isNode(value) && FUNCTIONS.includes(value.type);
}

interface ImportedName {
  source: string;
  local: string;
  imported: string;
}

function namesImported(file: SourceFile): ImportedName[] {
  return nodesIn(file.tree.body).flatMap((node) => {
    const source = textOf(node.source);
    if (source === null) return [];
    return nodesIn(node.specifiers).flatMap((each) => {
      // What is exported again is known by the name that it is exported by.
      const isExport = each.type === "ExportSpecifier";
      const local = textOf(isExport ? each.exported : each.local);
      const imported = textOf(isExport ? each.local : each.imported) ?? "default";
      return local === null ? [] : [{ source, local, imported }];
    });
  });
}
