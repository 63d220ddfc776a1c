/** `plumbline probe`: canaries day and night, on a target or on the embedded service. */

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redactor } from "../../contract/redact.ts";
import { Secret } from "../../contract/secret.ts";
import { codeOf, messageOf } from "../../contract/thrown.ts";
import type { Settled } from "../../probe/events.ts";
import { METRICS } from "../../probe/metrics/catalogue.ts";
import { createLogger } from "../../probe/operation/log.ts";
import { readableLine } from "../../probe/operation/readable-log.ts";
import { servedWell } from "../../probe/outcome.ts";
import type { Probe, ProbeOptions } from "../../probe/probe.ts";
import { startProbe } from "../../probe/probe.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { packageVersion } from "../../runner/package-root.ts";
import type { Context } from "../context.ts";
import type { GateSubject, SubjectFlags } from "../gate-subject.ts";
import { openSubject, readSubject } from "../gate-subject.ts";
import type { Labels } from "../labels.ts";
import { readLabels } from "../labels.ts";
import { listenProblem } from "../listen-address.ts";
import { OptionReader } from "../options.ts";
import { watchTarget } from "../probe-reload.ts";
import { keepHeapSmall } from "../small-heap.ts";
import type { TraceFlag } from "../trace-option.ts";
import { readTrace, traced } from "../trace-option.ts";
import { UsageError } from "../usage-error.ts";

export interface ProbeFlags extends SubjectFlags {
  listen: string;
  state?: string;
  acceptUnknownSpending: boolean;
  location: string;
  allowHost: string;
  watch: boolean;
  once: boolean;
  label: readonly string[];
  trace?: TraceFlag;
  grace: string;
}

/** The environment variable of the token that metrics and page ask for; unset: none. */
const BEARER_VARIABLE = "PLUMBLINE_PROBE_TOKEN";

export async function probeCommand(flags: ProbeFlags, context: Context): Promise<ExitCode> {
  keepHeapSmall();
  const options = new OptionReader();
  const address = options.listenAddress("--listen", flags.listen, LISTEN_FORM);
  const listen = flags.once ? null : address;
  const graceMs = options.duration("--grace", flags.grace);
  const allowedHosts = readHosts(options, flags.allowHost);
  // The embedded service runs in real time here: it stands for a service that is watched.
  const choice = readSubject(flags, { profile: "standard", seed: 1 }, options);
  const trace = readTrace(flags.trace, options);
  const labels = readLabels("--label", flags.label, LABELS_OF_METRICS, options);
  if (flags.state !== undefined && choice.kind === "embedded") {
    const why = "the embedded service's jobs end with it, and so does their journal";
    options.problem(`--state: ${why}; expected --target beside it`);
  }
  options.finish();
  await using subject = traced(await openSubject(choice, context.environment), trace);
  await using state = await stateFolder(flags, subject);
  const probe = await start(flags, context, subject, { listen, allowedHosts, state, labels });
  try {
    if (flags.once) return await runOnce(probe, context);
    probe.start();
    context.output.result(announcement(probe, subject, state.path));
    const unwatch = watchTarget(flags, context, probe);
    if (!context.signal.aborted) await once(context.signal, "abort");
    unwatch();
    return EXIT.ok;
  } finally {
    await probe.close(flags.once ? 0 : graceMs);
  }
}

interface Place {
  /** null: nothing is served. */
  listen: { host: string; port: number } | null;
  allowedHosts: ProbeOptions["allowedHosts"];
  state: StateFolder;
  labels: Labels;
}

async function start(
  { location, acceptUnknownSpending }: ProbeFlags,
  { environment, output }: Context,
  { target, secrets }: GateSubject,
  { listen, allowedHosts, state, labels }: Place,
): Promise<Probe> {
  const token = environment[BEARER_VARIABLE];
  const bearerToken = token ? new Secret(token) : null;
  const redact = redactor([...secrets.values(), ...(bearerToken === null ? [] : [bearerToken])]);
  output.hide(redact);
  const isRead = output.talk.live;
  const logger = createLogger((line) => output.say(isRead ? readableLine(line) : line), redact);
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
const LABELS_OF_METRICS = ["location", ...METRICS.flatMap(({ labels }) => labels)];
const LISTEN_FORM = "host:port such as 127.0.0.1:9464";
const BESIDE =
  "this run keeps one of its own, which is removed, and counts for no budget of that probe";

/**
 * Jobs of the embedded service end with it, so that its journal is no use to the next run. Of a
 * single round nothing is left to a next one, unless a folder is named: the default one may be that
 * of a probe, or of another user.
 */
async function stateFolder(
  { state, once: isRound }: ProbeFlags,
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
    output.result(`${canary}: ${settled?.outcome ?? "not started"}${saying(settled)}\n`);
  }
  const served = [...runs.values()].map((settled) =>
    settled === null ? "unknown" : servedWell(settled.outcome),
  );
  if (served.includes("bad")) return EXIT.broken;
  return served.length > 0 && served.every((each) => each === "good") ? EXIT.ok : EXIT.noVerdict;
}

function saying(settled: Settled | null): string {
  return settled === null ? "" : `: ${settled.why}`;
}

const HOST_NAME = /^[\w-]+(?:\.[\w-]+)*\.?$/;

/** Names alone: the probe answers to them on any port that leads to it. */
function readHosts(options: OptionReader, text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (text.trim() === "") return [];
  for (const name of names.filter((each) => !HOST_NAME.test(each))) {
    const expected = "expected names such as probe.example.com, without scheme and port";
    options.problem(`--allow-host: "${name}" is not a host name; ${expected}`);
  }
  return names;
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
