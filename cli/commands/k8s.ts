/** `plumbline k8s testrun`: manifests of a load that k6-operator runs on several machines. */

import type { WebhookTarget } from "../../contract/target.ts";
import type { SharedLoadPlan } from "../../gate/shared-load.ts";
import { planSharedLoad } from "../../gate/shared-load.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { findK6 } from "../../runner/find-k6.ts";
import type { Context } from "../context.ts";
import { gateScenarios } from "../files/scenario-files.ts";
import { writeGiven } from "../files/written-file.ts";
import { needsBudget } from "../gate/budget-line.ts";
import { publicUrlWarnings, warningLine } from "../gate/warnings.ts";
import { loadArchive } from "../kubernetes/archive.ts";
import { manifestsText } from "../kubernetes/manifest.ts";
import type { Load } from "../kubernetes/sink.ts";
import { sinkAccessOf, sinkManifests } from "../kubernetes/sink.ts";
import { testRunManifests } from "../kubernetes/test-run.ts";
import { loadTargetFile } from "../target-file/read-target-file.ts";
import { UsageError } from "../usage-error.ts";
import { OptionReader } from "../values/option-reader.ts";

export interface TestRunFlags {
  target: string;
  image: string;
  parallelism: string;
  only?: string;
  name: string;
  secret: string;
  seed?: string;
  out?: string;
}

interface Request extends Load {
  parallelism: number;
}

/** Nothing is sent, to the service or to a cluster; keys are named, and their values never read. */
export async function testRunCommand(flags: TestRunFlags, context: Context): Promise<ExitCode> {
  const { output, environment, signal } = context;
  const options = new OptionReader();
  const request = readRequest(flags, options);
  const { only, leftOut } = options.only(flags.only);
  const seed = options.seed(flags.seed);
  options.finish();
  const { target } = await loadTargetFile(flags.target, null);
  needsBudget("k8s testrun", target);
  const { webhook } = target;
  for (const each of publicUrlWarnings(webhook?.publicUrl ?? null)) output.say(warningLine(each));
  const shared = planned(
    planSharedLoad({
      target,
      only,
      leftOut,
      seed,
      scenarios: gateScenarios(),
      receiver: receiverOf(request, webhook),
      processes: request.parallelism,
    }),
  );
  const onProgress = (text: string) => output.say(`${text}\n`);
  const { path: k6 } = await findK6({ env: environment, onProgress, signal });
  const { plan, scenario } = shared;
  const archive = await loadArchive({ k6, script: scenario.script, plan, environment });
  const text = manifestsText([
    ...(webhook === null ? [] : sinkManifests(request, webhook)),
    ...testRunManifests({ ...request, shared, archive }),
  ]);
  if (flags.out === undefined) output.result(text);
  else {
    await writeGiven("--out", flags.out, text);
    output.say(`wrote ${flags.out}: ${plan.load?.shards} shards in ${request.parallelism} pods\n`);
  }
  return EXIT.ok;
}

/** Source: Kubernetes, "Object Names and IDs", RFC 1035 labels; pods and services add to it. */
const NAME = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;

function readRequest(flags: TestRunFlags, options: OptionReader): Request {
  const parallelism = options.atLeastOne("--parallelism", flags.parallelism);
  for (const [option, name] of [
    ["--name", flags.name],
    ["--secret", flags.secret],
  ] as const) {
    if (NAME.test(name)) continue;
    const expected = "expected up to 40 small letters, digits and -, a letter first";
    options.problem(`${option}: invalid value "${name}"; ${expected}`);
  }
  const { name, image, secret } = flags;
  return { name, image, secret, parallelism };
}

function receiverOf(request: Request, webhook: WebhookTarget | null) {
  if (webhook !== null) return { access: sinkAccessOf(request, webhook), missing: null };
  return { access: null, missing: "the target file has no webhook section" };
}

/** Throws UsageError where there is nothing to share, or no way to. */
function planned(plan: ReturnType<typeof planSharedLoad>): SharedLoadPlan {
  if (plan === "nothing") {
    const what = "no promise of a load is among these";
    throw new UsageError("invalid-option", [`--only: ${what}; expected load, or ids of it`]);
  }
  if (plan === null) {
    const what = "a key that carries the load has no plan, so that nobody can have a share of it";
    const expected = "expected plan: for each in the target file";
    throw new UsageError("invalid-target-file", [`--parallelism: ${what}; ${expected}`]);
  }
  if (plan.plan.load === null) {
    const problem = "k8s testrun needs a load; expected load: { jobsPerSecond: ... } in the file";
    throw new UsageError("invalid-target-file", [problem]);
  }
  return plan;
}
