/** Files, functions and lines stay small enough to be read at a glance. */

import type { Rule, SourceFile, SyntaxNode } from "./source-file.ts";
import { isNode, isTestFile, problemAt, walk } from "./source-file.ts";

/** The project's own limits. */
const FILE_LINES_MAX = 400;
const TEST_FILE_LINES_MAX = 600;
const FUNCTION_LINES_MAX = 70;
const LINE_COLUMNS_MAX = 100;

const FUNCTIONS = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

export const fileLength: Rule = (files) =>
  files.flatMap((file) => {
    const limit = isTestFile(file.path) ? TEST_FILE_LINES_MAX : FILE_LINES_MAX;
    const length = file.text.trimEnd().split("\n").length;
    if (length <= limit) return [];
    const message = `the file has ${length} lines; use ${limit} at the most, split it by noun`;
    return [{ path: file.path, line: limit + 1, message }];
  });

export const lineLength: Rule = (files) =>
  files.flatMap((file) =>
    file.lines.flatMap((text, at) => {
      const columns = [...text].length;
      if (columns <= LINE_COLUMNS_MAX) return [];
      const message = `the line has ${columns} columns; use ${LINE_COLUMNS_MAX} at the most`;
      return [{ path: file.path, line: at + 1, message }];
    }),
  );

export const functionLength: Rule = (files) =>
  files.flatMap((file) => {
    const long = functionsOf(file).filter((node) => lineCount(file, node) > FUNCTION_LINES_MAX);
    return long.map((node) => {
      const what = `a function has ${lineCount(file, node)} lines`;
      const message = `${what}; use ${FUNCTION_LINES_MAX} at the most, name its parts`;
      return problemAt(file, node.start, message);
    });
  });

/** All functions but the body of a `describe`, which only lists tests. */
function functionsOf(file: SourceFile): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  walk(file.tree, (node, parent) => {
    if (FUNCTIONS.includes(node.type) && !isDescribe(parent)) found.push(node);
  });
  return found;
}

function isDescribe(parent: SyntaxNode | null): boolean {
  if (parent?.type !== "CallExpression") return false;
  let callee = parent.callee;
  while (isNode(callee) && callee.type !== "Identifier") {
    callee = callee.type === "MemberExpression" ? callee.object : callee.callee;
  }
  return isNode(callee) && callee.name === "describe";
}

function lineCount(file: SourceFile, node: SyntaxNode): number {
  return file.text.slice(node.start, node.end).split("\n").length;
}
