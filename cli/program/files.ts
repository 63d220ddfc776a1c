/** Commands that ask no service: the catalogue, plans, reports, boards and rules. */

import type { Command } from "commander";

import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import type { Declare } from "./shared.ts";
import { repeatable } from "./shared.ts";

export function addExplaining(program: Command, declare: Declare): void {
  const promises = program
    .command("promises")
    .description("list the promises; with a target, what a run could rule out (sends nothing)")
    .option("--target <file>", "target file (YAML): rehearse a gate of it on virtual time")
    .option("--profile <name>", "with a target: quick, standard or soak (default: quick)")
    .option("--variant <name>", "with a target: variant of the service, a or b (default: b)")
    .option("--json", "as JSON", false);
  declare(
    promises,
    async () => (await import("../commands/promises.ts")).promisesCommand,
    "promises",
    "promises --target plumbline.yaml --profile standard",
  );
  const explain = program
    .command("explain")
    .description("explain a promise, an alert or a section of the interface, and what to do")
    .argument("<name>", "id or group of a promise, name of an alert, or a section such as §4")
    .option("--json", "as JSON", false);
  declare(
    explain,
    async () => (await import("../commands/explain.ts")).explainCommand,
    "explain webhook.wait-2",
    "explain rate",
    "explain PromiseBroken",
    "explain 4.3",
  );
}

export function addFileCommands(program: Command, declare: Declare): void {
  addPlan(program, declare);
  addJudge(program, declare);
  addReport(program, declare);
  addDashboards(program, declare);
}

function addPlan(program: Command, declare: Declare): void {
  const command = program
    .command("plan")
    .description("write the plan with which a scenario runs under stock k6")
    .requiredOption("--target <file>", "target file")
    .option("--out <file>", "where the plan is written (default: stdout)")
    .option("--profile <name>", "quick, standard or soak", "quick")
    .option("--only <list>", "promise ids and groups, comma separated")
    .option("--scenario <name>", "the plan of this scenario, with its share of the budget")
    .option("--rate <number>", "with --scenario capacity: jobs or requests per second (default: 5)")
    .option("--of <what>", "with --scenario capacity: jobs or requests (default: jobs)")
    .option("--step <duration>", "with --scenario capacity: duration (default: 9s)")
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--receiver <url>", "query address that `plumbline sink` printed");
  declare(
    command,
    async () => (await import("../commands/plan.ts")).planCommand,
    "plan --target plumbline.yaml --out plan.json",
    "plan --target plumbline.yaml --scenario rate-limit --out rate-limit.json",
    "plan --target plumbline.yaml --scenario capacity --rate 20 --out capacity.json",
  );
}

function addJudge(program: Command, declare: Declare): void {
  const command = program
    .command("judge")
    .description("judge the evidence of an earlier run again")
    .argument("<directory>", "report directory of a gate run")
    .option("--target <file>", "apply the tolerances of this target file")
    .option("--strict", "no verdict while a promise is unobserved", false)
    .option("--verbose", "say what each kept promise rules out", false)
    .option("--json", "print report.json on stdout; the text goes to stderr", false);
  declare(
    command,
    async () => (await import("../commands/judge.ts")).judgeCommand,
    "judge plumbline-report",
    "judge plumbline-report --target plumbline.yaml",
  );
}

function addReport(program: Command, declare: Declare): void {
  const command = program
    .command("report")
    .description("print a report.json in another format; several reports side by side, as html")
    .argument("<files...>", "report.json of earlier runs, or the folders that hold one")
    .option("--format <name>", "terminal, markdown, junit, html or json", "terminal");
  declare(
    command,
    async () => (await import("../commands/report.ts")).reportCommand,
    "report plumbline-report/report.json",
    "report --format html plumbline-report/report.json",
  );
}

function addDashboards(program: Command, declare: Declare): void {
  const { job, timedCanaries } = DEFAULT_RULE_OPTIONS;
  const command = program
    .command("dashboards")
    .description("write, check or export Grafana boards and alert rules")
    .argument("<action>", "build, check or export")
    .argument("[directory]", "folder of the files", "plumbline-dashboards")
    .option("--grafana <url>", "address of Grafana, for links in alerts")
    .option("--runbooks <url>", "address of the folder of runbooks, for links in alerts")
    .option(
      "--status <url>",
      "address of the status page, for links; LOCATION in it becomes the probe's",
    )
    .addOption(repeatable("--alert-label <name=value>", "add a label to every alert"))
    .addOption(
      repeatable(
        "--severity <name=value>",
        "rename page or ticket, or set the severity of one alert",
      ),
    )
    .option("--job <name>", `scrape job of the probes (default: ${job})`)
    .option(
      "--timed-canaries <pattern>",
      `canaries that the job-duration SLO covers (default: ${timedCanaries})`,
    )
    .addOption(
      repeatable("--latency <objective>", "latency SLO, NAME=PERCENT@SECONDS: queue-wait=99@10"),
    )
    .option("--reset", "build: drop the options stored in the folder", false)
    .option("--time-scale <share>", "for tests: scales windows and intervals (default: 1)");
  declare(
    command,
    async () => (await import("../commands/dashboards.ts")).dashboardsCommand,
    "dashboards export boards",
    "dashboards build boards --grafana https://grafana.internal --latency queue-wait=99@10",
    "dashboards build jobs --status https://probe.internal --alert-label team=jobs",
    "dashboards build jobs --severity page=critical --severity PlumblineProbeAbsent=ticket",
    "dashboards check boards",
  );
}
