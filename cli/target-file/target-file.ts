/** What plumbline.yaml says: everything wrong with it at once, or a target and its secrets. */

import type { Document } from "yaml";
import { LineCounter, parseDocument } from "yaml";
import { isObject } from "../../contract/decode/decoded.ts";
import { PLAN_LIMITS } from "../../contract/plans.ts";
import type { LoadPlan, PlanKey } from "../../contract/run/run-plan.ts";
import type { CanaryPlan, ProbePlan, Target } from "../../contract/target.ts";
import type { Secrets } from "../../contract/text/secret.ts";
import { secretsIn } from "../../contract/text/secret.ts";
import { messageOf } from "../../contract/text/thrown.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../contract/webhook-schedule.ts";
import { proxyFor } from "../../http/proxy.ts";
import type { Environment } from "../../runner/executables.ts";
import { UsageError } from "../usage-error.ts";
import { checkKeys } from "./key-checks.ts";
import type { FileProblem, Place } from "./location.ts";
import { pathText, placeOf, placeOfName } from "./location.ts";
import { checkReferences } from "./reference-checks.ts";
import type { TargetFile } from "./schema.ts";
import { targetFileSchema } from "./schema.ts";

export interface LoadedTarget {
  target: Target;
  secrets: Secrets;
}

/** Ours: the first problem causes most of those that follow. */
const YAML_PROBLEMS_MAX = 5;

/**
 * Throws UsageError with all problems, each as `file:line:column: path: what`. Without an
 * environment no secret is looked for.
 */
export function parseTargetFile(
  text: string,
  path: string,
  environment: Environment | null,
): LoadedTarget {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    resolveKnownTags: false,
  });
  if (document.errors.length > 0) {
    const problems = document.errors.slice(0, YAML_PROBLEMS_MAX).map(({ pos, message }) => {
      const { line, col } = lines.linePos(pos[0]);
      return `${path}:${line}:${col}: no valid YAML: ${inWords(message)}`;
    });
    throw new UsageError("invalid-target-file", [...new Set(problems)]);
  }
  const raw = withoutEmptySections(plainValue(document, path));
  const parsed = targetFileSchema.safeParse(raw);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.map(fileProblem)),
    ...checkKeys(raw, environment),
    ...checkReferences(raw, environment),
  ];
  if (!parsed.success || problems.length > 0) {
    const located = problems.map((problem) => ({
      problem,
      place: locate(problem, document, lines),
    }));
    located.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
    throw new UsageError(
      "invalid-target-file",
      located.map(({ problem, place }) => line(path, problem, place)),
    );
  }
  const target = targetOf(parsed.data);
  checkProxy(target.baseUrl, environment ?? {});
  return { target, secrets: secretsIn(environment ?? {}, secretsNamed(parsed.data)) };
}

/** Throws UsageError where a variable that names the proxy to the service has no address. */
function checkProxy(baseUrl: string, environment: Environment): void {
  try {
    proxyFor(baseUrl, environment);
  } catch (error) {
    throw new UsageError("invalid-option", [messageOf(error)]);
  }
}

/** The parser goes down by the stack, and tells of its end in the words of V8. */
function inWords(message: string): string {
  if (/stack/i.test(message)) return "nested too deeply; expected a few levels";
  return /multiple documents/.test(message) ? "more than one document; expected one" : message;
}

/** An alias that blows up, or points nowhere, fails here. */
function plainValue(document: Document, path: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    const message = messageOf(error);
    throw new UsageError("invalid-target-file", [`${path}: no valid YAML: ${message}`]);
  }
}

/** A section whose lines are all commented out is one that is left out. */
function withoutEmptySections(raw: unknown): unknown {
  if (!isObject(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
}

function fileProblem(issue: {
  path: PropertyKey[];
  message: string;
  code?: string;
  keys?: string[];
}): FileProblem {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  const [unknownName] = issue.code === "unrecognized_keys" ? (issue.keys ?? []) : [];
  return { path, message: issue.message, ...(unknownName === undefined ? {} : { unknownName }) };
}

function locate(problem: FileProblem, document: Document, lines: LineCounter): Place {
  return problem.unknownName === undefined
    ? placeOf(document, lines, problem.path)
    : placeOfName(document, lines, problem.path, problem.unknownName);
}

function line(file: string, problem: FileProblem, place: Place): string {
  const where = problem.path.length === 0 ? "" : `${pathText(problem.path)}: `;
  return `${file}:${place.line}:${place.column}: ${where}${problem.message}`;
}

function targetOf(file: TargetFile): Target {
  const { endWithin: endWithinMs, ...tolerances } = file.tolerances;
  return {
    baseUrl: file.target.baseUrl,
    timeScale: file.target.timeScale,
    embedded: false,
    keys: file.keys.map((key) => planKey(key, file)),
    workers: definedParts(file.workers),
    publish: publishOf(file.publish),
    cancel: (file.cancel ?? null) as Target["cancel"],
    webhook: webhookOf(file),
    load: loadOf(file.load),
    tolerances: { ...tolerances, endWithinMs },
    budget: file.budget ?? null,
    ...probeSections(file),
  };
}

function publishOf(file: TargetFile["publish"]): Target["publish"] {
  return file === undefined ? null : { worker: file.worker, key: file.key ?? null };
}

function webhookOf(file: TargetFile): Target["webhook"] {
  const { webhook } = file;
  if (webhook === undefined) return null;
  const { header = WEBHOOK_SIGNATURE_HEADER, scheme = "present" } = webhook.signature ?? {};
  return {
    listen: webhook.listen,
    publicUrl: webhook.publicUrl ?? null,
    signature: { header, scheme, secretEnvs: signingSecrets(file) },
  };
}

/** Names of variables, each once; the target's own goes first. */
function signingSecrets({ keys, webhook }: TargetFile): readonly string[] {
  const all = [webhook?.signature?.secretEnv, ...keys.map((key) => key.webhookSecretEnv)];
  return [...new Set(all.flatMap((name) => name ?? []))];
}

function loadOf(file: TargetFile["load"]): Target["load"] {
  if (file === undefined) return null;
  const { throughput, submitP99, queueWaitP99, errorShare, driftShare } = file.objectives ?? {};
  const mix = Object.entries(file.mix ?? {}).filter(([, weight]) => weight !== undefined);
  return {
    jobsPerSecond: file.jobsPerSecond,
    durationMs: file.duration,
    keys: file.keys ?? null,
    beyondPlan: file.beyondPlan,
    ...(file.shards === undefined ? {} : { shards: file.shards }),
    ...(file.generator === undefined ? {} : { generator: file.generator }),
    mix: Object.fromEntries(mix) as LoadPlan["mix"],
    objectives: {
      throughputShare: throughput === undefined ? null : Number.parseFloat(throughput) / 100,
      submitP99Ms: submitP99 ?? null,
      queueWaitP99Ms: queueWaitP99 ?? null,
      errorShare: errorShare ?? null,
      driftShare: driftShare ?? null,
    },
  };
}

/** Where no key names a secret, which of those of the target is a key's is not known. */
function planKey(key: TargetFile["keys"][number], { keys, webhook }: TargetFile): PlanKey {
  const declared = key.plan === "free" || key.plan === "pro" ? PLAN_LIMITS[key.plan] : key;
  return {
    name: key.name,
    env: key.env,
    state: key.state,
    plan: key.plan ?? null,
    sustained: declared.sustained ?? null,
    burst: declared.burst ?? null,
    account: key.account ?? null,
    ...(keys.some(({ webhookSecretEnv }) => webhookSecretEnv !== undefined)
      ? { webhookSecretEnv: key.webhookSecretEnv ?? webhook?.signature?.secretEnv }
      : {}),
  };
}

function definedParts(workers: TargetFile["workers"]): Target["workers"] {
  const parts = Object.entries(workers).filter(([, worker]) => worker !== undefined);
  return Object.fromEntries(parts) as Target["workers"];
}

/** Names of variables. */
function secretsNamed(file: TargetFile): readonly string[] {
  return [...file.keys.map(({ env }) => env), ...signingSecrets(file)];
}

/** Sections that are left out are left out of the target, too: the probe has its own defaults. */
function probeSections(file: TargetFile): Pick<Target, "canaries" | "slo" | "probe"> {
  return {
    ...(file.canaries === undefined ? {} : { canaries: file.canaries.map(canaryPlan) }),
    ...(file.slo === undefined ? {} : { slo: file.slo }),
    ...(file.probe === undefined ? {} : { probe: probePlan(file.probe) }),
  };
}

function canaryPlan(canary: NonNullable<TargetFile["canaries"]>[number]): CanaryPlan {
  const { name, part, every, jitter, deadline, webhook, expect, overlap } = canary;
  return {
    name,
    part,
    everyMs: every,
    jitterShare: jitter ?? null,
    deadlineMs: deadline ?? null,
    webhook,
    expect: expect ?? null,
    overlapMax: overlap ?? null,
  };
}

function probePlan(probe: NonNullable<TargetFile["probe"]>): ProbePlan {
  const { budget, requestsPerJob, rateShare, key, links, metrics } = probe;
  return {
    budget: { day: budget?.day ?? null, month: budget?.month ?? null },
    requestsPerJob: requestsPerJob ?? null,
    rateShare: rateShare ?? null,
    key: key ?? null,
    links: { runbook: links?.runbook ?? null, dashboard: links?.dashboard ?? null },
    legacyMetrics: metrics?.legacy ?? false,
  };
}
