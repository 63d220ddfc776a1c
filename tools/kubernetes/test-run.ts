/**
 * The schema of a TestRun of k6-operator, by its Go types: the module of that operator is not
 * published, so that its definition can't be taken from there.
 * Source: grafana/k6-operator v1.6.0, api/v1alpha1/testrun_types.go.
 */

import type { Schema } from "./strict-schema.ts";

const TEXT: Schema = { type: "string" };
const TEXTS: Schema = { type: "array", items: TEXT };
const YES_OR_NO: Schema = { type: "boolean" };
const TEXT_BY_NAME: Schema = { type: "object", additionalProperties: TEXT };

const core = (name: string): Schema => ({ $ref: `#/definitions/io.k8s.api.core.v1.${name}` });
const list = (name: string): Schema => ({ type: "array", items: core(name) });

function object(properties: Schema, required: readonly string[] = []): Schema {
  // An empty list is none in the draft that kubeconform reads.
  const needed = required.length === 0 ? {} : { required };
  return { type: "object", properties, ...needed, additionalProperties: false };
}

const CONTAINER = {
  env: list("EnvVar"),
  envFrom: list("EnvFromSource"),
  image: TEXT,
  resources: core("ResourceRequirements"),
  volumeMounts: list("VolumeMount"),
};

const POD = object({
  ...CONTAINER,
  disabled: YES_OR_NO,
  affinity: core("Affinity"),
  // A word, not a truth value.
  automountServiceAccountToken: TEXT,
  imagePullSecrets: list("LocalObjectReference"),
  imagePullPolicy: TEXT,
  metadata: object({ annotations: TEXT_BY_NAME, labels: TEXT_BY_NAME }),
  nodeSelector: TEXT_BY_NAME,
  tolerations: list("Toleration"),
  topologySpreadConstraints: list("TopologySpreadConstraint"),
  serviceAccountName: TEXT,
  securityContext: core("PodSecurityContext"),
  containerSecurityContext: core("SecurityContext"),
  readinessProbe: core("Probe"),
  livenessProbe: core("Probe"),
  initContainers: {
    type: "array",
    items: object({
      ...CONTAINER,
      name: TEXT,
      command: TEXTS,
      args: TEXTS,
      workingDir: TEXT,
      restartPolicy: TEXT,
    }),
  },
  volumes: list("Volume"),
  priorityClassName: TEXT,
  schedulerName: TEXT,
});

const SCRIPT = object({
  volumeClaim: object({ name: TEXT, file: TEXT, readOnly: YES_OR_NO }, ["name"]),
  configMap: object({ name: TEXT, file: TEXT }, ["name"]),
  localFile: TEXT,
});

const SPEC = object(
  {
    script: SCRIPT,
    parallelism: { type: "integer", minimum: 0 },
    separate: YES_OR_NO,
    arguments: TEXT,
    args: TEXTS,
    ports: list("ContainerPort"),
    initializer: POD,
    starter: POD,
    runner: POD,
    quiet: TEXT,
    paused: TEXT,
    cleanup: { enum: ["post"] },
  },
  ["script", "parallelism"],
);

export const TEST_RUN: Schema = object(
  {
    apiVersion: { enum: ["k6.io/v1alpha1"] },
    kind: { enum: ["TestRun"] },
    metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    spec: SPEC,
  },
  ["apiVersion", "kind", "metadata", "spec"],
);
