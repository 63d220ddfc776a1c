/**
 * Scenarios live in a world that is handed to them, so that k6 is one and a simulation another: no
 * clock, chance, request or environment of their own, and nothing that two runs would share.
 */

import { importsOf } from "./imports.ts";
import { isLabelOnly } from "./k6-rules.ts";
import type { Problem, Rule, SourceFile, SyntaxNode } from "./source-file.ts";
import { isNode, problemAt, roomOf, walk } from "./source-file.ts";

/** The one world that knows k6, and the files that k6 is started with. */
const K6_WORLD = /^scenarios\/world\/k6[^/]*\.ts$/;
const ENTRIES = /^scenarios\/[^/]+\.ts$/;

/** What is only there under k6, or differs from run to run, with what to use instead. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["Date.now", "world.now"],
  ["new Date()", "world.now"],
  ["Math.random", "a seeded Random or world.randomBytes"],
  ["setTimeout", "world.delay"],
  ["setInterval", "world.delay"],
  ["__ENV", "world.env"],
  ["__VU", "world.shard"],
  ["__ITER", "world.shard"],
  ["open", "what the plan holds"],
  ["console", "a Reporter"],
]);

export const scenarioWorld: Rule = (files) =>
  scenarioFiles(files).flatMap((file) => [...importProblems(file), ...globalProblems(file)]);

function scenarioFiles(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter((file) => roomOf(file.path) === "scenarios" && !K6_WORLD.test(file.path));
}

function importProblems(file: SourceFile): Problem[] {
  return importsOf(file).flatMap(({ specifier, target, offset }) => {
    const isK6 = target === null && /^k6(\/|$)/.test(specifier);
    const isItsWorld = target !== null && K6_WORLD.test(target) && !ENTRIES.test(file.path);
    if (!isK6 && !isItsWorld) return [];
    return [
      problemAt(file, offset, `a scenario imports "${specifier}"; use the World handed to it`),
    ];
  });
}

function globalProblems(file: SourceFile): Problem[] {
  const problems: Problem[] = [];
  walk(file.tree, (node, parent) => {
    const name = outsideName(node, parent);
    const instead = name === null ? undefined : OUTSIDE.get(name);
    if (instead === undefined) return;
    problems.push(problemAt(file, node.start, `a scenario uses ${name}; use ${instead}`));
  });
  return problems;
}

/** How OUTSIDE would call what stands there; null where it can't be meant. */
function outsideName(node: SyntaxNode, parent: SyntaxNode | null): string | null {
  if (node.type === "MemberExpression") return `${nameOf(node.object)}.${nameOf(node.property)}`;
  if (node.type === "NewExpression") {
    const isEmpty = Array.isArray(node.arguments) && node.arguments.length === 0;
    return isEmpty ? `new ${nameOf(node.callee)}()` : null;
  }
  if (node.type !== "Identifier" || isLabelOnly(node, parent)) return null;
  // The name is a usual one for other things; only its call is k6's.
  if (node.name !== "open") return String(node.name);
  return parent?.type === "CallExpression" && parent.callee === node ? "open" : null;
}

function nameOf(value: unknown): string {
  return isNode(value) && value.type === "Identifier" ? String(value.name) : "";
}

const COLLECTIONS = ["Map", "Set", "WeakMap", "WeakSet"];

/** Several runs share one process: what a module keeps, one would keep for the other. */
export const noSharedState: Rule = (files) =>
  scenarioFiles(files).flatMap((file) =>
    declarationsOf(file).flatMap((node) => {
      if (!isMutable(node)) return [];
      const message = "a module of a scenario keeps state; use the context of the run";
      return [problemAt(file, node.start, message)];
    }),
  );

function declarationsOf({ tree }: SourceFile): readonly SyntaxNode[] {
  const statements = Array.isArray(tree.body) ? tree.body.filter(isNode) : [];
  const declared = statements.map(({ declaration }, at) => declaration ?? statements[at]);
  return declared.filter(isNode).filter(({ type }) => type === "VariableDeclaration");
}

/** `let`, or a collection that is empty to begin with. */
function isMutable({ kind, declarations }: SyntaxNode): boolean {
  if (kind !== "const") return true;
  const inits = Array.isArray(declarations) ? declarations.filter(isNode) : [];
  return inits.some(({ init }) => isNode(init) && isEmptyCollection(init));
}

function isEmptyCollection({ type, callee, arguments: given, elements }: SyntaxNode): boolean {
  if (type === "ArrayExpression") return Array.isArray(elements) && elements.length === 0;
  if (type !== "NewExpression" || !COLLECTIONS.includes(nameOf(callee))) return false;
  return Array.isArray(given) && given.length === 0;
}
