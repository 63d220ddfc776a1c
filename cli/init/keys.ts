/** The keys that a target file is written with: named by their variables, never held. */

import type { Environment } from "../../runner/executables.ts";
import type { Ask } from "../ask.ts";
import { ENVIRONMENT_NAME, isUsualName, secretProblem } from "../target-file/key-checks.ts";
import { didYouMean } from "../values/nearest.ts";
import type { OptionReader } from "../values/option-reader.ts";

/** An entry of `keys` as the target file has it. */
export interface KeyEntry {
  name: string;
  plan?: string;
  sustained?: number;
  burst?: number;
  state?: string;
  account?: string;
  env: string;
}

const STATES = ["revoked", "exhausted"];
const PLANS = ["free", "pro"];
const KINDS = [...PLANS, ...STATES, "none"];
const KIND_FORM = "free, pro, SUSTAINED/BURST such as 200/400, revoked, exhausted or none";
/** Ours: that of "100000/1000000". */
const KIND_CHARS_MAX = 14;
const PREFIX = "PLUMBLINE_KEY_";

/** Keys as `--key VARIABLE:KIND:ACCOUNT` names them. */
export function readKeys(
  texts: readonly string[],
  environment: Environment,
  options: OptionReader,
): readonly KeyEntry[] {
  return texts.flatMap((text) => {
    const [variable = "", kind = "none", ...account] = text.split(":");
    const entry = keyEntry(variable, kind, account.join(":"));
    const problem = entry === null ? kindProblem(kind) : problemOf(entry, environment);
    if (problem !== null) options.problem(`--key: ${problem}`);
    return entry === null || problem !== null ? [] : [entry];
  });
}

/** Flags into which a key itself went: the file would hold "[redacted]" in its place. */
export function refuseSecrets(
  flags: readonly (readonly [string, readonly string[]])[],
  redact: (text: string) => string,
  options: OptionReader,
): void {
  for (const [flag, texts] of flags) {
    if (texts.every((text) => redact(text) === text)) continue;
    options.problem(`${flag}: holds the value of a key; expected no key on the command line`);
  }
}

/** null for an unknown kind; without an account its text is empty. */
function keyEntry(env: string, kind: string, account: string): KeyEntry | null {
  const name = nameOf(env);
  const whose = account === "" ? {} : { account };
  if (PLANS.includes(kind)) return { name, plan: kind, ...whose, env };
  if (STATES.includes(kind)) return { name, state: kind, ...whose, env };
  if (kind === "none" || kind === "") return { name, ...whose, env };
  const [, sustained, burst] = /^(\d+(?:\.\d+)?)\/(\d+)$/.exec(kind) ?? [];
  if (sustained === undefined || burst === undefined) return null;
  const limits = { sustained: Number(sustained), burst: Number(burst) };
  return { name, plan: "enterprise", ...limits, ...whose, env };
}

/** `PLUMBLINE_KEY_FREE_A` is called free-a. */
function nameOf(variable: string): string {
  const word = variable.replace(PREFIX, "").toLowerCase().replaceAll("_", "-");
  return word.replace(/^-+/, "") || "key";
}

function kindProblem(kind: string): string {
  if (kind === "enterprise") {
    return 'the plan "enterprise" is written as its limits: SUSTAINED/BURST, such as 200/400';
  }
  // A longer text may be the key's value, put where its plan belongs.
  const told = kind.length <= KIND_CHARS_MAX ? ` "${kind}"${didYouMean(kind, KINDS)}` : "";
  return `unknown plan${told}; expected ${KIND_FORM}`;
}

function problemOf({ env, name }: KeyEntry, environment: Environment): string | null {
  const isUnset = (environment[env] ?? "") === "";
  if (!ENVIRONMENT_NAME.test(env) || (isUnset && !isUsualName(env))) {
    return "a key is named by the variable that holds it; expected VARIABLE:plan[:account]";
  }
  return secretProblem(env, `the key "${name}"`, environment);
}

/** Asks for plan and account of each variable that looks like a key's; alone, it knows neither. */
export async function keysOfEnvironment(
  environment: Environment,
  ask: Ask | null,
): Promise<readonly string[]> {
  const variables = Object.keys(environment).filter((name) => {
    return name.startsWith(PREFIX) && environment[name] !== "";
  });
  if (ask === null) return variables.map((name) => `${name}:none`);
  const named = variables.length > 0 ? variables : [await ask(ASK_VARIABLE, `${PREFIX}FREE`)];
  const keys: string[] = [];
  for (const name of named) {
    const kind = await ask(`${name}: its plan (${KIND_FORM})`, "none");
    const account = await ask(`${name}: its account, any word, the same for keys of one`, "one");
    keys.push(`${name}:${kind}:${account}`);
  }
  return keys;
}

const ASK_VARIABLE = "Environment variable that holds an API key";
