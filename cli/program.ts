/** The commands of `plumbline` and their options. */

import type { Option } from "commander";
import { Command, CommanderError } from "commander";

import { SIGNATURE_SCHEMES } from "../contract/delivery.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../contract/webhook-schedule.ts";
import type { ExitCode } from "../report/exit-codes.ts";
import { EXIT } from "../report/exit-codes.ts";
import { packageVersion } from "../runner/package-root.ts";
import type { BaselineFlags } from "./commands/baseline.ts";
import type { JudgeFlags } from "./commands/judge.ts";
import type { Context } from "./context.ts";

type Action<Flags> = (flags: Flags, context: Context) => Promise<ExitCode>;

/** Commands are loaded when they are called for: not every one needs a web server. */
export async function runProgram(args: readonly string[], context: Context): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const run = <Flags>(load: () => Promise<Action<Flags>>) => {
    return async (flags: Flags) => {
      exitCode = await (await load())(flags, context);
    };
  };
  const program = createProgram(context);
  addGate(program, run);
  addCompare(program, run);
  addBaseline(program, run);
  addProbe(program, run);
  addCapacity(program, run);
  addReference(program, run);
  addSink(program, run);
  addDashboards(program, run);
  addSmallCommands(program, run);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exitCode;
}

type Run = <Flags>(load: () => Promise<Action<Flags>>) => (flags: Flags) => Promise<void>;

function createProgram({ output }: Context): Command {
  return new Command("plumbline")
    .description("Tells whether an asynchronous job service keeps its promises.")
    .version(packageVersion())
    .showHelpAfterError("(add --help for the options)")
    .configureOutput({
      writeOut: (text) => output.result(text),
      writeErr: (text) => output.say(text),
      outputError: (text, write) => write(text.replace(/^error: /, "error (invalid-option): ")),
      getOutHelpWidth: () => output.results.width,
      getErrHelpWidth: () => output.talk.width,
    })
    .configureHelp({ optionDescription })
    .addHelpText("after", EXIT_CODES)
    .exitOverride();
}

/** Defaults that are a word or a number; "off" and "none" go without saying. */
function optionDescription({ description, defaultValue }: Option): string {
  return typeof defaultValue === "string"
    ? `${description} (default: ${defaultValue})`
    : description;
}

const EXIT_CODES = `
Exit codes:
  ${EXIT.ok}    all well: something kept, nothing broken, nothing in doubt
  ${EXIT.broken}   a promise is broken
  ${EXIT.usage}  bad usage or configuration
  ${EXIT.interrupted}  interrupted
  ${EXIT.noVerdict}  no verdict: target away, evidence too weak, or the suite itself in trouble`;

/** For commands that start the embedded service where no target is named. */
function embeddedOptions(command: Command): Command {
  return command
    .option("--variant <name>", "embedded service only: a or b")
    .option("--fault <name>", "embedded service only: break a promise (repeatable)", collect, [])
    .option("--time-scale <share>", "embedded service only: share of the stated times that passes");
}

function addGate(program: Command, run: Run): void {
  const command = program
    .command("gate")
    .description("judge the promises; without a target, those of the embedded service")
    .option("--target <file>", "target file (YAML)")
    .option("--profile <name>", "quick, standard or soak", "quick")
    .option("--only <list>", "promise ids and groups, comma separated: rate,webhook.wait-1")
    .option("--report <directory>", "where the report is written", "plumbline-report")
    .option("--baseline <file>", "compare with the runs kept by plumbline baseline")
    .option("--fail-on-regression", "fail where a figure is worse than the baseline", false)
    .option("--strict", "no verdict while a promise is unobserved", false)
    .option("--verbose", "say what each kept promise rules out", false)
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--prometheus-rw <url>", "send k6's metrics to this Prometheus by remote write")
    .option("--json", "print report.json on stdout", false);
  embeddedOptions(command).action(
    run(async () => (await import("./commands/gate.ts")).gateCommand),
  );
}

function addCompare(program: Command, run: Run): void {
  program
    .command("compare")
    .description("tell whether a candidate is better, worse or the same as a base")
    .option("--base <file>", "target file of the deployment that is compared with")
    .option("--candidate <file>", "target file of the deployment in question")
    .option("--calibrate", "compare the base with itself, to learn the margins", false)
    .option("--calibration <file>", "comparison.json of --calibrate, for its margins")
    .option("--record <file>", "only load the base, and keep the blocks in this file")
    .option("--before <files...>", "recordings made earlier, 5 or more; nothing is sent")
    .option("--after <files...>", "recordings made later, 5 or more")
    .option("--rate <number>", "jobs a second, within the plans of both keys")
    .option("--block <duration>", "length of a block", "5s")
    .option("--blocks <number>", "how many at the most, a multiple of 4", "240")
    .option("--margin <share>", "differences up to this one do not matter", "5%")
    .option("--report <directory>", "where the comparison is written", "plumbline-comparison")
    .option("--seed <number>", "repeats the order of an earlier comparison")
    .option("--json", "print comparison.json on stdout", false)
    .option("--embedded", "compare two embedded services: minutes of load on this machine", false)
    .option("--variant <name>", "embedded service only: a or b")
    .option("--fault <name>", "embedded candidate only: break it (repeatable)", collect, [])
    .option("--time-scale <share>", "embedded service only: share of the stated times that passes")
    .action(run(async () => (await import("./commands/compare.ts")).compareCommand));
}

function addBaseline(program: Command, run: Run): void {
  const baseline = program
    .command("baseline")
    .description("keep the runs that gate --baseline compares with");
  const add = (
    name: "accept" | "record",
    what: string,
    load: () => Promise<Action<BaselineFlags>>,
  ) =>
    baseline
      .command(name)
      .description(what)
      .argument(name === "accept" ? "[reports...]" : "<reports...>", "report.json of earlier runs")
      .option("--baseline <file>", "the file that holds them", "plumbline-baseline.json")
      .option("--json", "print it on stdout", false)
      .action(async (reports: string[], flags: Omit<BaselineFlags, "reports">) => {
        await run(load)({ ...flags, reports });
      });
  const commands = () => import("./commands/baseline.ts");
  const accepts = "make these runs the measure for later ones; without any, the recent ones";
  add("accept", accepts, async () => (await commands()).baselineAccept);
  add("record", "add runs that are held against it", async () => (await commands()).baselineRecord);
}

function addProbe(program: Command, run: Run): void {
  const command = program
    .command("probe")
    .description("submit canaries until stopped; without a target, to the embedded service")
    .option("--target <file>", "target file (YAML)")
    .option("--listen <address>", "metrics and status page; none with --once", "127.0.0.1:9464")
    .option("--state <directory>", "where the journal is kept", ".plumbline/probe")
    .option("--accept-unknown-spending", "go on when what was spent can't be read any more", false)
    .option("--location <name>", "tells several probes of one service apart", "local")
    .option("--allow-host <names>", "names by which the status page is asked for", "")
    .option("--watch", "read the target file again when it changes", false)
    .option("--once", "run each canary once, and exit by how they came out", false)
    .option("--grace <duration>", "how long a stop waits for jobs in flight", "5s");
  embeddedOptions(command).action(
    run(async () => (await import("./commands/probe.ts")).probeCommand),
  );
}

function addCapacity(program: Command, run: Run): void {
  const command = program
    .command("capacity")
    .description("find the highest rate that keeps an SLO, and what gives way first")
    .option("--target <file>", "target file (YAML)")
    .option("--of <what>", "jobs or requests", "jobs")
    .option("--slo <list>", "objectives: p95<2s,queue-p99<5s,errors<1%")
    .option("--part <name>", "whose jobs: a part of the target file (default: success)")
    .option("--endpoint <name>", "requests only: me (default), credits, deployments, workers, jobs")
    .option("--keys <list>", "keys that carry the load; else the one with the highest plan")
    .option("--start-rate <number>", "a second, where the search begins", "5")
    .option("--max-rate <number>", "a second, never more than that", "200")
    .option("--beyond-plan", "go beyond the plans of the keys, through 429s", false)
    .option("--unpaced", "requests only: as fast as connections go, at no set rate", false)
    .option("--connections <number>", "unpaced only: up to so many (default: 64)")
    .option("--step <duration>", "length of a step that counts; longer jobs take longer", "9s")
    .option("--time <duration>", "the whole search takes no longer", "5m")
    .option("--report <directory>", "where JSON and page are written", "plumbline-capacity")
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--prometheus-rw <url>", "send k6's metrics to this Prometheus by remote write")
    .option("--json", "print capacity.json on stdout", false);
  embeddedOptions(command).action(
    run(async () => (await import("./commands/capacity.ts")).capacityCommand),
  );
}

function addReference(program: Command, run: Run): void {
  program
    .command("reference")
    .description("run the embedded service alone, until Ctrl-C")
    .option("--variant <name>", "a or b", "b")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes a free one", "0")
    .option("--time-scale <share>", "run times, limits and webhook waits take this share", "1")
    .option("--fault <name>", "break a promise (repeatable)", collect, [])
    .option("--choice <name=value>", "settle what the spec leaves open (repeatable)", collect, [])
    .option("--seed <number>", "keys and chance follow from it", "1")
    .option("--concurrency <number>", "jobs that run at once, over all workers", "400")
    .option("--slots <worker=number>", "runs of a worker at once (repeatable)", collect, [])
    .option("--processors <number>", "runs at full speed; more than that share it evenly")
    .option("--list", "list the choices and faults, and exit", false)
    .option("--json", "print address and keys as JSON", false)
    .action(run(async () => (await import("./commands/reference.ts")).referenceCommand));
}

function addSink(program: Command, run: Run): void {
  program
    .command("sink")
    .description("receive webhooks for scenarios under stock k6, until Ctrl-C")
    .option("--listen <address>", "where webhooks arrive, host:port", "127.0.0.1:0")
    .option("--query-listen <address>", "where scenarios ask what arrived", "127.0.0.1:0")
    .option("--public-url <url>", "how the service reaches --listen, perhaps through a proxy")
    .option("--signature-header <name>", "header of the signature", WEBHOOK_SIGNATURE_HEADER)
    .option("--signature-scheme <name>", SIGNATURE_SCHEMES.join(", "), "present")
    .option("--signature-secret-env <name>", "environment variable that holds the secret")
    .option("--json", "print the addresses as JSON", false)
    .action(run(async () => (await import("./commands/sink.ts")).sinkCommand));
}

function addDashboards(program: Command, run: Run): void {
  program
    .command("dashboards")
    .description("write Grafana boards and alert rules, check that they are current, export them")
    .argument("<action>", "build, check or export")
    .argument("[directory]", "where the files are", "plumbline-dashboards")
    .option("--grafana <url>", "address of Grafana, for links in alerts")
    .option("--runbooks <url>", "address of the folder of runbooks, for links in alerts")
    .option("--job <name>", "scrape job of the probes", "plumbline")
    .option("--timed-canaries <pattern>", "canaries that job-duration is about", "main|success")
    .option(
      "--latency <objective>",
      "NAME=PERCENT@SECONDS, such as queue-wait=99@10 (repeatable)",
      collect,
      [],
    )
    .option("--time-scale <share>", "for tests: windows and intervals take this share", "1")
    .action(async (action: string, directory: string, flags: object) => {
      const load = async () => (await import("./commands/dashboards.ts")).dashboardsCommand;
      await run(load)({ ...(flags as { latency: string[] }), action, directory });
    });
}

function addSmallCommands(program: Command, run: Run): void {
  program
    .command("promises")
    .description("list what is judged")
    .option("--json", "as JSON", false)
    .action(run(async () => (await import("./commands/promises.ts")).promisesCommand));
  program
    .command("doctor")
    .description("check what this machine has and lacks")
    .action(run(async () => (await import("./commands/doctor.ts")).doctorCommand));
  program
    .command("plan")
    .description("print the plan that a scenario reads under stock k6")
    .requiredOption("--target <file>", "target file")
    .option("--profile <name>", "quick, standard or soak", "quick")
    .option("--only <list>", "promise ids and groups, comma separated")
    .option("--scenario <name>", "the plan of this scenario, with its share of the budget")
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--receiver <url>", "query address that `plumbline sink` printed")
    .action(run(async () => (await import("./commands/plan.ts")).planCommand));
  program
    .command("judge")
    .description("judge the evidence of an earlier run again")
    .argument("<directory>", "report directory of a gate run")
    .option("--target <file>", "judge by the tolerances of this target file")
    .option("--strict", "no verdict where anything is unobserved", false)
    .option("--verbose", "say what each kept promise rules out", false)
    .option("--json", "the report as JSON on stdout", false)
    .action(async (directory: string, flags: Omit<JudgeFlags, "directory">) => {
      const load = async () => (await import("./commands/judge.ts")).judgeCommand;
      await run(load)({ ...flags, directory });
    });
  program
    .command("report")
    .description("render a report.json again, on stdout; several side by side, as html")
    .argument("<files...>", "report.json of earlier runs")
    .option("--format <name>", "terminal, markdown, junit, html or json", "terminal")
    .action(async (files: readonly string[], flags: { format: string }) => {
      const load = async () => (await import("./commands/report.ts")).reportCommand;
      await run(load)({ ...flags, files });
    });
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
