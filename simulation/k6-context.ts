/**
 * Loads code as k6 would: into a context of its own, without the globals and members that k6 does
 * not have. What touches one throws here as it does there.
 */

import path from "node:path";
import vm from "node:vm";
import { rolldown } from "rolldown";
import { ROOT } from "../runner/package-root.ts";

/**
 * What the language gives to code in k6 2.2, by its own `Object.getOwnPropertyNames(globalThis)`;
 * its functions for timers, texts and chance are left out, as scenarios have a world for that.
 */
const GLOBALS: ReadonlySet<string> = new Set(
  [
    "AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date",
    "Error EvalError Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array",
    "JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set",
    "String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array",
    "Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent",
    "escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape",
  ].flatMap((names) => names.split(" ")),
);

/** Members of those that Node has and k6 has not. */
const ABSENT_MEMBERS: Readonly<Record<string, string>> = {
  Array: "fromAsync",
  "ArrayBuffer.prototype": "detached maxByteLength resizable resize transfer transferToFixedLength",
  "DataView.prototype": "getFloat16 setFloat16",
  Error: "captureStackTrace isError",
  JSON: "isRawJSON rawJSON",
  Map: "groupBy",
  Math: "f16round",
  Object: "groupBy",
  Promise: "try withResolvers",
  RegExp: "escape",
  "RegExp.prototype": "hasIndices unicodeSets",
  "Set.prototype":
    "difference intersection isDisjointFrom isSubsetOf isSupersetOf symmetricDifference union",
  "String.prototype": "isWellFormed toWellFormed",
};

/** Of iterators k6 knows `next` and no helpers. */
const WITHOUT_ITERATOR_HELPERS = `
  const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  for (const name of Object.getOwnPropertyNames(iterators)) delete iterators[name];`;

/** A realm as k6 gives it; nothing of Node's is in it. */
export function k6Context(): vm.Context {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  vm.runInContext(WITHOUT_ITERATOR_HELPERS, context);
  for (const [of, names] of Object.entries(ABSENT_MEMBERS)) {
    const holder = vm.runInContext(of, context) as Record<string, unknown>;
    for (const name of names.split(" ")) delete holder[name];
  }
  for (const name of Object.getOwnPropertyNames(context)) {
    if (!GLOBALS.has(name)) delete context[name];
  }
  return context;
}

/** The exports of a file of this room or the tests, run in such a context with all it imports. */
export async function loadAsK6<Exports>(file: string): Promise<Exports> {
  const bundle = await rolldown({ input: path.resolve(import.meta.dirname, file), cwd: ROOT });
  const { output } = await bundle.generate({ format: "iife", name: "loaded" });
  await bundle.close();
  return vm.runInContext(`${output[0].code};loaded`, k6Context(), { filename: file }) as Exports;
}
