/** `plumbline sink` in a cluster: where webhooks of the load arrive, and where its pods ask. */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { checkedScheme, QUERY_SECRET_VARIABLE } from "../../contract/jobs/delivery.ts";
import type { WebhookTarget } from "../../contract/target.ts";
import type { Manifest } from "./manifest.ts";
import { CONTAINER_SECURITY, fromSecret, networkPolicy, POD_SECURITY } from "./manifest.ts";

const PORTS = { webhooks: 8090, queries: 8091 } as const;

/** What pods of one load have in common. */
export interface Load {
  name: string;
  image: string;
  /** Name of the secret with keys and secrets. */
  secret: string;
}

export const labelsOf = (load: Pick<Load, "name">, component: string) => ({
  "app.kubernetes.io/name": "plumbline",
  "app.kubernetes.io/instance": load.name,
  "app.kubernetes.io/component": component,
});

function sinkName({ name }: Pick<Load, "name">): string {
  return `${name}-sink`;
}

/** As the pods of the load reach it, and the service by `publicUrl` of the target file. */
export function sinkAccessOf(load: Pick<Load, "name">, webhook: WebhookTarget): ReceiverAccess {
  const { header, scheme, secretEnvs } = webhook.signature;
  return {
    publicUrl: webhook.publicUrl ?? `http://${sinkName(load)}:${PORTS.webhooks}`,
    queryUrl: `http://${sinkName(load)}:${PORTS.queries}`,
    querySecretEnv: QUERY_SECRET_VARIABLE,
    refusingUrl: null,
    tokenPrefix: "",
    signature: {
      header,
      scheme: checkedScheme({ scheme, hasSecret: secretEnvs.length > 0 }),
      ...(secretEnvs.length > 1 ? { secretEnvs } : {}),
    },
  };
}

/** It keeps what arrives in memory: one of it, which nothing replaces while the load runs. */
export function sinkManifests(load: Load, webhook: WebhookTarget): readonly Manifest[] {
  const labels = labelsOf(load, "sink");
  const metadata = { name: sinkName(load), labels };
  const names = [QUERY_SECRET_VARIABLE, ...webhook.signature.secretEnvs];
  const container = {
    name: "sink",
    image: load.image,
    args: sinkArguments(load, webhook),
    env: names.map((name) => fromSecret(load.secret, name)),
    ports: Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort })),
    readinessProbe: { tcpSocket: { port: "queries" }, periodSeconds: 2 },
    resources: {
      requests: { cpu: "250m", memory: "256Mi", "ephemeral-storage": "16Mi" },
      limits: { memory: "1Gi", "ephemeral-storage": "64Mi" },
    },
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
  const pod = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: POD_SECURITY,
    containers: [container],
    volumes: [{ name: "tmp", emptyDir: {} }],
  };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        selector: labels,
        ports: Object.entries(PORTS).map(([name, port]) => ({ name, port, targetPort: name })),
      },
    },
    sinkPolicy(load, metadata),
  ];
}

function sinkArguments(load: Load, webhook: WebhookTarget): readonly string[] {
  const { header, scheme, secretEnvs } = webhook.signature;
  const { publicUrl } = sinkAccessOf(load, webhook);
  const signed = secretEnvs.flatMap((name) => ["--signature-secret-env", name]);
  return [
    "sink",
    ...["--listen", `0.0.0.0:${PORTS.webhooks}`, "--query-listen", `0.0.0.0:${PORTS.queries}`],
    ...["--public-url", publicUrl, "--signature-header", header],
    ...["--signature-scheme", signed.length === 0 ? "present" : scheme, ...signed],
  ];
}

/** Webhooks from everywhere, queries from the runners of this load alone. */
function sinkPolicy({ name }: Load, metadata: Manifest): Manifest {
  const runners = { podSelector: { matchLabels: { app: "k6", k6_cr: name } } };
  return networkPolicy(metadata, [
    { ports: [{ protocol: "TCP", port: "webhooks" }] },
    { from: [runners], ports: [{ protocol: "TCP", port: "queries" }] },
  ]);
}
