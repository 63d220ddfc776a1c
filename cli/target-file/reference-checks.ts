/** Checks that what a section of the target file names exists elsewhere in it. */

import type { JsonObject } from "../../contract/decode/decoded.ts";
import { isObject } from "../../contract/decode/decoded.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import { secretsWithin } from "../../contract/text/secret.ts";
import { SERVICE_LEVELS } from "../../probe/canary/service-levels.ts";
import type { Environment } from "../../runner/executables.ts";
import { secretProblem } from "./key-checks.ts";
import type { FileProblem } from "./location.ts";

export function checkReferences(file: unknown, environment: Environment | null): FileProblem[] {
  if (!isObject(file)) return [];
  return [
    ...mixProblems(file),
    ...loadKeyProblems(file),
    ...oneKeyProblems(file, "probe"),
    ...oneKeyProblems(file, "publish"),
    ...canaryProblems(file),
    ...levelProblems(file),
    ...signatureProblems(file, environment),
  ];
}

function mixProblems(file: JsonObject): FileProblem[] {
  const mix = isObject(file.load) && isObject(file.load.mix) ? file.load.mix : {};
  return Object.keys(mix).flatMap((part) => missingPart(file, part, ["load", "mix", part]));
}

function loadKeyProblems(file: JsonObject): FileProblem[] {
  const named = isObject(file.load) && Array.isArray(file.load.keys) ? file.load.keys : [];
  const active = activeKeys(file);
  return (named as unknown[]).flatMap((name, index) => {
    if (typeof name !== "string") return [];
    const path = ["load", "keys", index];
    if (named.indexOf(name) < index) return [{ path, message: `"${name}" is named twice` }];
    return inactiveKey(active, name, path);
  });
}

function oneKeyProblems(file: JsonObject, section: "probe" | "publish"): FileProblem[] {
  const part = file[section];
  const name = isObject(part) ? part.key : undefined;
  return typeof name === "string" ? inactiveKey(activeKeys(file), name, [section, "key"]) : [];
}

function activeKeys(file: JsonObject): readonly string[] {
  const keys = Array.isArray(file.keys) ? (file.keys as unknown[]).filter(isObject) : [];
  const active = keys.filter(({ state = "active" }) => state === "active");
  return active.map(({ name }) => name).filter((name) => typeof name === "string");
}

function inactiveKey(
  active: readonly string[],
  name: string,
  path: FileProblem["path"],
): FileProblem[] {
  if (active.includes(name)) return [];
  const expected = active.length > 0 ? `one of: ${active.join(", ")}` : "one under keys";
  return [{ path, message: `"${name}" is not an active key; expected ${expected}` }];
}

function canaryProblems(file: JsonObject): FileProblem[] {
  const canaries = Array.isArray(file.canaries) ? (file.canaries as unknown[]) : [];
  const names = new Set<unknown>();
  return canaries.flatMap((canary, index) => {
    if (!isObject(canary)) return [];
    const path = ["canaries", index] as const;
    const repeated: FileProblem[] = names.has(canary.name)
      ? [{ path: [...path, "name"], message: "is another canary's name; expected one of its own" }]
      : [];
    names.add(canary.name);
    return [
      ...repeated,
      ...missingPart(file, String(canary.part), [...path, "part"]),
      ...cancelProblems(file, canary, [...path, "expect"]),
      ...webhookProblems(file, canary, [...path, "webhook"]),
    ];
  });
}

/** The probe explores nothing: it cancels by the request that it is told, or not at all. */
function cancelProblems(
  file: JsonObject,
  canary: JsonObject,
  path: FileProblem["path"],
): FileProblem[] {
  if (canary.expect !== "cancelled") return [];
  const method = isObject(file.cancel) ? file.cancel.method : undefined;
  if (method !== undefined && method !== "auto") return [];
  const message = "needs a request that cancels; expected cancel.method such as DELETE";
  return [{ path, message }];
}

function webhookProblems(
  file: JsonObject,
  canary: JsonObject,
  path: FileProblem["path"],
): FileProblem[] {
  if (canary.webhook !== true || isObject(file.webhook)) return [];
  return [{ path, message: "needs a receiver; expected a webhook section" }];
}

function levelProblems(file: JsonObject): FileProblem[] {
  const objectives = Array.isArray(file.slo) ? (file.slo as unknown[]) : [];
  const seen = new Set<unknown>();
  return objectives.flatMap((objective, index) => {
    if (!isObject(objective) || typeof objective.name !== "string") return [];
    const { name } = objective;
    const path = ["slo", index, "name"];
    const repeated = seen.has(name);
    seen.add(name);
    if (repeated) return [{ path, message: "has an objective already; expected one of each" }];
    if ((SERVICE_LEVELS as readonly string[]).includes(name)) return [];
    const expected = SERVICE_LEVELS.join(", ");
    return [{ path, message: `unknown service level "${name}"; expected one of: ${expected}` }];
  });
}

function missingPart(file: JsonObject, part: string, path: FileProblem["path"]): FileProblem[] {
  if (!(PARTS as readonly string[]).includes(part)) return [];
  const configured = isObject(file.workers) && isObject(file.workers[part]);
  if (configured) return [];
  return [{ path, message: `no worker plays "${part}"; expected workers.${part}` }];
}

function signatureProblems(file: JsonObject, environment: Environment | null): FileProblem[] {
  const webhook = isObject(file.webhook) ? file.webhook : {};
  const signature = isObject(webhook.signature) ? webhook.signature : {};
  const problems = (name: unknown, owner: string, path: FileProblem["path"]) =>
    signingProblems(name, environment, { owner, scheme: signature.scheme, path });
  const keys = Array.isArray(file.keys) ? (file.keys as unknown[]) : [];
  const own = keys.flatMap((key, index) => {
    if (!isObject(key)) return [];
    const owner = `the webhook secret of the key "${String(key.name)}"`;
    return problems(key.webhookSecretEnv, owner, ["keys", index, "webhookSecretEnv"]);
  });
  const path = ["webhook", "signature", "secretEnv"];
  const whole = problems(signature.secretEnv, "the webhook secret", path);
  return [...own, ...whole, ...unnamedProblems(keys, signature)];
}

interface Signing {
  owner: string;
  scheme: unknown;
  path: FileProblem["path"];
}

function signingProblems(
  name: unknown,
  environment: Environment | null,
  { owner, scheme, path }: Signing,
): FileProblem[] {
  if (typeof name !== "string") return [];
  const messages = onePerSecret(name, environment).flatMap((each) => {
    const isStandard = scheme === "standard-webhooks";
    const problem =
      secretProblem(name, owner, each) ?? (isStandard ? standardKeyProblem(name, each) : null);
    return problem ?? [];
  });
  return messages.slice(0, 1).map((message) => ({ path, message }));
}

/** Where keys name secrets, those of all active keys are to be known, and how they sign. */
function unnamedProblems(keys: readonly unknown[], signature: JsonObject): FileProblem[] {
  const named = keys.map((key) => isObject(key) && key.webhookSecretEnv !== undefined);
  const index = named.indexOf(true);
  if (index === -1) return [];
  if (signature.scheme === undefined || signature.scheme === "present") {
    const expected = "expected webhook.signature.scheme such as hmac-sha256";
    const message = `no scheme says what it signs; ${expected}`;
    return [{ path: ["keys", index, "webhookSecretEnv"], message }];
  }
  if (signature.secretEnv !== undefined) return [];
  return keys.flatMap((key, at) => {
    if (!isObject(key) || named[at] === true || (key.state ?? "active") !== "active") return [];
    const expected = "expected webhookSecretEnv here, or webhook.signature.secretEnv for the rest";
    return [{ path: ["keys", at], message: `has no webhook secret, as others have; ${expected}` }];
  });
}

function onePerSecret(name: string, environment: Environment | null): (Environment | null)[] {
  const secrets = secretsWithin(environment?.[name] ?? "");
  return secrets.length < 2
    ? [environment]
    : secrets.map((value) => ({ ...environment, [name]: value }));
}

/** Source: Standard Webhooks, "Signature scheme": a secret is base64 after its prefix. */
const STANDARD_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function standardKeyProblem(name: string, environment: Environment | null): string | null {
  const value = environment?.[name];
  if (value === undefined || !value.startsWith("whsec_") || STANDARD_SECRET.test(value))
    return null;
  return `environment variable ${name} holds no base64 after "whsec_"; expected a secret as issued`;
}
