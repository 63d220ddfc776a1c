/** TypeScript's own checker on files as they are given, in the checkout or made up. */

import { existsSync } from "node:fs";
import path from "node:path";
import type { Node, SourceFile as TypedFile } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";
import type { Checker, Type } from "typescript/unstable/sync";
import { API, SignatureKind } from "typescript/unstable/sync";
import { ROOT } from "../../runner/package-root.ts";
import type { SourceFile, SyntaxNode } from "./source-file.ts";

/** A parameter of a function, as a caller knows it. */
interface Parameter {
  isOptional: boolean;
  isRest: boolean;
}

export interface TypeChecker {
  /** Of each expression the parameters of each of its signatures; none where it is no function. */
  parametersOf(file: SourceFile, expressions: readonly SyntaxNode[]): readonly Parameter[][][];
}

/** A configuration that stands on no disk: that of the checkout, for these files alone. */
const CONFIG = path.join(ROOT, "tsconfig.of-these-files.json");

/** Calls `use` with a checker of the files, and ends it. */
export function withTypes<Result>(
  files: readonly SourceFile[],
  use: (checker: TypeChecker) => Result,
): Result {
  const given = new Map(files.map((file) => [placeOf(file), file.text]));
  const own = { extends: "./tsconfig.json", include: [], files: [...given.keys()] };
  // What is made up uses no packages, whose types take most of the time.
  const isMadeUp = !files.some((file) => existsSync(placeOf(file)));
  const config = isMadeUp ? { ...own, compilerOptions: { types: [] } } : own;
  given.set(CONFIG, JSON.stringify(config));
  const api = new API({
    cwd: ROOT,
    fs: {
      readFile: (name) => given.get(name),
      fileExists: (name) => (given.has(name) ? true : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG);
    if (project === undefined) throw new Error(`no project of ${CONFIG}`);
    const { program, checker } = project;
    return use({
      parametersOf(file, expressions) {
        const typed = program.getSourceFile(placeOf(file));
        if (typed === undefined) throw new Error(`no types of ${file.path}`);
        const nodes = expressions.map((each) => nodeAt(typed, file, each));
        return checker.getTypeAtLocation(nodes).map((type) => signaturesOf(checker, type));
      },
    });
  } finally {
    api.close();
  }
}

function placeOf(file: SourceFile): string {
  return path.join(ROOT, file.path);
}

/** The outermost node that spans the expression; its own beginning counts what is before it. */
function nodeAt(typed: TypedFile, { path: where, text }: SourceFile, at: SyntaxNode): Node {
  const found = (node: Node): Node | undefined => {
    if (node.end < at.end || node.pos > at.start) return undefined;
    const isIt = node.end === at.end && text.slice(node.pos, at.start).trim() === "";
    return isIt ? node : node.forEachChild(found);
  };
  const node = typed.forEachChild(found);
  if (node === undefined) throw new Error(`${where}: no node at ${at.start}`);
  return node;
}

function signaturesOf(checker: Checker, type: Type | undefined): Parameter[][] {
  if (type === undefined) return [];
  return checker.getSignaturesOfType(type, SignatureKind.Call).map((signature) => {
    const declared = checker.signatureToSignatureDeclaration(signature, SyntaxKind.FunctionType);
    const parameters: Parameter[] = [];
    declared?.forEachChild((child) => {
      if (child.kind !== SyntaxKind.Parameter) return;
      const { questionToken, dotDotDotToken } = child as ParameterNode;
      parameters.push({
        isOptional: questionToken !== undefined,
        isRest: dotDotDotToken !== undefined,
      });
    });
    return parameters;
  });
}

interface ParameterNode extends Node {
  questionToken?: Node;
  dotDotDotToken?: Node;
}
