/** A probe from its first canary to its orderly end, or a single round of canaries. */

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { redactor } from "../../contract/text/redact.ts";
import { Secret } from "../../contract/text/secret.ts";
import { codeOf, messageOf } from "../../contract/text/thrown.ts";
import { createLogger } from "../../probe/operation/log.ts";
import { readableLine } from "../../probe/operation/readable-log.ts";
import { servedWell } from "../../probe/outcome.ts";
import type { Probe, ProbeOptions } from "../../probe/probe.ts";
import { startProbe } from "../../probe/probe.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { duration } from "../../report/text.ts";
import { packageVersion } from "../../runner/package-root.ts";
import type { Context } from "../context.ts";
import type { GateSubject } from "../subject/subject.ts";
import { UsageError } from "../usage-error.ts";
import type { Labels } from "../values/labels.ts";
import { listenProblem } from "../values/listen-address.ts";
import { watchTarget } from "./reload.ts";

/** The environment variable of the token that metrics and page ask for; unset: none. */
const BEARER_VARIABLE = "PLUMBLINE_PROBE_TOKEN";

/** What the command was asked for. */
export interface ProbeRequest {
  target?: string;
  state?: string;
  acceptUnknownSpending: boolean;
  location: string;
  watch: boolean;
  once: boolean;
  listen: { host: string; port: number };
  graceMs: number;
  allowedHosts: ProbeOptions["allowedHosts"];
  labels: Labels;
}

export async function runProbe(
  request: ProbeRequest,
  subject: GateSubject,
  context: Context,
): Promise<ExitCode> {
  await using state = await stateFolder(request, subject);
  const logger = loggerOf(context, subject);
  const probe = await start({ ...request, logger }, context, subject, state);
  try {
    if (request.once) return await runOnce(probe, context);
    const version = packageVersion();
    logger.info({ event: "start", version }, `probing ${subject.target.baseUrl}`);
    probe.start();
    context.output.result(announcement(probe, subject, state.path));
    const unwatch = watchTarget(request, context, probe);
    if (!context.signal.aborted) await once(context.signal, "abort");
    unwatch();
    const wait = `waits up to ${duration(request.graceMs)} for jobs in flight`;
    logger.info({ event: "stop" }, `stopping; ${wait}, the journal keeps the rest`);
    return EXIT.ok;
  } finally {
    await probe.close(request.once ? 0 : request.graceMs);
  }
}

function tokenOf({ environment }: Context): Secret | null {
  const token = environment[BEARER_VARIABLE];
  return token ? new Secret(token) : null;
}

/** From now on no output shows a key or the token. */
function loggerOf(context: Context, { secrets }: GateSubject): Logger {
  const { output } = context;
  const token = tokenOf(context);
  const redact = redactor([...secrets.values(), ...(token === null ? [] : [token])]);
  output.hide(redact);
  const isRead = output.talk.live;
  return createLogger((line) => output.say(isRead ? readableLine(line) : line), redact);
}

async function start(
  request: ProbeRequest & { logger: Logger },
  context: Context,
  { target, secrets }: GateSubject,
  state: StateFolder,
): Promise<Probe> {
  const { location, acceptUnknownSpending, allowedHosts, labels, logger } = request;
  const { output } = context;
  const listen = request.once ? null : request.listen;
  const bearerToken = tokenOf(context);
  const version = packageVersion();
  const open = () => {
    const given = { target, secrets, location, labels, bearerToken, version, logger };
    const kept = { stateDir: state.path, acceptUnknownSpending };
    return startProbe({ ...given, ...kept, listen, allowedHosts });
  };
  try {
    return await open().catch(async (error: unknown) => {
      if (listen !== null || codeOf(error) !== "journal-in-use") throw error;
      output.say(`a running probe holds the journal in "${state.path}": ${BESIDE}\n`);
      await state.moveToOwn();
      return await open();
    });
  } catch (error) {
    if (codeOf(error)?.startsWith("journal-")) {
      throw new UsageError("invalid-option", [`--state: ${messageOf(error)}`]);
    }
    throw listenProblem(error, `--listen: ${listen?.host}:${listen?.port}`);
  }
}

const STATE = ".plumbline/probe";
const BESIDE =
  "this run keeps one of its own, which is removed, and counts for no budget of that probe";

/**
 * Jobs of the embedded service end with it, so that its journal is no use to the next run. Of a
 * single round nothing is left to a next one, unless a folder is named: the default one may be that
 * of a probe, or of another user.
 */
async function stateFolder(
  { state, once: isRound }: ProbeRequest,
  { target }: GateSubject,
): Promise<StateFolder> {
  const folder = new StateFolder(state ?? STATE);
  if (target.embedded || (isRound && state === undefined)) await folder.moveToOwn();
  return folder;
}

/** Where the journal lies: the folder that was named, or one for the time of this command. */
class StateFolder implements AsyncDisposable {
  path: string;
  #own: string | null = null;

  constructor(path: string) {
    this.path = path;
  }

  async moveToOwn(): Promise<void> {
    this.#own = await mkdtemp(join(tmpdir(), "plumbline-probe-"));
    this.path = this.#own;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own !== null) await rm(this.#own, { recursive: true, force: true });
  }
}

/** For cron and Kubernetes jobs: exits by the worst outcome. */
async function runOnce(probe: Probe, { output, signal }: Context): Promise<ExitCode> {
  const interrupted = once(signal, "abort").then(() => null);
  const runs = await Promise.race([probe.once(), interrupted]);
  if (runs === null) return EXIT.interrupted;
  if (runs.size === 0) output.say("no canary is configured: nothing was run; expected canaries\n");
  for (const [canary, settled] of runs) {
    const how = settled === null ? "not started" : `${settled.outcome}: ${settled.why}`;
    output.result(`${canary}: ${how}\n`);
  }
  const served = [...runs.values()].map((settled) =>
    settled === null ? "unknown" : servedWell(settled.outcome),
  );
  if (served.includes("bad")) return EXIT.broken;
  return served.length > 0 && served.every((each) => each === "good") ? EXIT.ok : EXIT.noVerdict;
}

function announcement({ address }: Probe, { target }: GateSubject, stateDir: string): string {
  const where = target.embedded ? "the embedded service at " : "";
  return `${[
    `probing ${where}${target.baseUrl}`,
    "",
    `status page  ${address}/`,
    `metrics      ${address}/metrics`,
    `as JSON      ${address}/api/canaries`,
    `journal      ${stateDir}`,
    "",
    "stop: Ctrl-C",
  ].join("\n")}\n`;
}
