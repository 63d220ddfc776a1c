/**
 * A load for k6-operator: the archive, a volume for what its pods leave, the run itself, and the
 * job that judges all of it as one.
 * Source: grafana/k6-operator v1.6.0: runner i of n is given `--execution-segment=(i-1)/n:i/n`, and
 * its arguments with `$(NAME)` filled in by the cluster.
 */

import { QUERY_SECRET_VARIABLE } from "../../contract/jobs/delivery.ts";
import type { SharedLoadPlan } from "../../gate/shared-load.ts";
import { GO_MEMORY, K6_ENVIRONMENT, WITHOUT_METRICS } from "../../runner/run-k6.ts";
import { LOAD_FILE } from "../files/load-folder.ts";
import type { Manifest } from "./manifest.ts";
import { CONTAINER_SECURITY, fromSecret, networkPolicy, POD_SECURITY } from "./manifest.ts";
import type { Load } from "./sink.ts";
import { labelsOf } from "./sink.ts";

export interface TestRunOptions extends Load {
  parallelism: number;
  shared: SharedLoadPlan;
  /** Of k6, packed by gzip. */
  archive: Buffer;
}

/** Where the pods find and leave things. */
const ARCHIVE_FOLDER = "/archive";
const ARCHIVE = "load.tar.gz";
const EVIDENCE_FOLDER = "/evidence";
/** Unpacked in each pod's own folder; the operator asks for a file that is there. */
const SCRIPT = "/tmp/load.tar";

/** Ours: until the pods are scheduled, their image is there, and all of them have begun. */
const START_SECONDS_MAX = 900;
/** Ours: judging takes seconds. */
const JUDGING_SECONDS_MAX = 600;

export function testRunManifests(options: TestRunOptions): readonly Manifest[] {
  return [archiveMap(options), evidenceClaim(options), testRun(options), ...mergeJob(options)];
}

/** Another run leaves its evidence beside this one. */
function runFolder({ name, shared }: TestRunOptions): string {
  return `${EVIDENCE_FOLDER}/${name}-${shared.head.seed}`;
}

function archiveMap(options: TestRunOptions): Manifest {
  const { head, scenario } = options.shared;
  const { name, promises } = scenario;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${options.name}-archive`, labels: labelsOf(options, "archive") },
    data: { [LOAD_FILE]: JSON.stringify({ head, scenario: { name, promises } }) },
    binaryData: { [ARCHIVE]: options.archive.toString("base64") },
  };
}

function evidenceClaim(options: TestRunOptions): Manifest {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: `${options.name}-evidence`, labels: labelsOf(options, "evidence") },
    // The runners are on machines of their own.
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "2Gi" } } },
  };
}

const EVIDENCE_MOUNT = { name: "evidence", mountPath: EVIDENCE_FOLDER };
const TMP_MOUNT = { name: "tmp", mountPath: "/tmp" };
const ARCHIVE_MOUNT = { name: "archive", mountPath: ARCHIVE_FOLDER, readOnly: true };

function volumesOf({ name }: TestRunOptions): readonly Manifest[] {
  return [
    { name: "evidence", persistentVolumeClaim: { claimName: `${name}-evidence` } },
    { name: "tmp", emptyDir: {} },
  ];
}

/** Keys of the plan, and the secret of the sink: names here, values in the secret. */
function secretVariables(
  { shared, secret }: TestRunOptions,
  signing: readonly string[] = [],
): readonly Manifest[] {
  const { keys, receiver } = shared.plan;
  const asked = receiver ? [QUERY_SECRET_VARIABLE] : [];
  const names = [...keys.map(({ env }) => env), ...asked, ...signing];
  return [...new Set(names)].map((name) => fromSecret(secret, name));
}

function testRun(options: TestRunOptions): Manifest {
  const { name, parallelism } = options;
  return {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: { name, labels: labelsOf(options, "load") },
    spec: {
      parallelism,
      script: { localFile: SCRIPT },
      arguments: k6Arguments(options).join(" "),
      // It would need the keys' values to look at what was looked at when the archive was made.
      initializer: { disabled: true },
      starter: { securityContext: POD_SECURITY, containerSecurityContext: CONTAINER_SECURITY },
      runner: runner(options),
    },
  };
}

/** Without k6's own thresholds, which are of one pod: the job judges what all of them saw. */
function k6Arguments(options: TestRunOptions): readonly string[] {
  const console = `${runFolder(options)}/$(POD_NAME).log`;
  return [...WITHOUT_METRICS, "--no-color", "--log-format=raw", `--console-output=${console}`];
}

function runner(options: TestRunOptions): Manifest {
  const plain = Object.entries({ ...GO_MEMORY, ...K6_ENVIRONMENT });
  return {
    image: options.image,
    automountServiceAccountToken: "false",
    metadata: { labels: labelsOf(options, "load") },
    securityContext: POD_SECURITY,
    containerSecurityContext: CONTAINER_SECURITY,
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ...plain.map(([name, value]) => ({ name, value })),
      ...secretVariables(options),
    ],
    resources: {
      requests: { cpu: "1", memory: "512Mi", "ephemeral-storage": "64Mi" },
      limits: { memory: "2Gi", "ephemeral-storage": "256Mi" },
    },
    initContainers: [unpacking(options)],
    volumes: [
      ...volumesOf(options),
      { name: "archive", configMap: { name: `${options.name}-archive` } },
    ],
    volumeMounts: [EVIDENCE_MOUNT, TMP_MOUNT],
  };
}

/** Each does it for itself, and what they share comes to be in one step. */
function unpacking(options: TestRunOptions): Manifest {
  const folder = runFolder(options);
  const script = [
    "set -e",
    `mkdir -p ${folder}`,
    `cp ${ARCHIVE_FOLDER}/${LOAD_FILE} ${folder}/.$POD_NAME`,
    `mv ${folder}/.$POD_NAME ${folder}/${LOAD_FILE}`,
    `gzip -dc ${ARCHIVE_FOLDER}/${ARCHIVE} > ${SCRIPT}`,
  ];
  return {
    name: "unpack",
    image: options.image,
    command: ["sh", "-c", script.join("\n")],
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    resources: {
      requests: { cpu: "100m", memory: "64Mi", "ephemeral-storage": "16Mi" },
      limits: { memory: "64Mi", "ephemeral-storage": "64Mi" },
    },
    volumeMounts: [EVIDENCE_MOUNT, TMP_MOUNT, ARCHIVE_MOUNT],
  };
}

/** Waits for the last shard, judges, leaves the report beside the evidence, ends as a gate does. */
function mergeJob(options: TestRunOptions): readonly Manifest[] {
  const waitSeconds = Math.ceil(options.shared.timeLimitMs / 1_000) + START_SECONDS_MAX;
  const folder = runFolder(options);
  const labels = labelsOf(options, "merge");
  const { receiver } = options.shared.plan;
  const metadata = { name: `${options.name}-merge`, labels };
  const container = {
    name: "merge",
    image: options.image,
    args: ["merge", folder, "--wait", `${waitSeconds}s`, "--report", `${folder}/report`],
    // What looks like one of them in the evidence is blanked in the report.
    env: secretVariables(options, receiver?.signature.secretEnvs),
    resources: {
      requests: { cpu: "250m", memory: "512Mi", "ephemeral-storage": "16Mi" },
      limits: { memory: "2Gi", "ephemeral-storage": "64Mi" },
    },
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [EVIDENCE_MOUNT, TMP_MOUNT],
  };
  const pod = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    restartPolicy: "Never",
    securityContext: POD_SECURITY,
    containers: [container],
    volumes: volumesOf(options),
  };
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata,
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: waitSeconds + JUDGING_SECONDS_MAX,
      template: { metadata: { labels }, spec: pod },
    },
  };
  // It asks nobody, and nobody asks it.
  return [job, networkPolicy(metadata, [])];
}
