/** Manifests as plain data, and what all pods of ours have in common. */

import { stringify } from "yaml";

export type Manifest = { readonly [field: string]: unknown };

export function manifestsText(manifests: readonly Manifest[]): string {
  const style = { lineWidth: 0, aliasDuplicateObjects: false };
  return manifests.map((each) => stringify(each, style)).join("---\n");
}

/** Ours: any but root, and none that a machine has for somebody else. */
const USER = 10_001;

/** What the pod security standard `restricted` asks of a pod, and of each of its containers. */
export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
};
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** A variable whose value is in a secret, under the same name. */
export function fromSecret(secret: string, name: string): Manifest {
  return { name, valueFrom: { secretKeyRef: { name: secret, key: name } } };
}

/** Lets in what is listed, and nothing out. */
export function networkPolicy(metadata: Manifest, ingress: readonly Manifest[]): Manifest {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata,
    spec: {
      podSelector: { matchLabels: metadata.labels },
      policyTypes: ["Ingress", "Egress"],
      ingress,
      egress: [],
    },
  };
}
