/** Asks a running `plumbline sink` for what a plan has to say of it. */

import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import { QUERY_SECRET_VARIABLE } from "../contract/jobs/delivery.ts";
import { isLoopback } from "../contract/requests/loopback.ts";
import type { Target } from "../contract/target.ts";
import { isQuerySecret } from "../receiver/options.ts";
import { receiverAccess } from "../receiver/query-schema.ts";
import type { Environment } from "../runner/executables.ts";
import { UsageError } from "./usage-error.ts";

export interface SinkAccess {
  access: ReceiverAccess | null;
  /** Why the service can't use it, in a sentence; null where it can. */
  missing: string | null;
}

/** Ours: a sink on this machine or next to it answers at once. */
const ASK_TIMEOUT_MS = 5_000;

/** Throws UsageError where no sink answers, or one that can't tell whose a signature is. */
export async function sinkAccess(
  queryUrl: string,
  { baseUrl, keys }: Pick<Target, "baseUrl" | "keys">,
  environment: Environment,
): Promise<SinkAccess> {
  const access = await ask(queryUrl.replace(/\/+$/, ""), environment[QUERY_SECRET_VARIABLE] ?? "");
  checkSecrets(access, keys);
  const isLocal = isLoopback(baseUrl);
  if (!isLocal && isLoopback(access.publicUrl)) {
    const missing = `the service can't reach ${access.publicUrl}; expected sink --public-url`;
    return { access: null, missing };
  }
  // Who reaches the sink through another address does not reach its second port.
  const isDirect = isLocal && isLoopback(access.publicUrl);
  const refusingUrl = isDirect ? access.refusingUrl : null;
  return { access: { ...access, refusingUrl }, missing: null };
}

/** Where keys name several secrets, and signatures are checked at all. */
function checkSecrets(
  { queryUrl, signature: { scheme, secretEnvs = [] } }: ReceiverAccess,
  keys: Target["keys"],
): void {
  const named = [...new Set(keys.flatMap(({ webhookSecretEnv }) => webhookSecretEnv ?? []))];
  if (scheme === "present" || named.every((name) => secretEnvs.includes(name))) return;
  // A sink with one secret does not tell whose.
  if (named.length < 2) return;
  const flags = named.map((name) => `--signature-secret-env ${name}`).join(" ");
  const problem = `--receiver: ${queryUrl} can't tell whose a signature is; expected sink ${flags}`;
  throw new UsageError("invalid-option", [problem]);
}

/** The address that was asked is the one that works from here, whatever the sink calls itself. */
async function ask(queryUrl: string, secret: string): Promise<ReceiverAccess> {
  if (!URL.canParse(queryUrl)) throw refusal(queryUrl, "is no URL");
  if (secret !== "" && !isQuerySecret(secret)) throw wrongSecret("holds no secret of a sink");
  let answer: unknown;
  let status: number;
  try {
    const response = await fetch(`${queryUrl}/access`, {
      headers: secret === "" ? {} : { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    status = response.status;
    answer = await response.json();
  } catch {
    throw refusal(queryUrl, "gave no answer of a sink to GET /access");
  }
  if (status === 401) {
    throw wrongSecret(secret === "" ? "is not set" : `is not that of the sink at ${queryUrl}`);
  }
  const access = receiverAccess.safeParse(answer);
  if (!access.success) throw refusal(queryUrl, "gave another answer than a sink to GET /access");
  return { ...access.data, queryUrl };
}

function wrongSecret(what: string): UsageError {
  const expected = "expected the secret that `plumbline sink` was given or has printed";
  const problem = `--receiver: ${QUERY_SECRET_VARIABLE} ${what}; ${expected}`;
  return new UsageError("invalid-option", [problem]);
}

function refusal(queryUrl: string, what: string): UsageError {
  const expected = "expected the query address that `plumbline sink` printed, while it runs";
  return new UsageError("invalid-option", [`--receiver: ${queryUrl} ${what}; ${expected}`]);
}
