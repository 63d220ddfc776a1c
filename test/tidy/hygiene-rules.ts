/** Names, opening comments, and things that are left behind by mistake. */

import { textOf } from "./imports.ts";
import type { Problem, Rule, SourceFile } from "./source-file.ts";
import { isNode, isTestFile, problemAt, walk } from "./source-file.ts";

const TEST_FUNCTIONS = ["it", "test", "describe"];
const TEST_MODIFIERS = ["only", "skip", "todo", "skipIf", "runIf", "fails"];

/** Put together here, so that this file does not break its own rules. */
const UNFINISHED = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX"].join("|")})\\b`);
const HOMES = ["/ro" + "ot/", "/ho" + "me/", "/Use" + "rs/", "/wo" + "rk/", "C:\\\\Use" + "rs"];

export const kebabCase: Rule = (files) =>
  files.flatMap((file) => {
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    if (/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)+$/.test(name)) return [];
    return [{ path: file.path, line: 1, message: `"${name}"; use kebab-case names` }];
  });

export const openingComment: Rule = (files) =>
  files.flatMap((file) => {
    if (/^(#![^\n]*\n)?\/(\*\*|\/) ?\S*/.test(file.text)) return [];
    const message = "the file does not open with a comment; use a sentence on its job";
    return [{ path: file.path, line: 1, message }];
  });

export const wholeTests: Rule = (files) =>
  files.filter((file) => isTestFile(file.path)).flatMap(weakenedTests);

function weakenedTests(file: SourceFile): Problem[] {
  const problems: Problem[] = [];
  walk(file.tree, (node) => {
    if (node.type !== "MemberExpression" || !isNode(node.object)) return;
    const [object, modifier] = [textOf(node.object), textOf(node.property)];
    if (!TEST_FUNCTIONS.includes(object ?? "") || !TEST_MODIFIERS.includes(modifier ?? "")) return;
    const message = `${object}.${modifier} hides tests; use a test that runs always`;
    problems.push(problemAt(file, node.start, message));
  });
  return problems;
}

export const nothingUnfinished: Rule = (files) =>
  linesMatching(
    files,
    (line) => UNFINISHED.exec(line)?.[0] ?? null,
    (found) => {
      return `"${found}" is left over; use an issue, or finish it`;
    },
  );

export const noMachinePaths: Rule = (files) =>
  linesMatching(
    files,
    (line) => HOMES.find((home) => line.includes(home)) ?? null,
    (found) => {
      return `"${found}" is a path of one machine; use a path from the package or the environment`;
    },
  );

function linesMatching(
  files: readonly SourceFile[],
  match: (line: string) => string | null,
  say: (found: string) => string,
): Problem[] {
  return files.flatMap((file) =>
    file.lines.flatMap((line, at) => {
      const found = match(line);
      return found === null ? [] : [{ path: file.path, line: at + 1, message: say(found) }];
    }),
  );
}
