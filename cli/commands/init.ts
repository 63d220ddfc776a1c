/** `plumbline init`: a target file for a service, checked by the preflight before it is written. */

import path from "node:path";
import { activeByRate } from "../../contract/plans.ts";
import { isLoopback } from "../../contract/requests/loopback.ts";
import { VERSION_AT_END } from "../../contract/requests/routes.ts";
import { redactor } from "../../contract/text/redact.ts";
import { secretsIn } from "../../contract/text/secret.ts";
import type { Preflight } from "../../gate/preflight.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { ROOT } from "../../runner/package-root.ts";
import type { Ask } from "../ask.ts";
import { shellWord } from "../completion/quoted.ts";
import type { Context } from "../context.ts";
import { refuseUnwritable, writeGiven } from "../files/written-file.ts";
import { budgetLine } from "../gate/budget-line.ts";
import { gapLines } from "../init/gaps.ts";
import type { KeyEntry } from "../init/keys.ts";
import { keysOfEnvironment, readKeys, refuseSecrets } from "../init/keys.ts";
import type { GivenParts } from "../init/parts-option.ts";
import { chooseParts, readParts } from "../init/parts-option.ts";
import type { Catalogue } from "../init/service-workers.ts";
import { readCatalogue, withWorkers } from "../init/service-workers.ts";
import { withShownPlans } from "../init/shown-plans.ts";
import type { Draft } from "../init/target-text.ts";
import { targetText } from "../init/target-text.ts";
import { checkTarget } from "../subject/check-target.ts";
import { CANCEL_METHODS } from "../target-file/schema.ts";
import type { LoadedTarget } from "../target-file/target-file.ts";
import { parseTargetFile } from "../target-file/target-file.ts";
import { OptionReader } from "../values/option-reader.ts";

export interface InitFlags {
  url?: string;
  out: string;
  force: boolean;
  key: readonly string[];
  worker: readonly string[];
  input: readonly string[];
  cancel?: string;
  publish?: string;
  webhookUrl?: string;
  webhookListen?: string;
  jobs: string;
  timeScale?: string;
  questions: boolean;
}

export async function initCommand(flags: InitFlags, context: Context): Promise<ExitCode> {
  const { environment, output } = context;
  const ask = flags.questions ? context.ask : null;
  const say = (text: string) => output.say(`${text}\n`);
  const flag = flags.force ? "w" : "wx";
  await refuseUnwritable("--out", flags.out, flag);
  const given = await readGiven(flags, ask, context);
  const bareText = targetText(given.draft, NO_CATALOGUE, "");
  const bare = parseTargetFile(bareText, flags.out, environment);
  // A catalogue that quotes a key must not bring it into the file.
  const redact = redactor(bare.secrets.values());
  output.hide(redact);
  const { plans } = await check(bare, context);
  const { keys, corrections } = await withShownPlans(given.draft.keys, plans, ask);
  for (const correction of corrections) say(correction);
  const catalogue = await lookUp(bare, context);
  say(`the catalogue lists ${catalogue.workers.length + catalogue.others} workers`);
  const parts = await chooseParts(given.parts, catalogue.workers, ask);
  const schema = path.join(ROOT, "schemas/target.schema.json");
  const shown = path.relative(path.dirname(path.resolve(flags.out)), schema);
  const text = redact(targetText({ ...given.draft, keys, parts }, catalogue, shown));
  const whole = parseTargetFile(text, flags.out, environment);
  const { notes, usualPrice } = await check(whole, context).catch((error: unknown) => {
    throw withWorkers(error, catalogue);
  });
  for (const note of notes) say(`preflight: ${note}`);
  await writeGiven("--out", flags.out, text, flag);
  const named = Object.entries(parts).map(([part, { id }]) => `${part} = ${id}`);
  const lines = [
    `wrote ${flags.out}; the preflight accepts it${notesText(notes.length)}`,
    `workers: ${named.length === 0 ? "none" : named.join(", ")}`,
    `budget: ${budgetLine(whole.target, usualPrice)}`,
    "",
    ...gapLines(whole.target),
    "",
    `next: ${calledAs(context.environment)} gate --target ${shellWord(flags.out)}`,
    "if a worker does not do what its part needs, the notes of the report name it",
  ];
  output.result(`${lines.join("\n")}\n`);
  return EXIT.ok;
}

const NO_CATALOGUE: Catalogue = { workers: [], others: 0 };

interface Given {
  draft: Draft;
  parts: GivenParts;
}

async function readGiven(
  flags: InitFlags,
  ask: Ask | null,
  { environment, output }: Context,
): Promise<Given> {
  const options = new OptionReader();
  const url = flags.url ?? (await ask?.("Address of the service", "")) ?? "";
  const example = "https://api.example.com";
  const asked = options.httpUrl("init", url, example) ?? url;
  const baseUrl = asked.replace(VERSION_AT_END, "");
  if (baseUrl !== asked) output.say("/v1 is left out of the address: each request adds it\n");
  const texts = flags.key.length > 0 ? flags.key : await keysOfEnvironment(environment, ask);
  if (texts.length === 0) {
    const expected = "expected --key VARIABLE:plan[:account], or a variable PLUMBLINE_KEY_...";
    options.problem(`--key: no key is named, and no variable holds one; ${expected}`);
  }
  const keys = readKeys(texts, environment, options);
  const redact = redactor(
    secretsIn(
      environment,
      keys.map(({ env }) => env),
    ).values(),
  );
  output.hide(redact);
  const { worker, input, publish = "", webhookUrl = "", webhookListen = "" } = flags;
  const given = { init: [url], "--key": texts, "--worker": worker, "--input": input };
  const others = { "--publish": [publish], "--webhook-url": [webhookUrl] };
  refuseSecrets(
    Object.entries({ ...given, ...others, "--webhook-listen": [webhookListen] }),
    redact,
    options,
  );
  if (keys.length > 0 && keys.every(({ state }) => state !== undefined)) {
    options.problem("--key: none of the keys is active; expected one with a plan, or none");
  }
  const cancel = flags.cancel ?? (await ask?.("Request that cancels (- : leave out)", "auto"));
  const parts = readParts(flags.worker, flags.input, options);
  const draft: Draft = {
    baseUrl,
    timeScale: flags.timeScale === undefined ? 1 : options.timeScale(flags.timeScale),
    keys: distinct(keys),
    parts: {},
    publish: flags.publish ?? null,
    cancel:
      cancel === undefined || cancel === "-"
        ? null
        : options.oneOf("--cancel", cancel, CANCEL_METHODS),
    webhook: webhookOf(flags, baseUrl),
    jobs: options.wholeNumber("--jobs", flags.jobs, 1_000_000),
  };
  options.finish();
  return { draft, parts };
}

/** As the command was called: a checkout has it behind a script of npm's. */
function calledAs({ npm_lifecycle_event: script }: Context["environment"]): string {
  return script === "plumbline" ? "npm run plumbline --" : "plumbline";
}

/** Two variables may yield one name. */
function distinct(keys: readonly KeyEntry[]): readonly KeyEntry[] {
  return keys.map((key, at) => {
    const isTaken = keys.slice(0, at).some(({ name }) => name === key.name);
    return isTaken ? { ...key, name: `${key.name}-${at + 1}` } : key;
  });
}

/** A service on this machine reaches a receiver on it; any other has to be told an address. */
function webhookOf({ webhookUrl, webhookListen }: InitFlags, baseUrl: string): Draft["webhook"] {
  const isNear = isLoopback(baseUrl);
  if (webhookUrl === undefined && webhookListen === undefined && !isNear) return null;
  return {
    listen: webhookListen ?? "127.0.0.1:0",
    ...(webhookUrl === undefined ? {} : { publicUrl: webhookUrl }),
  };
}

function check(loaded: LoadedTarget, { output, signal }: Context): Promise<Preflight> {
  const onProgress = (text: string) => output.say(`preflight: ${text}\n`);
  return checkTarget({ ...loaded, signal, onProgress });
}

async function lookUp({ target, secrets }: LoadedTarget, { signal }: Context): Promise<Catalogue> {
  const [widest] = activeByRate(target.keys);
  return widest === undefined
    ? NO_CATALOGUE
    : await readCatalogue(target.baseUrl, widest, secrets, signal);
}

function notesText(count: number): string {
  if (count === 0) return "";
  return count === 1 ? ", with the note above" : `, with the ${count} notes above`;
}
