/** `plumbline sink`: the webhook receiver alone, for a scenario that runs under stock k6. */

import { once } from "node:events";
import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { QUERY_SECRET_VARIABLE, SIGNATURE_SCHEMES } from "../../contract/jobs/delivery.ts";
import { isLoopbackHost } from "../../contract/requests/loopback.ts";
import { type Secrets, secretsIn } from "../../contract/text/secret.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../contract/webhook-schedule.ts";
import type { GivenReceiverOptions, ListenAddress } from "../../receiver/options.ts";
import {
  HEADER_NAME,
  HEADER_NAME_FORM,
  isPublicUrl,
  isQuerySecret,
  QUERY_SECRET_FORM,
  withSecrets,
} from "../../receiver/options.ts";
import { startReceiver } from "../../receiver/receiver.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { jsonText } from "../../report/text.ts";
import type { Context } from "../context.ts";
import { publicUrlWarnings, queryAddressWarnings, warningLine } from "../gate/warnings.ts";
import { UsageError } from "../usage-error.ts";
import { OptionReader } from "../values/option-reader.ts";

export interface SinkFlags {
  listen: string;
  queryListen: string;
  publicUrl?: string;
  signatureHeader: string;
  signatureScheme: string;
  signatureSecretEnv: readonly string[];
  json: boolean;
}

/** Stopping it is how it ends, so that a signal is a success. */
export async function sinkCommand(flags: SinkFlags, context: Context): Promise<ExitCode> {
  const { output, signal, environment } = context;
  const options = readFlags(flags, environment);
  const warnings = [
    ...publicUrlWarnings(options.publicUrl),
    ...queryAddressWarnings(options.query.host),
  ];
  for (const warning of warnings) output.say(warningLine(warning));
  const receiver = await open(options);
  const { access } = receiver;
  if (options.querySecret === undefined) output.say(secretLines(receiver.querySecret));
  output.result(flags.json ? jsonText(access) : announcement(access));
  if (!signal.aborted) await once(signal, "abort");
  await receiver.close();
  return EXIT.ok;
}

interface SinkOptions extends GivenReceiverOptions {
  query: ListenAddress;
  publicUrl: string | null;
}

function readFlags(flags: SinkFlags, environment: Context["environment"]): SinkOptions {
  const options = new OptionReader();
  const listen = options.listenAddress("--listen", flags.listen);
  const query = options.listenAddress("--query-listen", flags.queryListen);
  const scheme = options.oneOf("--signature-scheme", flags.signatureScheme, SIGNATURE_SCHEMES);
  const secrets = readSecrets(options, flags, environment);
  const querySecret = readQuerySecret(options, environment);
  const name = HEADER_NAME.test(flags.signatureHeader) ? flags.signatureHeader : null;
  const header = options.possible(
    "--signature-header",
    flags.signatureHeader,
    name,
    HEADER_NAME_FORM,
    WEBHOOK_SIGNATURE_HEADER,
  );
  if (flags.publicUrl !== undefined && !isPublicUrl(flags.publicUrl)) {
    const expected = "expected a URL such as https://hooks.example.com without a query";
    options.problem(`--public-url: invalid value "${flags.publicUrl}"; ${expected}`);
  }
  options.finish();
  return {
    listen,
    query,
    ...(querySecret === null ? {} : { querySecret }),
    publicUrl: flags.publicUrl ?? null,
    refusing: isLoopbackHost(listen.host),
    signature: withSecrets(
      { header, scheme: scheme ?? "present", secretEnvs: flags.signatureSecretEnv },
      secrets,
    ),
  };
}

/** A secret itself never stands on a command line, where other users of the machine see it. */
function readSecrets(
  options: OptionReader,
  { signatureScheme, signatureSecretEnv: names }: SinkFlags,
  environment: Context["environment"],
): Secrets {
  if (names.length === 0 && signatureScheme !== "present") {
    const expected = "expected --signature-secret-env beside it";
    options.problem(`--signature-scheme: ${signatureScheme} takes a secret; ${expected}`);
  }
  for (const name of names) {
    if ((environment[name] ?? "") !== "") continue;
    const expected = "expected the webhook secret there";
    options.problem(`--signature-secret-env: ${name} is not set; ${expected}`);
  }
  return secretsIn(environment, names);
}

/** Null where none is set: then one is made. */
function readQuerySecret(
  options: OptionReader,
  environment: Context["environment"],
): string | null {
  const secret = environment[QUERY_SECRET_VARIABLE] ?? "";
  if (secret === "") return null;
  if (isQuerySecret(secret)) return secret;
  options.problem(`${QUERY_SECRET_VARIABLE}: invalid value; expected ${QUERY_SECRET_FORM}`);
  return null;
}

/** The one place where it is told: who starts the sink has to hand it to who asks it. */
function secretLines(secret: string): string {
  const what = "who asks the query address needs this in the environment (printed this once):";
  return `${what}\n  export ${QUERY_SECRET_VARIABLE}=${secret}\n`;
}

async function open(options: SinkOptions) {
  try {
    return await startReceiver(options);
  } catch (error) {
    // What the receiver refuses of its options: a secret that its scheme can't be used with.
    if (error instanceof RangeError) throw new UsageError("invalid-option", [error.message]);
    throw error;
  }
}

function announcement({ publicUrl, queryUrl, refusingUrl, signature }: ReceiverAccess): string {
  const { header, scheme } = signature;
  const lines = [
    "webhook receiver",
    `  webhook URLs  ${publicUrl}/d/<token>/<script>`,
    ...(refusingUrl === null ? [] : [`  refusing      ${refusingUrl} until it is opened`]),
    `  queries       ${queryUrl}`,
    `  signatures    ${header}: ${scheme === "present" ? "only that there is one" : scheme}`,
    `plan: plumbline plan --target FILE --receiver ${queryUrl}`,
    "stop: Ctrl-C",
  ];
  return `${lines.join("\n")}\n`;
}
