/** Whether a namespace that enforces `restricted` would take a pod. */

import { z } from "zod";

const container = z.looseObject({
  name: z.string(),
  securityContext: z
    .looseObject({
      allowPrivilegeEscalation: z.boolean().optional(),
      privileged: z.boolean().optional(),
      runAsNonRoot: z.boolean().optional(),
      runAsUser: z.number().optional(),
      seccompProfile: z.object({ type: z.string() }).optional(),
      capabilities: z.object({ add: z.array(z.string()), drop: z.array(z.string()) }).partial(),
    })
    .partial()
    .default({}),
  ports: z.array(z.looseObject({ hostPort: z.number().optional() })).default([]),
});

export const podSpec = z.looseObject({
  hostNetwork: z.boolean().default(false),
  hostPID: z.boolean().default(false),
  hostIPC: z.boolean().default(false),
  securityContext: z
    .looseObject({
      runAsNonRoot: z.boolean().optional(),
      runAsUser: z.number().optional(),
      seccompProfile: z.object({ type: z.string() }).optional(),
    })
    .default({}),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});
type PodSpec = z.infer<typeof podSpec>;
type Container = z.infer<typeof container>;

/** Source: Kubernetes, Pod Security Standards, "Restricted". */
const VOLUMES: readonly string[] = [
  ..."configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected".split(" "),
  ..."secret image name".split(" "),
];
const PROFILES: readonly string[] = ["RuntimeDefault", "Localhost"];

/** What is not allowed, a line each. */
export function violationsOf(pod: PodSpec): readonly string[] {
  const volumes = pod.volumes.flatMap(Object.keys).filter((type) => !VOLUMES.includes(type));
  const hosts = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => pod[name]);
  const own = [...pod.initContainers, ...pod.containers].flatMap((each) => ofContainer(each, pod));
  return [...volumes.map((type) => `volume ${type}`), ...hosts, ...own];
}

function ofContainer({ name, ports, securityContext: own }: Container, pod: PodSpec) {
  const { securityContext: all } = pod;
  const { add = [], drop = [] } = own.capabilities ?? {};
  const wrong = {
    "is privileged": own.privileged === true,
    "may escalate": own.allowPrivilegeEscalation !== false,
    "may be root": (own.runAsNonRoot ?? all.runAsNonRoot) !== true,
    "is root": (own.runAsUser ?? all.runAsUser) === 0,
    "keeps capabilities": !drop.includes("ALL"),
    "adds capabilities": add.some((each) => each !== "NET_BIND_SERVICE"),
    "has no seccomp profile": !PROFILES.includes(
      (own.seccompProfile ?? all.seccompProfile)?.type ?? "",
    ),
    "takes a port of the host": ports.some(({ hostPort }) => hostPort !== undefined),
  };
  const said = Object.entries(wrong).filter(([, isWrong]) => isWrong);
  return said.map(([what]) => `${name} ${what}`);
}
