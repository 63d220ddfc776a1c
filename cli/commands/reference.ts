/** `plumbline reference`: the embedded service alone, for whoever develops a client against it. */

import { once } from "node:events";

import { CHOICE_NAMES, CHOICES } from "../../reference/choices.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";
import { readChoices, readFaults, readLimits, readSlots } from "../subject/embedded.ts";
import { announcement, machineReadable } from "../subject/reference-announcement.ts";
import { listenProblem, PORT_MAX } from "../values/listen-address.ts";
import { OptionReader } from "../values/option-reader.ts";

export interface ReferenceFlags {
  variant: string;
  host: string;
  port: string;
  timeScale: string;
  fault: readonly string[];
  choice: readonly string[];
  seed: string;
  concurrency: string;
  slots: readonly string[];
  limit: readonly string[];
  processors?: string;
  list: boolean;
  json: boolean;
}

/** Stopping it is how it ends, so that a signal is a success. */
export async function referenceCommand(flags: ReferenceFlags, context: Context): Promise<ExitCode> {
  const { output, signal } = context;
  if (flags.list) {
    output.result(listing());
    return EXIT.ok;
  }
  const service = await start(flags);
  output.result(flags.json ? machineReadable(service) : announcement(service));
  if (!signal.aborted) await once(signal, "abort");
  await service.close();
  return EXIT.ok;
}

async function start(flags: ReferenceFlags): Promise<ReferenceService> {
  const options = new OptionReader();
  const variant = options.variant(flags.variant);
  const given = {
    variant,
    host: flags.host,
    port: options.wholeNumber("--port", flags.port, PORT_MAX),
    timeScale: options.timeScale(flags.timeScale),
    faults: readFaults(options, flags.fault, variant),
    choices: readChoices(options, flags.choice),
    seed: options.seed(flags.seed),
    concurrency: options.atLeastOne("--concurrency", flags.concurrency),
    slots: readSlots(options, flags.slots),
    limits: readLimits(options, flags.limit),
    processors:
      flags.processors === undefined
        ? Number.POSITIVE_INFINITY
        : options.atLeastOne("--processors", flags.processors),
  };
  options.finish();
  try {
    return await startReference(given);
  } catch (error) {
    throw listenProblem(error, `cannot listen on ${flags.host}:${flags.port}`);
  }
}

function listing(): string {
  const choices = CHOICE_NAMES.map((name) => {
    const { values, about: text } = CHOICES[name];
    return `  ${name}=${values.join("|")}\n      ${text}`;
  });
  const faults = FAULTS.map(({ name, title }) => `  ${name}\n      ${title}`);
  const heading = "choices (the first value is the default):";
  return `${[heading, ...choices, "", "faults:", ...faults].join("\n")}\n`;
}
