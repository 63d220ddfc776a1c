/**
 * A function that takes more than it must is not handed to an array method as it is: the method
 * passes on the index as well, and `keys.map(rest)` makes a wait of it.
 */

import { nodesIn, textOf } from "./imports.ts";
import type { Rule, SourceFile, SyntaxNode } from "./source-file.ts";
import { isNode, problemAt, walk } from "./source-file.ts";
import { withTypes } from "./type-checker.ts";

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

/**
 * By the types of what is handed over, so that names that are given again, imported, destructured
 * or made by a call are seen through. Not seen: what has the type `any`, and methods whose name is
 * computed.
 */
export const bareCallbacks: Rule = (files) => {
  const all = files.map((file) => ({ file, handovers: handoversIn(file) }));
  if (all.every(({ handovers }) => handovers.length === 0)) return [];
  return withTypes(files, (checker) =>
    all.flatMap(({ file, handovers }) => {
      const found = checker.parametersOf(
        file,
        handovers.map(({ given }) => given),
      );
      return handovers.flatMap(({ method, meant, given }, index) => {
        const takesMore = found[index]?.some((parameters) =>
          parameters.some(({ isOptional, isRest }, at) => isRest || (isOptional && at >= meant)),
        );
        if (!takesMore) return [];
        const callback = file.text.slice(given.start, given.end);
        const what = `${method} hands ${callback} more than it is meant to take`;
        return [problemAt(file, given.start, `${what}; use an arrow function around it`)];
      });
    }),
  );
};

interface Handover {
  method: string;
  meant: number;
  given: SyntaxNode;
}

function handoversIn(file: SourceFile): Handover[] {
  const found: Handover[] = [];
  walk(file.tree, (node) => {
    const called = node.type === "CallExpression" ? calledBy(node) : null;
    const caller = CALLERS.get(called?.method ?? "");
    if (called === null || caller === undefined) return;
    const { method, isLent } = called;
    const argument = nodesIn(node.arguments)[caller.argument + (isLent ? 1 : 0)];
    const { meant } = caller;
    if (argument === undefined) return;
    found.push(...handedOver(argument).map((given) => ({ method, meant, given })));
  });
  return found;
}

/** The method's name; lent is one called by `call`, with its object as the first argument. */
function calledBy({ callee }: SyntaxNode): { method: string; isLent: boolean } | null {
  if (!isNode(callee) || callee.type !== "MemberExpression") return null;
  const method = textOf(callee.property);
  if (method === null) return null;
  const lent = method === "call" ? calledBy({ ...callee, callee: callee.object }) : null;
  return lent === null ? { method, isLent: false } : { ...lent, isLent: true };
}

/** What an argument may stand for: both of `a ? b : c`, and what a cast is made of. */
function handedOver(node: SyntaxNode): SyntaxNode[] {
  if (WRITTEN_OUT.test(node.type)) return [];
  const parts = [node.consequent, node.alternate, node.left, node.right, node.expression];
  const isChoice = /^(Conditional|Logical|TSAs|TSSatisfies|TSNonNull|Parenthesized)/.test(
    node.type,
  );
  return isChoice ? parts.filter(isNode).flatMap((part) => handedOver(part)) : [node];
}

/** Functions that show their parameters where they are handed over, and what can be none. */
const WRITTEN_OUT =
  /^(?:ArrowFunction|Function|Class)|Literal$|^(?:Array|Object)Expression$|^Spread/;
