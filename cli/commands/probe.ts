/** `plumbline probe`: canaries day and night, on a target or on the embedded service. */

import { METRICS } from "../../probe/metrics/catalogue.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";
import { keepHeapSmall } from "../small-heap.ts";
import type { SubjectFlags } from "../subject/subject.ts";
import { openSubject, readSubject } from "../subject/subject.ts";
import { readLabels } from "../values/labels.ts";
import { OptionReader } from "../values/option-reader.ts";
import type { TraceFlag } from "../values/trace-option.ts";
import { readTrace, traced } from "../values/trace-option.ts";

interface ProbeFlags extends SubjectFlags {
  listen: string;
  state?: string;
  acceptUnknownSpending: boolean;
  location: string;
  allowHost: string;
  watch: boolean;
  once: boolean;
  label: readonly string[];
  trace?: TraceFlag;
  grace: string;
}

/** What works on the subject is loaded when it is there: a wrong request is told at once. */
export async function probeCommand(flags: ProbeFlags, context: Context): Promise<ExitCode> {
  keepHeapSmall();
  const options = new OptionReader();
  const listen = options.listenAddress("--listen", flags.listen, LISTEN_FORM);
  const graceMs = options.duration("--grace", flags.grace);
  const allowedHosts = readHosts(options, flags.allowHost);
  // The embedded service runs in real time here: it stands for a service that is watched.
  const choice = await readSubject(flags, { profile: "standard", seed: 1 }, options);
  const trace = readTrace(flags.trace, options);
  const labels = readLabels("--label", flags.label, LABELS_OF_METRICS, options);
  if (flags.state !== undefined && choice.kind === "embedded") {
    const why = "the embedded service's jobs end with it, and so does their journal";
    options.problem(`--state: ${why}; expected --target beside it`);
  }
  options.finish();
  await using subject = traced(await openSubject(choice, context.environment), trace);
  const { runProbe } = await import("../probe/run.ts");
  return await runProbe({ ...flags, listen, graceMs, allowedHosts, labels }, subject, context);
}

const LABELS_OF_METRICS = ["location", ...METRICS.flatMap(({ labels }) => labels)];
const LISTEN_FORM = "host:port such as 127.0.0.1:9464";

const HOST_NAME = /^[\w-]+(?:\.[\w-]+)*\.?$/;

/** Names alone: the probe answers to them on any port that leads to it. */
function readHosts(options: OptionReader, text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (text.trim() === "") return [];
  for (const name of names.filter((each) => !HOST_NAME.test(each))) {
    const expected = "expected names such as probe.example.com, without scheme and port";
    options.problem(`--allow-host: "${name}" is not a host name; ${expected}`);
  }
  return names;
}
