/** Finds commands and dependencies that would bring a package of that name from the registry. */

import { isPair, isScalar, parseAllDocuments, visit } from "yaml";

/**
 * `plumbline` in the npm registry is somebody else's package. `plumbline-suite` is this one's name,
 * and not published: whoever registers it first owns what a command fetches by it.
 */
const NAME = /^(?:plumbline|plumbline-suite)$/i;

/** What asks a registry, or runs what does. */
const TOOL = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|deno|corepack|volta)(?:\.(?:cmd|exe))?$/;
const RUNNER = /^(?:npx|pnpx|bunx)\b/;
const RUNS = /^(?:exec|x|dlx)$/;
/** A script of the package at hand, whatever stands behind it. */
const SCRIPT = /^(?:run|run-script)$/;
/** Options whose value is a folder. */
const PLACED = /^(?:--prefix|--cwd|--dir|-C)$/;
const PACKAGE = /^(?:--package|-p)$/;
/** With these a runner only takes what is installed. */
const OFFLINE = /^--(?:no|no-install|yes=false)$/;
/** Hosts that hand out packages by their names. */
const HOSTED = new RegExp(
  "(?:unpkg|jsdelivr|esm\\.sh|esm\\.run|skypack|jspm|npmjs|yarnpkg|npmmirror)" +
    "[^\\s\"'`]*?/(?:plumbline|plumbline-suite)(?=[@/\\s\"'`)]|$)",
  "gi",
);

/** A tarball as registries and their mirrors name it, whatever their host. */
const TARBALL = /https?:\/\/[^\s"'`]+\/(?:plumbline|plumbline-suite)\/-\/[^\s"'`]+\.tgz/gi;

/**
 * The offending parts of a text. In a part that names a tool the name is refused wherever it stands
 * behind it, but for the forms that are known to fetch nothing: a list of those that do would never
 * be whole. `isYaml`: scalars and entries are read as well, as YAML folds lines.
 */
export function registryFetches(text: string, { isYaml = false } = {}): readonly string[] {
  const blocks = [...text.matchAll(/^ *```ya?ml\n([\s\S]*?)^ *```/gm)].map(([, yaml = ""]) => yaml);
  return [
    ...commands(text),
    ...prose(text),
    ...dependencies(text),
    ...[HOSTED, TARBALL].flatMap((form) => [...text.matchAll(form)].map(([address]) => address)),
    ...(isYaml ? [text] : blocks).flatMap(inYaml),
  ];
}

function commands(text: string): readonly string[] {
  const joined = text.replace(/\\\r?\n/g, " ");
  const spans = [...joined.matchAll(/`([^`]+)`/g)].map(([, span = ""]) =>
    span.replace(/\s+/g, " "),
  );
  const lines = [...joined.split("\n"), ...spans];
  const parts = lines.flatMap((line) => line.split(/[;|&`]|\s#\s|\$\(/));
  return [...new Set(parts.flatMap((part) => offending(wordsOf(part))))];
}

/** Words without quotes, brackets and commas, so that argument lists in code read as commands. */
function wordsOf(part: string): readonly string[] {
  return part.split(/[\s"',()[\]{}<>]+/).filter((word) => word !== "");
}

function offending(words: readonly string[]): readonly string[] {
  const isTool = (word: string) => TOOL.test(word.replace(/^.*[/\\]/, ""));
  const found = words.flatMap((word, at) => {
    if (!isTool(word)) return [];
    const next = words.findIndex((other, index) => index > at && isTool(other));
    const rest = words.slice(at + 1, next === -1 ? undefined : next);
    const fetched = fetchedBy(word.replace(/^.*[/\\]/, ""), rest);
    return fetched.some(isOfRegistry) ? [[word, ...rest].join(" ")] : [];
  });
  return [...found, ...words.filter((word) => /(?:^|@)npm:/.test(word) && isOfRegistry(word))];
}

/** Words that may name what is fetched. */
function fetchedBy(tool: string, args: readonly string[]): readonly string[] {
  if (RUNNER.test(tool)) return ranBy(args);
  const rest = args.filter((_, at) => !PLACED.test(args[at - 1] ?? ""));
  const command = rest.find((word) => !word.startsWith("-")) ?? "";
  if (SCRIPT.test(command)) return [];
  const run = rest.findIndex((word) => RUNS.test(word));
  return run === -1 ? rest : ranBy(rest.slice(run + 1));
}

function ranBy(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  // Another command's arguments; behind an option this may as well be its value.
  if (!first.startsWith("-") && !isOfRegistry(first)) return [];
  const packages = args.flatMap((arg, at) => {
    const [name = "", value] = arg.split(/=(.*)/);
    return PACKAGE.test(name) ? [value || (args[at + 1] ?? "")] : [];
  });
  if (packages.length > 0) return packages.every(isPlace) ? [] : args;
  return args.some((arg) => OFFLINE.test(arg)) ? [] : args;
}

/** `name`, `name@1.2`, `name@latest`, `alias@npm:name@1`: no path, address or tarball. */
function isOfRegistry(word: string): boolean {
  const spec = word.replace(/^--?[\w-]+=/, "").replace(/^(?:[\w./-]+@)?npm:/, "");
  const [, name = "", version = ""] = /^([\w-]+)\/?(?:@(.*))?$/.exec(bare(spec)) ?? [];
  return NAME.test(name) && !isPlace(version);
}

function bare(spec: string): string {
  return spec.replace(/[.:!?]+$/, "");
}

function isPlace(version: string): boolean {
  return /^(?:file|git|github|gitlab|https?|link|workspace)[:+]|^\.{0,2}\/|\.tgz$/.test(version);
}

/** Entries as of package.json; a path such as that of a `bin`, or a script, is none. */
function dependencies(text: string): readonly string[] {
  const entries = [...text.matchAll(/"([\w-]+)"\s*:\s*"([^"\n]*)"/g)];
  return entries.flatMap(([entry, name = "", value = ""]) =>
    isDependency(name, value) ? [entry] : [],
  );
}

function isDependency(name: string, value: string): boolean {
  const isVersion = /^(?:[\^~<>=*v\d]|latest$|next$|x$|$)/.test(value);
  const other = /^npm:(?:plumbline|plumbline-suite)(?:@|$)/.test(value);
  return (NAME.test(name) && isVersion) || other;
}

/** Scalars as YAML reads them, folded lines joined, and entries without quotes. */
function inYaml(text: string): readonly string[] {
  const found: string[] = [];
  for (const document of parseAllDocuments(text)) {
    visit(document, (_, node) => {
      if (isScalar(node) && typeof node.value === "string") found.push(...commands(node.value));
      if (!isPair(node) || !isScalar(node.key) || !isScalar(node.value)) return;
      const [name, value] = [String(node.key.value), String(node.value.source ?? "")];
      const isEntry = node.value.value !== null && isDependency(name, value);
      if (isEntry) found.push(`${name}: ${value}`);
    });
  }
  return found;
}

/** A sentence that tells to depend on the name makes the reader fetch it. */
function prose(text: string): readonly string[] {
  const name = /`(?:plumbline|plumbline-suite)`(?:(?!\bnot\b|\. )[\s\S]){0,60}?dependencies/gi;
  return [...text.matchAll(name)].map(([sentence]) => sentence);
}
