/** Commands that load a service and judge what comes back. */

import type { Command } from "commander";

import type { Declare } from "./shared.ts";
import { labelOption, repeatable, subjectOptions, traceOption } from "./shared.ts";

export function addGate(program: Command, declare: Declare): void {
  const command = subjectOptions(program.command("gate"))
    .description("judge the promises; without a target, those of the embedded service")
    .option("--profile <name>", "quick, standard or soak", "quick")
    .option("--only <list>", "promise ids and groups, comma separated: rate,webhook.wait-1")
    .option("--report <directory>", "where the report is written", "plumbline-report")
    .option("--baseline <file>", "compare with the runs kept by plumbline baseline")
    .option("--fail-on-regression", "fail where a figure is worse than the baseline", false)
    .option("--strict", "no verdict while a promise is unobserved", false)
    .option("--verbose", "say what each kept promise rules out", false)
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--prometheus-rw <url>", "send k6's metrics to this Prometheus by remote write")
    .option("--json", "print report.json on stdout; the text goes to stderr", false);
  traceOption(command);
  labelOption(command, "the report and the metrics of --prometheus-rw");
  declare(
    command,
    async () => (await import("../commands/gate.ts")).gateCommand,
    "gate",
    "gate --target plumbline.yaml --report report --label commit=4f1c9e2",
    "gate --trace https://jaeger.example.com/trace/{traceId} --only job",
    "gate --only webhook,rate.burst --fault webhook.wait-2/3-s-early",
    "gate --target plumbline.yaml --profile standard --strict --json",
  );
}

export function addCompare(program: Command, declare: Declare): void {
  const command = program
    .command("compare")
    .description("compare a candidate with a base: better, worse or the same")
    .option("--base <file>", "target file of the deployment to compare with")
    .option("--candidate <file>", "target file of the deployment in question")
    .option("--calibrate", "compare the base with itself, to learn the margins", false)
    .option("--calibration <file>", "comparison.json of --calibrate, for its margins")
    .option("--record <file>", "load the base only, and save the blocks in this file")
    .option("--before <files...>", "recordings made earlier, 5 or more; nothing is sent")
    .option("--after <files...>", "recordings made later, 5 or more")
    .option("--rate <number>", "jobs per second, within the plans of both keys")
    .option("--block <duration>", "length of a block", "5s")
    .option("--blocks <number>", "most blocks, a multiple of 4", "240")
    .option("--margin <share>", "differences up to this one do not count", "5%")
    .option("--report <directory>", "where the comparison is written", "plumbline-comparison")
    .option("--seed <number>", "repeats the order of an earlier comparison")
    .option("--json", "print comparison.json on stdout; the text goes to stderr", false)
    .option("--embedded", "compare two embedded services: minutes of load on this machine", false)
    .option("--variant <name>", "embedded service only: a or b")
    .addOption(repeatable("--fault <name>", "embedded candidate only: break it"))
    .option(
      "--time-scale <share>",
      "embedded service only: scale of its times; 0.05 is 20 times faster",
    );
  declare(
    command,
    async () => (await import("../commands/compare.ts")).compareCommand,
    "compare --base current.yaml --candidate next.yaml --rate 8",
    "compare --base current.yaml --record block-1.json --rate 8",
    "compare --embedded --blocks 32 --fault load.latency/slow-submit",
  );
}

export function addBaseline(program: Command, declare: Declare): void {
  const baseline = program
    .command("baseline")
    .description("keep the runs that `gate --baseline` compares with");
  const named = (name: "accept" | "record", reports: string, what: string) =>
    baseline
      .command(name)
      .description(what)
      .argument(reports, "report.json of earlier runs, or the folders that hold one")
      .option("--baseline <file>", "the file that holds them", "plumbline-baseline.json")
      .option("--json", "print it on stdout", false);
  const commands = () => import("../commands/baseline.ts");
  const accepts = "accept these runs as the baseline; without any, the recent ones";
  declare(
    named("accept", "[reports...]", accepts),
    async () => (await commands()).baselineAccept,
    "baseline accept plumbline-report/report.json",
  );
  declare(
    named("record", "<reports...>", "add runs to compare with it"),
    async () => (await commands()).baselineRecord,
    "baseline record plumbline-report/report.json",
  );
}

export function addCapacity(program: Command, declare: Declare): void {
  const command = subjectOptions(program.command("capacity"))
    .description("find the highest rate that meets an SLO, and what saturates first")
    .option("--of <what>", "jobs or requests", "jobs")
    .option("--slo <list>", "objectives: p95<2s,queue-p99<5s,errors<1%")
    .option("--part <name>", "part of the target file whose jobs are sent (default: success)")
    .option("--endpoint <name>", "requests only: me (default), credits, deployments, workers, jobs")
    .option("--keys <list>", "keys that carry the load (default: the one with the highest plan)")
    .option("--start-rate <number>", "first rate of the search, per second", "5")
    .option("--max-rate <number>", "highest rate of the search, per second", "200")
    .option("--beyond-plan", "go beyond the plans of the keys, through 429s", false)
    .option("--unpaced", "requests only: as fast as the connections allow, at no set rate", false)
    .option("--connections <number>", "unpaced only: most connections (default: 64)")
    .option("--step <duration>", "shortest measured step; long jobs need longer ones", "9s")
    .option("--time <duration>", "time limit of the search", "5m")
    .option(
      "--report <directory>",
      "where capacity.json and the page are written",
      "plumbline-capacity",
    )
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--prometheus-rw <url>", "send k6's metrics to this Prometheus by remote write")
    .option("--json", "print capacity.json on stdout; the text goes to stderr", false);
  declare(
    command,
    async () => (await import("../commands/capacity.ts")).capacityCommand,
    "capacity --slo 'p95<2s,errors<1%'",
    "capacity --target plumbline.yaml --keys pro --max-rate 40 --time 3m",
    "capacity --target plumbline.yaml --of requests --endpoint jobs",
  );
}
