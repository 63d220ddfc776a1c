/** What completion offers as values of options and arguments: what the commands accept. */

import type { Argument, Command, Option } from "commander";
import { SIGNATURE_SCHEMES } from "../../contract/jobs/delivery.ts";
import { PROMISE_GROUPS, PROMISE_IDS } from "../../contract/promises.ts";
import { CAPACITY_ENDPOINTS, CAPACITY_SUBJECTS } from "../../contract/run/capacity-step.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import { LATENCY_OBJECTIVES } from "../../dashboards/objectives.ts";
import { SEVERITIES } from "../../dashboards/rules/rule.ts";
import { ALERT_NAMES } from "../../dashboards/rules/rule-file.ts";
import { KEY_NAMES } from "../../reference/accounts/keys.ts";
import { WORKERS } from "../../reference/catalogue/workers.ts";
import { CHOICE_NAMES, CHOICES } from "../../reference/choices.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { DASHBOARD_ACTIONS } from "../commands/dashboards.ts";
import { PLAN_SCENARIOS } from "../commands/plan.ts";
import { REPORT_FORMATS } from "../commands/report.ts";
import { CANCEL_METHODS } from "../target-file/schema.ts";
import { PROFILES, VARIANTS } from "../values/option-reader.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** `list`: several words, comma separated. `none`: nothing that a shell could know. */
export type Values =
  | { kind: "words" | "list"; words: readonly string[] }
  | { kind: "files" | "directories" | "none" };

const words = (each: readonly string[]): Values => ({ kind: "words", words: each });
/** The name of a pair; what follows the sign is typed. */
const named = (each: readonly string[]): Values => words(each.map((name) => `${name}=`));

const PROMISES: readonly string[] = [...PROMISE_GROUPS, ...PROMISE_IDS];

/** By the option's long name, which means the same in every command. */
const OF_OPTIONS: Readonly<Record<string, Values>> = {
  "--cancel": words(CANCEL_METHODS),
  "--choice": words(
    CHOICE_NAMES.flatMap((name) => CHOICES[name].values.map((value) => `${name}=${value}`)),
  ),
  "--endpoint": words(CAPACITY_ENDPOINTS),
  "--fault": words(FAULTS.map(({ name }) => name)),
  "--format": words(REPORT_FORMATS),
  "--input": named(PARTS),
  "--latency": named(LATENCY_OBJECTIVES.map(({ name }) => name)),
  "--of": words(CAPACITY_SUBJECTS),
  "--limit": named(KEY_NAMES),
  "--only": { kind: "list", words: PROMISES },
  "--part": words(PARTS),
  "--profile": words(PROFILES),
  "--scenario": words(PLAN_SCENARIOS),
  "--severity": named([...SEVERITIES, ...ALERT_NAMES]),
  "--signature-scheme": words(SIGNATURE_SCHEMES),
  "--slots": named(WORKERS.map(({ id }) => id)),
  "--variant": words([...VARIANTS.keys()]),
  "--worker": named(PARTS),
};

/** By command and name. */
const OF_ARGUMENTS: Readonly<Record<string, Values>> = {
  "completion shell": words(SHELLS),
  "dashboards action": words(DASHBOARD_ACTIONS),
  "explain name": words([...PROMISES, ...ALERT_NAMES]),
};

/** By what stands for the value in the help: `--target <file>`. */
const OF_PLACEHOLDERS: Readonly<Record<string, Values>> = {
  file: { kind: "files" },
  files: { kind: "files" },
  reports: { kind: "files" },
  directory: { kind: "directories" },
};

export function optionValues({ long, flags }: Option): Values {
  const [, placeholder = ""] = /<(\w+)/.exec(flags) ?? [];
  return OF_OPTIONS[long ?? ""] ?? ofPlaceholder(placeholder);
}

export function argumentValues(command: Command, argument: Argument): Values {
  return OF_ARGUMENTS[`${command.name()} ${argument.name()}`] ?? ofPlaceholder(argument.name());
}

function ofPlaceholder(name: string): Values {
  return OF_PLACEHOLDERS[name] ?? { kind: "none" };
}
