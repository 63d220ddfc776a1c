/** What a gate run judges: the target of a file, or the embedded service made for the occasion. */

import { nowMs } from "../../clock/system-clock.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Variant } from "../../contract/states.ts";
import type { Target } from "../../contract/target.ts";
import type { Secrets } from "../../contract/text/secret.ts";
import type { Preflight } from "../../gate/preflight.ts";
import type { GivenOptions } from "../../reference/options.ts";
import type { Environment } from "../../runner/executables.ts";
import { loadTargetFile } from "../target-file/read-target-file.ts";
import type { OptionReader } from "../values/option-reader.ts";

export interface SubjectFlags {
  target?: string;
  variant?: string;
  fault: readonly string[];
  timeScale?: string;
}

export type SubjectChoice =
  | { kind: "file"; path: string }
  | { kind: "embedded"; options: GivenOptions };

export interface GateSubject extends AsyncDisposable {
  target: Target;
  secrets: Secrets;
}

/**
 * Clock of the embedded service where nothing else is asked for. Ours: 20 times faster lets the
 * quick profile see the whole webhook schedule, and leaves a second of it as long as machines are
 * late at times; the longer profiles take the time that is promised.
 */
const TIME_SCALES: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 0.05,
  standard: 1,
  soak: 1,
};

export async function readSubject(
  flags: SubjectFlags,
  { profile, seed }: { profile: RunPlan["profile"]; seed: number },
  options: OptionReader,
): Promise<SubjectChoice> {
  const variant = options.variant(flags.variant ?? "b");
  const faults = await namedFaults(options, flags.fault, variant);
  const timeScale =
    flags.timeScale === undefined ? TIME_SCALES[profile] : options.timeScale(flags.timeScale);
  if (flags.target === undefined) {
    return { kind: "embedded", options: { variant, timeScale, faults, seed } };
  }
  refuseShaping(flags, "--target", options);
  return { kind: "file", path: flags.target };
}

/** All faults are loaded only where one is named. */
async function namedFaults(
  options: OptionReader,
  names: SubjectFlags["fault"],
  variant: Variant,
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const { readFaults } = await import("./embedded.ts");
  return readFaults(options, names, variant);
}

/** What shapes the embedded service would change nothing of the one that a file names. */
export function refuseShaping(
  { variant, fault, timeScale, embedded }: Omit<SubjectFlags, "target"> & { embedded?: boolean },
  beside: string,
  options: OptionReader,
): void {
  const given = { variant, fault: fault[0], "time-scale": timeScale, embedded: embedded || null };
  for (const [name, value] of Object.entries(given)) {
    if (value == null) continue;
    options.problem(
      `--${name} applies to the embedded service only; it cannot be combined with ${beside}`,
    );
  }
}

export async function openSubject(
  choice: SubjectChoice,
  environment: Environment,
): Promise<GateSubject> {
  if (choice.kind === "file") {
    const loaded = await loadTargetFile(choice.path, environment);
    return { ...loaded, [Symbol.asyncDispose]: async () => {} };
  }
  const { startReference } = await import("../../reference/service.ts");
  const { embeddedTarget } = await import("../../reference/embedded-target.ts");
  const service = await startReference(choice.options);
  return { ...embeddedTarget(service), [Symbol.asyncDispose]: () => service.close() };
}

interface Checked extends Pick<Preflight, "notes" | "price" | "usualPrice" | "workers"> {
  restedAtMs: number;
}

/**
 * Asks the cheap questions first, and tells when the keys are rested again. Throws PreflightError
 * where a run is pointless.
 */
export async function checkSubject(
  { target, secrets }: Pick<GateSubject, "target" | "secrets">,
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<Checked> {
  const { checkTarget } = await import("./check-target.ts");
  const given = { target, secrets, signal, onProgress };
  const { restMs, ...checked } = await checkTarget(given);
  for (const note of checked.notes) onProgress(note);
  return { ...checked, restedAtMs: nowMs() + restMs };
}
