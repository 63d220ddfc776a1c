/** Finds commands and dependencies that would bring a package of that name from the registry. */

/**
 * `plumbline` in the npm registry is somebody else's package. `plumbline-suite` is this one's name,
 * and not published: whoever registers it first owns what a command fetches by it.
 */
const NAMES = ["plumbline", "plumbline-suite"];

const INSTALLERS = /^(?:npm|pnpm|yarn|bun)$/;
const RUNNERS = /^(?:npx|bunx|pnpx)$/;
const INSTALLS = /^(?:install|i|in|add|isntall|install-test|it|update|up|link)$/;
const RUNS = /^(?:exec|x|dlx)$/;
/** Options of npm that take the next word as their value. */
const WITH_VALUE = /^(?:--prefix|--registry|--workspace|-w|-C|--cache|--userconfig|--call|-c)$/;
const PACKAGE = /^(?:--package|-p)$/;
/** With these a runner only takes what is installed. */
const OFFLINE = /^--(?:no|no-install|yes=false)$/;

/** The offending commands of a text, as words. */
export function registryFetches(text: string): readonly string[] {
  return [...commands(text), ...prose(text)].concat(dependencies(text));
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
  return words.flatMap((word, at) => {
    const rest = words.slice(at + 1);
    const fetched = fetchedBy(word.replace(/^.*\//, ""), rest);
    return fetched.some(isOfRegistry) ? [[word, ...rest].join(" ")] : [];
  });
}

/** What the command asks for: package specs as npm reads them. */
function fetchedBy(tool: string, rest: readonly string[]): readonly string[] {
  if (RUNNERS.test(tool)) return ranPackages(rest);
  if (!INSTALLERS.test(tool)) return [];
  const [command = "", ...args] = withoutOptions(rest);
  if (INSTALLS.test(command) || (command === "global" && INSTALLS.test(args[0] ?? ""))) return args;
  return RUNS.test(command) ? ranPackages(rest.slice(rest.indexOf(command) + 1)) : [];
}

function ranPackages(args: readonly string[]): readonly string[] {
  const named = args.flatMap((arg, at) => {
    if (PACKAGE.test(arg)) return [args[at + 1] ?? ""];
    return arg.startsWith("--package=") ? [arg.slice("--package=".length)] : [];
  });
  if (named.length > 0) return named;
  const [command] = withoutOptions(args);
  return args.some((arg) => OFFLINE.test(arg)) || command === undefined ? [] : [command];
}

function withoutOptions(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => !arg.startsWith("-") && !WITH_VALUE.test(args[at - 1] ?? ""));
}

/** `name`, `name@1.2`, `name@latest`, `alias@npm:name@1`: no path, address or tarball. */
function isOfRegistry(spec: string): boolean {
  const [, name = "", version = ""] = /^([\w./-]+)(?:@(.*))?$/.exec(aliased(spec)) ?? [];
  return NAMES.includes(name.toLowerCase()) && !isPlace(version);
}

function aliased(spec: string): string {
  return spec.replace(/^(?:[\w./-]+@)?npm:/, "").replace(/[.:!?]+$/, "");
}

function isPlace(version: string): boolean {
  return /^(?:file|git|github|gitlab|https?|link|workspace)[:+]|^\.{0,2}\/|\.tgz$/.test(version);
}

/** Entries as of package.json; a path such as that of a `bin`, or a script, is none. */
function dependencies(text: string): readonly string[] {
  const entries = [...text.matchAll(/"([\w-]+)"\s*:\s*"([^"\n]*)"/g)];
  return entries.flatMap(([entry, name = "", value = ""]) => {
    const isVersion = /^(?:[\^~<>=*v\d]|latest$|next$|x$|$)/.test(value);
    const other = /^npm:(?:plumbline|plumbline-suite)(?:@|$)/.test(value);
    return (NAMES.includes(name) && isVersion) || other ? [entry] : [];
  });
}

/** A sentence that tells to depend on the name makes the reader fetch it. */
function prose(text: string): readonly string[] {
  const name = /`(?:plumbline|plumbline-suite)`(?:(?!\bnot\b|\. )[\s\S]){0,60}?dependencies/gi;
  return [...text.matchAll(name)].map(([sentence]) => sentence);
}
