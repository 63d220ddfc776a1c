/** Commands for a load that several machines carry: what a cluster runs, how it is judged. */

import type { Command } from "commander";

import type { Declare } from "./shared.ts";

export function addKubernetes(program: Command, declare: Declare): void {
  const command = program
    .command("k8s")
    .description("write manifests for Kubernetes")
    .command("testrun")
    .description("write a load for k6-operator: TestRun, webhook receiver, volume and judging job")
    .requiredOption("--target <file>", "target file (YAML) with load and budget")
    .requiredOption("--image <name>", "image of Plumbline, as the cluster pulls it")
    .option("--parallelism <number>", "pods that share the load", "2")
    .option("--only <list>", "promise ids and groups, comma separated (default: all of a load)")
    .option("--name <name>", "name of the run, and of all its objects", "plumbline-load")
    .option(
      "--secret <name>",
      "Secret that holds keys and secrets by variable name",
      "plumbline-keys",
    )
    .option("--seed <number>", "repeats the choices of an earlier run")
    .option("--out <file>", "where the manifests are written (default: stdout)");
  const image = "--image registry.example.com/plumbline:0.1.0";
  declare(
    command,
    async () => (await import("../commands/k8s.ts")).testRunCommand,
    `k8s testrun --target plumbline.yaml ${image} --parallelism 4 --out load.yaml`,
  );
}

export function addMerge(program: Command, declare: Declare): void {
  const command = program
    .command("merge")
    .description("judge the evidence of all pods as one load, and write the report")
    .argument("<directory>", "folder of the evidence")
    .option("--wait <duration>", "how long to wait for the last pod", "0s")
    .option("--report <directory>", "where the report is written", "plumbline-report")
    .option("--strict", "no verdict while a promise is unobserved", false)
    .option("--verbose", "say what each kept promise rules out", false)
    .option("--json", "print report.json on stdout; the text goes to stderr", false);
  declare(
    command,
    async () => (await import("../commands/merge.ts")).mergeCommand,
    "merge evidence/plumbline-load-1",
    "merge evidence/plumbline-load-1 --wait 30m",
  );
}
