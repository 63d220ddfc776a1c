/** What a file imports and exports, read from its syntax tree. */

import path from "node:path";
import type { SourceFile, SyntaxNode } from "./source-file.ts";
import { isNode, walk } from "./source-file.ts";

export interface Import {
  /** As it is written. */
  specifier: string;
  /** Path from the top of the checkout for a relative specifier, else null. */
  target: string | null;
  /** Names taken from there; "*" for all of them. */
  names: readonly string[];
  offset: number;
}

export interface Export {
  name: string;
  offset: number;
  /** True for interfaces and type aliases. */
  isType: boolean;
}

const SOURCES = [
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
];

const TYPES = ["TSInterfaceDeclaration", "TSTypeAliasDeclaration"];

/** Several rules ask for the same file's imports, cycles many times. */
const known = new WeakMap<SourceFile, readonly Import[]>();

export function importsOf(file: SourceFile): readonly Import[] {
  const imports = known.get(file) ?? readImports(file);
  known.set(file, imports);
  return imports;
}

function readImports(file: SourceFile): Import[] {
  const found: Import[] = [];
  walk(file.tree, (node) => {
    if (!SOURCES.includes(node.type)) return;
    const specifier = textOf(node.source ?? node.argument);
    if (specifier === null) return;
    const names = namesTaken(node);
    found.push({ specifier, target: targetOf(file, specifier), names, offset: node.start });
  });
  return found;
}

function targetOf(file: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return path.posix.join(path.posix.dirname(file.path), specifier);
}

function namesTaken(node: SyntaxNode): string[] {
  const specifiers = nodesIn(node.specifiers);
  if (node.type === "ImportDeclaration" || node.type === "ExportNamedDeclaration") {
    return specifiers.map((each) => {
      if (each.type === "ImportDefaultSpecifier") return "default";
      if (each.type === "ImportNamespaceSpecifier") return "*";
      const taken = each.type === "ImportSpecifier" ? each.imported : each.local;
      return textOf(taken) ?? "*";
    });
  }
  return ["*"];
}

export function exportsOf(file: SourceFile): Export[] {
  return nodesIn(file.tree.body).flatMap((node) => {
    const offset = node.start;
    if (node.type === "ExportDefaultDeclaration") {
      return [{ name: "default", offset, isType: false }];
    }
    if (node.type !== "ExportNamedDeclaration") return [];
    const declared = isNode(node.declaration) ? namesDeclared(node.declaration) : [];
    const listed = nodesIn(node.specifiers).map((each) => textOf(each.exported) ?? "*");
    const isType = isNode(node.declaration) && TYPES.includes(node.declaration.type);
    return [...declared, ...listed].map((name) => ({ name, offset, isType }));
  });
}

function namesDeclared(declaration: SyntaxNode): string[] {
  if (declaration.type !== "VariableDeclaration") return [textOf(declaration.id) ?? "*"];
  return nodesIn(declaration.declarations).flatMap((each) => identifiersIn(each.id));
}

/** Names bound by a pattern, such as `{ a, b: c }`. */
function identifiersIn(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === "Identifier") return [String(pattern.name)];
  const parts = [...nodesIn(pattern.properties), ...nodesIn(pattern.elements)];
  return parts.flatMap((each) => identifiersIn(each.value ?? each.argument ?? each));
}

export function nodesIn(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Text of an identifier or of a string. */
export function textOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === "TSLiteralType") return textOf(value.literal);
  const text = value.type === "Identifier" ? value.name : value.value;
  return typeof text === "string" ? text : null;
}
