/** Time and chance come from the caller, so that a run can be repeated on simulated time. */

import { textOf } from "./imports.ts";
import type { Problem, Rule, SyntaxNode } from "./source-file.ts";
import { isNode, problemAt, roomOf, walk } from "./source-file.ts";

type Givers = Readonly<Record<string, readonly [giver: string, ...others: string[]]>>;

/** Rooms that are given their time, with what gives it; of the probe's also what holds sockets. */
const CLOCKS: Givers = {
  reference: ["reference/clock.ts"],
  probe: ["clock/system-clock.ts", "probe/clock-watch.ts", "probe/server/event-stream.ts"],
};
/** The same for chance. */
const CHANCES: Givers = {
  reference: ["reference/random.ts"],
  probe: ["probe/ports.ts", "probe/server/server.ts"],
};

/** Rooms of Node that take the time from one place: a wall clock that is set lengthens no wait. */
const STEADY = ["clock", "http", "runner", "receiver", "report", "gate", "capacity", "cli"];
const STEADY_CLOCK = "clock/system-clock.ts";

/** Where time or chance comes from: global names and functions, modules, and members. */
interface Source {
  names: readonly string[];
  modules: readonly string[];
  members: RegExp;
}

const TIME: Source = {
  names: ["setTimeout", "setInterval", "setImmediate"],
  modules: ["node:perf_hooks", "node:timers", "node:timers/promises"],
  members: /^(Date\.now|performance\.(now|timeOrigin)|process\.(hrtime|uptime))$/,
};
/** What steps when somebody sets the clock of the machine. */
const WALL_CLOCK: Source = { names: [], modules: [], members: /^Date\.now$/ };
const CHANCE: Source = {
  names: ["randomUUID", "randomBytes", "randomInt", "randomFillSync", "getRandomValues"],
  modules: [],
  members: /^Math\.random$/,
};

export const givenTime: Rule = (files) =>
  files.flatMap((file) => {
    const problems: Problem[] = [];
    const room = roomOf(file.path);
    const clock = CLOCKS[room];
    const chance = CHANCES[room];
    walk(file.tree, (node) => {
      if (STEADY.includes(room) && file.path !== STEADY_CLOCK) {
        const found = isNow(node) ? "new Date()" : sourceIn(node, WALL_CLOCK);
        const message = `${found} steps when a clock is set; use nowMs of ${STEADY_CLOCK}`;
        if (found !== null) problems.push(problemAt(file, node.start, message));
      }
      if (clock !== undefined && !clock.includes(file.path)) {
        const found = isNow(node) ? "new Date()" : sourceIn(node, TIME);
        const message = `${found} reads the machine's time; use the Clock that ${clock[0]} gives`;
        if (found !== null) problems.push(problemAt(file, node.start, message));
      }
      if (chance !== undefined && !chance.includes(file.path)) {
        const found = sourceIn(node, CHANCE);
        const message = `${found} is chance that can't be repeated; use the one of ${chance[0]}`;
        if (found !== null) problems.push(problemAt(file, node.start, message));
      }
    });
    return problems;
  });

/** `new Date()` or `Date()`, which take no argument and are the time. */
function isNow({ type, callee, arguments: given }: SyntaxNode): boolean {
  if (type !== "NewExpression" && type !== "CallExpression") return false;
  return isNode(callee) && textOf(callee) === "Date" && (given as unknown[]).length === 0;
}

/** What of a source a node names; null: nothing. */
function sourceIn(node: SyntaxNode, source: Source): string | null {
  if (node.type === "Identifier" && source.names.includes(String(node.name))) {
    return String(node.name);
  }
  if (node.type === "ImportDeclaration" && isNode(node.source)) {
    const name = String(node.source.value);
    return source.modules.includes(name) ? name : null;
  }
  if (node.type !== "MemberExpression" || !isNode(node.object)) return null;
  const object = isNode(node.object.property) ? node.object.property : node.object;
  const member = `${textOf(object)}.${textOf(node.property)}`;
  return source.members.test(member) ? member : null;
}
