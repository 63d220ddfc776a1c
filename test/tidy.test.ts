/** Style is a test: each rule holds in the whole checkout, and each rule can fail. */

import { describe, expect, it } from "vitest";
import { bareCallbacks } from "./tidy/callback-rules.ts";
import { givenTime } from "./tidy/clock-rules.ts";
import { deadExports, deadFiles } from "./tidy/dead-code-rules.ts";
import {
  kebabCase,
  noMachinePaths,
  nothingUnfinished,
  openingComment,
  wholeTests,
} from "./tidy/hygiene-rules.ts";
import {
  explicitExtension,
  importCycles,
  importDirection,
  packageImports,
  scenarioRooms,
} from "./tidy/import-rules.ts";
import { k6Syntax } from "./tidy/k6-rules.ts";
import { fileLength, functionLength, lineLength } from "./tidy/size-rules.ts";
import type { Rule } from "./tidy/source-file.ts";
import { checkedOutFiles, formatProblem, sourceFile } from "./tidy/source-file.ts";
import { noSharedState, scenarioWorld } from "./tidy/world-rules.ts";

const RULES = {
  fileLength,
  lineLength,
  functionLength,
  importDirection,
  explicitExtension,
  packageImports,
  scenarioRooms,
  importCycles,
  deadFiles,
  deadExports,
  k6Syntax,
  scenarioWorld,
  noSharedState,
  givenTime,
  bareCallbacks,
  kebabCase,
  openingComment,
  wholeTests,
  nothingUnfinished,
  noMachinePaths,
} satisfies Record<string, Rule>;

type RuleName = keyof typeof RULES;

function problemsIn(rule: RuleName, files: Readonly<Record<string, string>>): string[] {
  const parsed = Object.entries(files).map(([path, text]) => sourceFile(path, text));
  return RULES[rule](parsed).map(formatProblem);
}

describe("the checkout", () => {
  const files = checkedOutFiles();

  it("has files to judge", () => {
    expect(files.length).toBeGreaterThan(50);
  });

  it.each(Object.keys(RULES) as RuleName[])("keeps the rule %s", (name) => {
    expect(RULES[name](files).map(formatProblem)).toEqual([]);
  });
});

const filler = (lines: number) => "\n".repeat(lines - 1);

/** A sample that breaks the rule, and the beginning of what is said of it. */
const FAILING: [RuleName, Record<string, string>, string][] = [
  ["fileLength", { "gate/a.ts": `${filler(401)}x;` }, "gate/a.ts:401: the file has 401 lines; use"],
  ["fileLength", { "test/a.ts": `${filler(601)}x;` }, "test/a.ts:601: the file has 601 lines; use"],
  ["lineLength", { "gate/a.ts": `\n// ${"x".repeat(98)}` }, "gate/a.ts:2: the line has 101"],
  [
    "functionLength",
    { "gate/a.ts": `\nfunction a() {${filler(71)}}` },
    "gate/a.ts:2: a function has 71 lines; use 70",
  ],
  [
    "functionLength",
    { "test/a.ts": `it("a", () => {${filler(71)}});` },
    "test/a.ts:1: a function has 71 lines; use 70",
  ],
  [
    "importDirection",
    { "contract/a.ts": 'import { a } from "../gate/a.ts";' },
    "contract/a.ts:1: contract/ imports from gate/; use",
  ],
  [
    "importDirection",
    { "gate/a.ts": 'import type { A } from "../scenarios/a.ts";' },
    "gate/a.ts:1: gate/ imports from scenarios/; use",
  ],
  [
    "importDirection",
    { "dashboards/a.ts": 'export { a } from "../probe/other.ts";' },
    "dashboards/a.ts:1: dashboards/ imports from probe/; use",
  ],
  [
    "importDirection",
    { "gate/a.ts": 'const a = await import("../cli/main.ts");' },
    "gate/a.ts:1: gate/ imports from cli/; use",
  ],
  [
    "scenarioRooms",
    { "scenarios/capacity/a.ts": 'import { a } from "../soak/b.ts";' },
    "scenarios/capacity/a.ts:1: scenarios/capacity/ imports from scenarios/soak/; use one of",
  ],
  [
    "scenarioRooms",
    { "scenarios/world/a.ts": 'import { a } from "../contract/b.ts";' },
    "scenarios/world/a.ts:1: scenarios/world/ imports from scenarios/contract/; use one of",
  ],
  ["explicitExtension", { "gate/a.ts": 'import "./b";' }, 'gate/a.ts:1: "./b" has no extension'],
  [
    "packageImports",
    { "contract/a.ts": 'import path from "node:path";' },
    'contract/a.ts:1: contract/ imports "node:path"; use',
  ],
  [
    "packageImports",
    { "scenarios/a.ts": 'import { z } from "zod";' },
    'scenarios/a.ts:1: scenarios/ imports "zod"; use',
  ],
  [
    "importCycles",
    { "gate/a.ts": 'import "./b.ts";', "gate/b.ts": 'import type { A } from "./a.ts";' },
    "gate/a.ts:1: import cycle gate/a.ts -> gate/b.ts -> gate/a.ts; use",
  ],
  ["deadFiles", { "gate/a.ts": "" }, "gate/a.ts:1: nothing imports this file; use"],
  [
    "deadExports",
    { "gate/a.ts": "export const { a, b: [c] } = x;", "gate/b.ts": 'import { a } from "./a.ts";' },
    'gate/a.ts:1: nothing imports "c"; use',
  ],
  [
    "deadExports",
    { "gate/a.ts": "\nexport interface A {}" },
    'gate/a.ts:2: nothing imports "A"; use',
  ],
  [
    "k6Syntax",
    { "scenarios/a.ts": "for await (const a of b) {}" },
    "scenarios/a.ts:1: `for await`",
  ],
  ["k6Syntax", { "contract/a.ts": "{ using a = b(); }" }, "contract/a.ts:1: `using`"],
  ["k6Syntax", { "contract/a.ts": "{ await using a = b(); }" }, "contract/a.ts:1: `using`"],
  ["k6Syntax", { "contract/a.ts": "class A { @b c() {} }" }, "contract/a.ts:1: a decorator"],
  ["k6Syntax", { "contract/a.ts": "class A { accessor b = 1; }" }, "contract/a.ts:1: `accessor`"],
  [
    "k6Syntax",
    { "contract/a.ts": 'import a from "./a.json" with { type: "json" };' },
    "contract/a.ts:1: import attributes",
  ],
  ["k6Syntax", { "scenarios/a.ts": 'import("./b.ts");' }, "scenarios/a.ts:1: k6 has no dynamic"],
  ["k6Syntax", { "scenarios/a.ts": "new URL(a)" }, "scenarios/a.ts:1: k6 has no URL; use text"],
  ["k6Syntax", { "contract/a.ts": "f({ fetch })" }, "contract/a.ts:1: k6 has no fetch; use"],
  ["k6Syntax", { "contract/a.ts": "performance.now()" }, "contract/a.ts:1: k6 has no performance"],
  [
    "scenarioWorld",
    { "scenarios/lib/a.ts": 'import http from "k6/http";' },
    'scenarios/lib/a.ts:1: a scenario imports "k6/http"; use',
  ],
  [
    "scenarioWorld",
    { "scenarios/a.ts": 'import exec from "k6/execution";' },
    'scenarios/a.ts:1: a scenario imports "k6/execution"; use',
  ],
  [
    "scenarioWorld",
    { "scenarios/soak/a.ts": 'import { k6World } from "../world/k6.ts";' },
    'scenarios/soak/a.ts:1: a scenario imports "../world/k6.ts"; use',
  ],
  [
    "scenarioWorld",
    { "scenarios/world/world.ts": "setTimeout(f, 1);" },
    "scenarios/world/world.ts:1: a scenario uses setTimeout; use world.delay",
  ],
  [
    "scenarioWorld",
    { "scenarios/a/a.ts": "Date.now()" },
    "scenarios/a/a.ts:1: a scenario uses Date",
  ],
  ["scenarioWorld", { "scenarios/a/a.ts": "f(Date.now)" }, "scenarios/a/a.ts:1: a scenario uses"],
  [
    "scenarioWorld",
    { "scenarios/a/a.ts": "new Date()" },
    "scenarios/a/a.ts:1: a scenario uses new",
  ],
  ["scenarioWorld", { "scenarios/a/a.ts": "Math.random()" }, "scenarios/a/a.ts:1: a scenario uses"],
  [
    "scenarioWorld",
    { "scenarios/a/a.ts": "setInterval(f)" },
    "scenarios/a/a.ts:1: a scenario uses",
  ],
  ["scenarioWorld", { "scenarios/a/a.ts": "__ENV.A" }, "scenarios/a/a.ts:1: a scenario uses __ENV"],
  ["scenarioWorld", { "scenarios/a.ts": "open(file)" }, "scenarios/a.ts:1: a scenario uses open"],
  [
    "scenarioWorld",
    { "scenarios/a.ts": "console.log(a)" },
    "scenarios/a.ts:1: a scenario uses con",
  ],
  ["noSharedState", { "scenarios/a/a.ts": "let a = 1;" }, "scenarios/a/a.ts:1: a module of"],
  [
    "noSharedState",
    { "scenarios/a/a.ts": "const a = new WeakMap();" },
    "scenarios/a/a.ts:1: a mod",
  ],
  ["noSharedState", { "scenarios/a/a.ts": "export const a = [];" }, "scenarios/a/a.ts:1: a module"],
  ["givenTime", { "reference/a.ts": "\nDate.now()" }, "reference/a.ts:2: Date.now reads"],
  ["givenTime", { "reference/a.ts": "new Date()" }, "reference/a.ts:1: new Date() reads"],
  ["givenTime", { "reference/a.ts": "setTimeout(a, 1)" }, "reference/a.ts:1: setTimeout reads"],
  ["givenTime", { "reference/a.ts": "performance.now()" }, "reference/a.ts:1: performance.now"],
  ["givenTime", { "reference/a.ts": "globalThis.setInterval(a)" }, "reference/a.ts:1: setInter"],
  [
    "givenTime",
    { "reference/a.ts": 'import { performance } from "node:perf_hooks";' },
    "reference/a.ts:1: node:perf_hooks reads",
  ],
  ["givenTime", { "reference/random.ts": "globalThis.Date.now()" }, "reference/random.ts:1: Date"],
  ["givenTime", { "cli/a.ts": "Date.now()" }, "cli/a.ts:1: Date.now steps"],
  ["givenTime", { "capacity/a.ts": "new Date()" }, "capacity/a.ts:1: new Date() steps"],
  ["givenTime", { "probe/a.ts": "setInterval(a, 1)" }, "probe/a.ts:1: setInterval reads"],
  ["givenTime", { "probe/a.ts": "Math.random()" }, "probe/a.ts:1: Math.random is chance"],
  ["givenTime", { "reference/a.ts": "Math.random()" }, "reference/a.ts:1: Math.random is chance"],
  [
    "givenTime",
    { "reference/clock.ts": 'import { randomUUID } from "node:crypto";' },
    "reference/clock.ts:1: randomUUID is chance",
  ],
  [
    "bareCallbacks",
    { "gate/a.ts": "function rest(a, b = 1) {}\nkeys.map(rest);" },
    "gate/a.ts:2: map hands rest more than it is meant to take; use an arrow function",
  ],
  [
    "bareCallbacks",
    { "gate/a.ts": "const a = async (b: B, c?: C) => {}; b.c().forEach(x ? y : a);" },
    "gate/a.ts:1: forEach hands a more",
  ],
  [
    "bareCallbacks",
    { "gate/a.ts": "texts.flatMap(Number.parseInt)" },
    "gate/a.ts:1: flatMap hands",
  ],
  ["bareCallbacks", { "gate/a.ts": "Array.from(a, parseInt)" }, "gate/a.ts:1: from hands parseInt"],
  [
    "bareCallbacks",
    { "gate/a.ts": "class A { b(c, d = 1) { e.some(this.b); } }" },
    "gate/a.ts:1: some hands this.b more",
  ],
  [
    "bareCallbacks",
    {
      "gate/a.ts": 'import { b as c } from "./b.ts"; d.filter(c as E);',
      "gate/b.ts": 'export { x as b } from "./c.ts";',
      "gate/c.ts": "export function x(...all) {}",
    },
    "gate/a.ts:1: filter hands c more",
  ],
  ...[
    "const r = rest; keys.map(r);",
    "keys.map(rest.bind(null));",
    "const { rest: r } = { rest }; keys.map(r);",
    "Array.prototype.map.call(keys, rest);",
    "const restOf = () => rest; keys.map(restOf());",
    "const typed: (k: string, w?: number) => void = rest; keys.map(typed);",
    "function all(given: (k: string, ...more: number[]) => void) { keys.map(given); }",
  ].map((uses): [RuleName, Record<string, string>, string] => [
    "bareCallbacks",
    { "gate/a.ts": `function rest(k: string, w = 1) {}\n${uses}` },
    "gate/a.ts:2: map hands ",
  ]),
  [
    "bareCallbacks",
    {
      "gate/a.ts": 'import type { P } from "./b.ts";\nfunction f(p: P) { keys.map(p.rest); }',
      "gate/b.ts": "export interface P { rest(k: string, w?: number): void }",
    },
    "gate/a.ts:2: map hands p.rest more",
  ],
  [
    "bareCallbacks",
    {
      "gate/a.ts": 'import rest, { other } from "./b.ts";\nkeys.map(rest); keys.map(other);',
      "gate/b.ts": 'export * from "./c.ts"; export default function (k, w = 1) {}',
      "gate/c.ts": "export class C { f(k, w = 1) {} } export const other = new C().f;",
    },
    "gate/a.ts:2: map hands other more",
  ],
  ["kebabCase", { "gate/headerCase.ts": "" }, 'gate/headerCase.ts:1: "headerCase.ts"; use kebab'],
  ["openingComment", { "gate/a.ts": "const a = 1;" }, "gate/a.ts:1: the file does not open with"],
  ["wholeTests", { "test/a.test.ts": "it.only('a', b);" }, "test/a.test.ts:1: it.only hides"],
  ["wholeTests", { "test/a.test.ts": "describe.skip('a', b);" }, "test/a.test.ts:1: describe.skip"],
  ["nothingUnfinished", { "gate/a.ts": `// TO${"DO"}: later` }, "gate/a.ts:1: "],
  ["noMachinePaths", { "gate/a.ts": `const a = "/ro${"ot/"}a";` }, "gate/a.ts:1: "],
];

/** Samples close to the ones above that keep the rule. */
const KEEPING: [RuleName, Record<string, string>][] = [
  ["fileLength", { "gate/a.ts": `${filler(400)}x;\n` }],
  ["functionLength", { "gate/a.ts": `function a() {${filler(70)}}` }],
  ["functionLength", { "test/a.ts": `describe("a", () => {${filler(90)}});` }],
  ["importDirection", { "cli/a.ts": 'import "../gate/a.ts"; import "./b.ts";' }],
  ["importDirection", { "dashboards/a.ts": 'import "../probe/metrics/catalogue.ts";' }],
  [
    "scenarioRooms",
    { "scenarios/soak/a.ts": 'import "../load/b.ts"; import "./c.ts"; import "../catalogue.ts";' },
  ],
  ["scenarioRooms", { "scenarios/soak.ts": 'import { a } from "./soak/scenario.ts";' }],
  ["packageImports", { "scenarios/a.ts": 'import http from "k6/http";' }],
  ["packageImports", { "gate/a.ts": 'import { request } from "undici";' }],
  ["importCycles", { "gate/a.ts": 'import "./b.ts";', "gate/b.ts": "" }],
  [
    "deadFiles",
    { "cli/main.ts": 'import "./a.ts"; new Worker("./b.ts");', "cli/a.ts": "", "cli/b.ts": "" },
  ],
  [
    "deadExports",
    { "gate/a.ts": "export const a = 1;", "test/a.test.ts": 'import * as a from "../gate/a.ts";' },
  ],
  ["deadExports", { "gate/a.ts": "export interface A {}\nfunction a(): A {}" }],
  ["deadExports", { "scenarios/a.ts": "export default function () {}" }],
  ["k6Syntax", { "gate/a.ts": "for await (const a of b) {} fetch(a);" }],
  ["k6Syntax", { "contract/a.ts": "client.fetch(a, { process: 1 });" }],
  [
    "scenarioWorld",
    { "scenarios/world/k6.ts": 'import http from "k6/http"; setTimeout(f, Date.now());' },
  ],
  ["scenarioWorld", { "scenarios/a.ts": 'import { k6Scenario } from "./world/k6-scenario.ts";' }],
  ["scenarioWorld", { "scenarios/a/a.ts": 'import type { World } from "../world/world.ts";' }],
  ["scenarioWorld", { "scenarios/a/a.ts": "new Date(ms); world.open(a); const open = a.open;" }],
  ["scenarioWorld", { "gate/a.ts": "console.log(Date.now()); setTimeout(f, 1);" }],
  ["noSharedState", { "scenarios/a/a.ts": "const a = new Set([1]); function f() { let b = []; }" }],
  ["noSharedState", { "scenarios/world/k6.ts": "let kept = null;" }],
  ["givenTime", { "reference/clock.ts": "performance.now(); setTimeout(a, 1);" }],
  ["givenTime", { "reference/random.ts": 'import { randomFillSync } from "node:crypto";' }],
  ["givenTime", { "reference/a.ts": "new Date(clock.nowMs()); job.performance; Date.parse(a);" }],
  ["givenTime", { "gate/a.ts": "performance.now(); Math.random(); setTimeout(a, 1);" }],
  [
    "bareCallbacks",
    { "gate/a.ts": "function a(b = 1, c) {}\nd.map(a); d.map((e) => f(e)); d.sort(g); g(a);" },
  ],
  ["bareCallbacks", { "gate/a.ts": "const sum = (a, b) => a; b.reduce(sum, 0); b.map(Number);" }],
  [
    "bareCallbacks",
    {
      "gate/a.ts": 'import { b } from "./b.ts"; c.map(b);',
      "gate/b.ts": "export const b = (a) => a;",
    },
  ],
  [
    "bareCallbacks",
    {
      "gate/a.ts":
        "function at(k: string, index: number) {}\nkeys.map(at); keys.map(at.bind(null));" +
        "keys.map(unknown); keys.map((k, w = 1) => at(k, w)); keys.toSorted(compare);",
    },
  ],
  ["openingComment", { "tools/a.mjs": "#!/usr/bin/env node\n/** Runs. */" }],
  ["wholeTests", { "test/a.test.ts": "it.each([1])('a', b);" }],
];

describe("the rules", () => {
  it.each(FAILING)("%s fails on a sample", (rule, files, said) => {
    expect(problemsIn(rule, files)).toContainEqual(expect.stringContaining(said));
  });

  it.each(KEEPING)("%s does not fail on a near miss", (rule, files) => {
    expect(problemsIn(rule, files)).toEqual([]);
  });

  it("each has a sample that fails", () => {
    const shown = new Set(FAILING.map(([rule]) => rule));
    expect(Object.keys(RULES).filter((rule) => !shown.has(rule as RuleName))).toEqual([]);
  });
});
