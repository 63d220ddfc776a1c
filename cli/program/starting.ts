/** Commands to begin with: a target file, what this machine lacks, completion for the shell. */

import type { Command } from "commander";

import type { Declare } from "./shared.ts";
import { repeatable } from "./shared.ts";

export function addStarting(program: Command, declare: Declare): void {
  addInit(program, declare);
  const doctor = program
    .command("doctor")
    .description("check this machine: Node, k6 and how `gate` would get it, disk, loopback");
  declare(doctor, async () => (await import("../commands/doctor.ts")).doctorCommand, "doctor");
  const completion = program
    .command("completion")
    .description("print a completion script for a shell")
    .argument("<shell>", "bash, zsh or fish");
  declare(
    completion,
    async () => (await import("../commands/completion.ts")).completionOf(program),
    "completion bash",
    "completion zsh",
    "completion fish",
  );
}

function addInit(program: Command, declare: Declare): void {
  const command = program
    .command("init")
    .description("write a target file for a service; on a terminal, ask for what is missing")
    .argument("[url]", "address of the service")
    .option("--out <file>", "file to write", "plumbline.yaml")
    .option("--force", "overwrite the file", false)
    .addOption(repeatable("--key <variable:plan[:account]>", KEY))
    .addOption(repeatable("--worker <part=id>", "worker that plays a part"))
    .addOption(repeatable("--input <part=json>", "input of the jobs of a part"))
    .option("--cancel <method>", "how jobs are cancelled: DELETE, POST, PATCH, PUT or auto")
    .option("--publish <worker>", "own worker that the run may publish")
    .option("--webhook-url <url>", "how the service reaches a receiver on this machine")
    .option("--webhook-listen <address>", "where that receiver listens (default: 127.0.0.1:0)")
    .option("--jobs <number>", "most jobs that a run may submit", "250")
    .option(
      "--time-scale <share>",
      "test services only: scale of all times; 0.05 is 20 times faster",
    )
    .option("--no-questions", "never ask, not even on a terminal");
  declare(
    command,
    async () => (await import("../commands/init.ts")).initCommand,
    "init https://api.example.com --key PLUMBLINE_KEY_PRO:pro:one",
    "init https://api.example.com --key PLUMBLINE_KEY_FREE:free --key PLUMBLINE_KEY_OLD:revoked",
  );
}

const KEY =
  "variable that holds a key; its plan: free, pro, SUSTAINED/BURST, revoked, exhausted, or none " +
  "(its limits are not judged); optionally its account, any word";
