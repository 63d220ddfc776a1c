/** Commands that run until they are stopped: probe, embedded service, webhook receiver. */

import type { Command } from "commander";

import { SIGNATURE_SCHEMES } from "../../contract/jobs/delivery.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../contract/webhook-schedule.ts";
import type { Declare } from "./shared.ts";
import { labelOption, repeatable, subjectOptions, traceOption } from "./shared.ts";

export function addProbe(program: Command, declare: Declare): void {
  const command = subjectOptions(program.command("probe"))
    .description("submit canaries until stopped; without a target, to the embedded service")
    .option("--listen <address>", "metrics and status page; none with --once", "127.0.0.1:9464")
    .option(
      "--state <directory>",
      "folder of the journal (default: .plumbline/probe; with --once a temporary one)",
    )
    .option("--accept-unknown-spending", "go on although the record of spending is lost", false)
    .option("--location <name>", "tells several probes of one service apart", "local")
    .option("--allow-host <names>", "host names by which browsers reach the status page", "")
    .option("--watch", "reload the target file when it changes", false)
    .option("--once", "run each canary once; the exit code tells the result", false)
    .option("--grace <duration>", "how long a shutdown waits for jobs in flight", "5s");
  traceOption(command);
  labelOption(command, "all metrics");
  declare(
    command,
    async () => (await import("../commands/probe.ts")).probeCommand,
    "probe",
    "probe --target plumbline.yaml --once",
    "probe --target plumbline.yaml --listen 127.0.0.1:9464 --location eu-1 --label stage=canary",
  );
}

export function addReference(program: Command, declare: Declare): void {
  const command = program
    .command("reference")
    .description("run the embedded service alone, until Ctrl-C")
    .option("--variant <name>", "a or b", "b")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes a free one", "0")
    .option("--time-scale <share>", "scales run times, limits and webhook waits", "1")
    .addOption(repeatable("--fault <name>", "break a promise"))
    .addOption(repeatable("--choice <name=value>", "settle what the spec leaves open"))
    .option("--seed <number>", "keys and all random choices follow from it", "1")
    .option("--concurrency <number>", "jobs that run at once, of all workers", "400")
    .addOption(repeatable("--slots <worker=number>", "jobs of a worker that run at once"))
    .addOption(repeatable("--limit <key=rate/burst>", "requests a second, and at once, of a key"))
    .option("--processors <number>", "jobs that run at full speed; more of them share it evenly")
    .option("--list", "list the choices and faults, and exit", false)
    .option("--json", "print address and keys as JSON", false);
  declare(
    command,
    async () => (await import("../commands/reference.ts")).referenceCommand,
    "reference --port 8080 --time-scale 0.05",
    "reference --variant a --fault rate.burst/3-over --choice limiter=sliding-log",
    "reference --limit big=5000/10000 --limit pro-a=1000/1500",
    "reference --list",
  );
}

export function addSink(program: Command, declare: Declare): void {
  const command = program
    .command("sink")
    .description("receive webhooks for scenarios under stock k6, until Ctrl-C")
    .option("--listen <address>", "where webhooks arrive, host:port", "127.0.0.1:0")
    .option("--query-listen <address>", "where scenarios query what arrived", "127.0.0.1:0")
    .option("--public-url <url>", "how the service reaches --listen, perhaps through a proxy")
    .option("--signature-header <name>", "header of the signature", WEBHOOK_SIGNATURE_HEADER)
    .option("--signature-scheme <name>", SIGNATURE_SCHEMES.join(", "), "present")
    .addOption(
      repeatable("--signature-secret-env <name>", "environment variable that holds the secret"),
    )
    .option("--json", "print the addresses as JSON", false);
  declare(
    command,
    async () => (await import("../commands/sink.ts")).sinkCommand,
    "sink --listen 127.0.0.1:8090",
    "sink --listen 127.0.0.1:8090 --public-url https://hooks.example.com --json",
  );
}
