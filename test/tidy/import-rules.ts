/** Imports flow one way, through explicit paths, and never in a circle. */

import type { Import } from "./imports.ts";
import { importsOf } from "./imports.ts";
import type { Problem, Rule, SourceFile } from "./source-file.ts";
import { problemAt, roomOf } from "./source-file.ts";

/** Rooms from the ground up; a room imports from the rooms below it, never from its siblings. */
const FLOORS: readonly (readonly string[])[] = [
  ["contract"],
  ["clock"],
  ["http", "runner", "receiver", "report"],
  ["reference", "scenarios", "probe", "gate", "capacity", "dashboards"],
  ["simulation", "generator"],
  ["cli"],
  ["tools"],
  ["test", ""],
  ["bench"],
];

const SIBLINGS_ALLOWED = [
  // A panel can't name a metric that isn't there, if both read the same list.
  { from: "dashboards", to: "probe/metrics/catalogue.ts" },
  // What comes packed is unpacked within the same bounds, as an answer or as a webhook.
  { from: "receiver", to: "http/unpack.ts" },
];

/** Rooms whose code k6 runs, with what they may import besides files. */
const PACKAGES_ALLOWED: Readonly<Record<string, RegExp | null>> = {
  contract: null,
  scenarios: /^k6(\/|$)/,
};

export const importDirection: Rule = (files) =>
  forEachImport(files, (file, { target, offset }) => {
    if (target === null || isAllowed(file.path, target)) return [];
    const [from, to] = [roomOf(file.path), roomOf(target)];
    const message = `${from}/ imports from ${to}/; use what is below, or move it to contract/`;
    return [problemAt(file, offset, message)];
  });

function isAllowed(from: string, to: string): boolean {
  const [source, target] = [roomOf(from), roomOf(to)];
  if (source === target) return true;
  if (SIBLINGS_ALLOWED.some((each) => each.from === source && each.to === to)) return true;
  return floorOf(target) < floorOf(source);
}

function floorOf(room: string): number {
  const floor = FLOORS.findIndex((rooms) => rooms.includes(room));
  return floor < 0 ? FLOORS.length : floor;
}

/** Rooms of scenarios/ that are there for all of them; each other one is one scenario's own. */
const SHARED_SCENARIO_ROOMS = ["world", "client", "load", "host"];

/** What two scenarios need has a room of its own: a scenario is no other one's library. */
export const scenarioRooms: Rule = (files) =>
  forEachImport(files, (file, { target, offset }) => {
    const [from, to] = [scenarioRoomOf(file.path), scenarioRoomOf(target ?? "")];
    if (from === null || to === null || from === to) return [];
    if (SHARED_SCENARIO_ROOMS.includes(to)) return [];
    const rooms = SHARED_SCENARIO_ROOMS.map((room) => `scenarios/${room}/`).join(", ");
    const message = `scenarios/${from}/ imports from scenarios/${to}/; use one of ${rooms}`;
    return [problemAt(file, offset, message)];
  });

function scenarioRoomOf(path: string): string | null {
  const [top, room, inside] = path.split("/");
  return top === "scenarios" && inside !== undefined ? (room ?? null) : null;
}

export const explicitExtension: Rule = (files) =>
  forEachImport(files, (file, { specifier, target, offset }) => {
    if (target === null || /\.(ts|mjs|json)$/.test(specifier)) return [];
    const message = `"${specifier}" has no extension; use the file's whole name`;
    return [problemAt(file, offset, message)];
  });

export const packageImports: Rule = (files) =>
  forEachImport(files, (file, { specifier, target, offset }) => {
    const allowed = PACKAGES_ALLOWED[roomOf(file.path)];
    if (target !== null || allowed === undefined || allowed?.test(specifier)) return [];
    const room = roomOf(file.path);
    const message = `${room}/ imports "${specifier}"; use plain code, k6 runs these files`;
    return [problemAt(file, offset, message)];
  });

/** Each circle is told once, at its file that comes first. */
export const importCycles: Rule = (files) => {
  const graph = new Map(files.map((file) => [file.path, file]));
  const problems: Problem[] = [];
  const told = new Set<string>();
  for (const file of files) {
    const circle = circleFrom(file, graph);
    if (circle === null || circle.some((each) => told.has(each))) continue;
    for (const each of circle) told.add(each);
    const message = `import cycle ${circle.join(" -> ")}; use a third file for what they share`;
    problems.push({ path: file.path, line: 1, message });
  }
  return problems;
};

/** The shortest way from a file back to itself, breadth first. */
function circleFrom(
  start: SourceFile,
  graph: ReadonlyMap<string, SourceFile>,
): readonly string[] | null {
  const queue: { file: SourceFile; way: readonly string[] }[] = [{ file: start, way: [] }];
  const seen = new Set<string>();
  for (const { file, way } of queue) {
    for (const { target } of importsOf(file)) {
      if (target === start.path) return [...way, file.path, start.path];
      const next = target === null ? undefined : graph.get(target);
      if (next === undefined || seen.has(next.path)) continue;
      seen.add(next.path);
      queue.push({ file: next, way: [...way, file.path] });
    }
  }
  return null;
}

function forEachImport(
  files: readonly SourceFile[],
  judge: (file: SourceFile, each: Import) => Problem[],
): Problem[] {
  return files.flatMap((file) => importsOf(file).flatMap((each) => judge(file, each)));
}
