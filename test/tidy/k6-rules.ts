/**
 * What k6 can't run stays out of the files that it runs: some syntax makes it spin for ever without
 * a word, some names are simply not there.
 */

import type { Rule, SyntaxNode } from "./source-file.ts";
import { problemAt, roomOf, walk } from "./source-file.ts";

const K6_ROOMS = ["contract", "scenarios"];

/** Names that k6 2.2 does not have, with what to use instead. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  ["URL", "text"],
  ["URLSearchParams", "encodeURIComponent"],
  ["structuredClone", "a copy by hand"],
  ["performance", "the clock that is passed in"],
  ["AbortController", "a time limit of the request"],
  ["AbortSignal", "a time limit of the request"],
  ["Intl", "a format by hand"],
  ["fetch", "world.request"],
  ["Buffer", "text"],
  ["process", "world.env"],
]);

export const k6Syntax: Rule = (files) =>
  files
    .filter((file) => K6_ROOMS.includes(roomOf(file.path)))
    .flatMap((file) => {
      const problems: ReturnType<Rule> = [];
      walk(file.tree, (node, parent) => {
        const message = syntaxProblem(node) ?? nameProblem(node, parent);
        if (message !== null) problems.push(problemAt(file, node.start, message));
      });
      return problems;
    });

function syntaxProblem(node: SyntaxNode): string | null {
  if (node.type === "ForOfStatement" && node.await === true) {
    return "`for await` makes k6 hang; use a loop with await inside";
  }
  if (node.type === "VariableDeclaration" && String(node.kind).endsWith("using")) {
    return "`using` makes k6 hang; use try and finally";
  }
  if (node.type === "Decorator") return "a decorator makes k6 hang; use a plain function";
  if (node.type.endsWith("AccessorProperty")) {
    return "`accessor` makes k6 hang; use a getter and a setter";
  }
  if (node.type === "ImportAttribute") {
    return "import attributes make k6 hang; use JSON.parse(open(file))";
  }
  if (node.type === "ImportExpression") return "k6 has no dynamic import; use a static one";
  return null;
}

function nameProblem(node: SyntaxNode, parent: SyntaxNode | null): string | null {
  if (node.type !== "Identifier" || isLabelOnly(node, parent)) return null;
  const instead = ABSENT.get(String(node.name));
  return instead === undefined ? null : `k6 has no ${node.name}; use ${instead}`;
}

/** Names that stand for themselves: `client.fetch`, `{ fetch: 1 }`, `interface { process: … }`. */
export function isLabelOnly(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  if (parent === null || parent.computed === true) return false;
  return parent.property === node || (parent.key === node && parent.shorthand !== true);
}
