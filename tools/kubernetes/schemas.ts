/** JSON Schemas for kubeconform: of Kubernetes itself, of what our manifests ask of operators. */

import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import type { Environment } from "../../runner/executables.ts";
import { cacheDir, placeAtomically } from "../../runner/k6-cache.ts";
import type { GoSource } from "./go-source.ts";
import { sourceFolder } from "./go-source.ts";
import type { Schema } from "./strict-schema.ts";
import { strictDefinitions, strictSchema } from "./strict-schema.ts";
import { TEST_RUN } from "./test-run.ts";

/** Has the OpenAPI document of the Kubernetes that it belongs to, for its own tests. */
const KUBERNETES: GoSource = {
  module: "k8s.io/kubectl",
  version: "v0.37.2",
  sum: "h1:AGGIhrGSsXtrL6BZWf7Hp2K9yB+2qdx7wovsOP1MiCg=",
};
const OPENAPI = "testdata/openapi/swagger.json";

const PROMETHEUS_OPERATOR: GoSource = {
  module: "github.com/prometheus-operator/prometheus-operator",
  version: "v0.85.0",
  sum: "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
};
const CUSTOM_RESOURCES = "example/prometheus-operator-crd";

/** Definitions of the kinds that manifests of ours may have. */
const KINDS = {
  v1_v1_configmap: "io.k8s.api.core.v1.ConfigMap",
  v1_v1_namespace: "io.k8s.api.core.v1.Namespace",
  v1_v1_persistentvolumeclaim: "io.k8s.api.core.v1.PersistentVolumeClaim",
  v1_v1_service: "io.k8s.api.core.v1.Service",
  v1_v1_serviceaccount: "io.k8s.api.core.v1.ServiceAccount",
  apps_v1_deployment: "io.k8s.api.apps.v1.Deployment",
  batch_v1_job: "io.k8s.api.batch.v1.Job",
  "networking.k8s.io_v1_networkpolicy": "io.k8s.api.networking.v1.NetworkPolicy",
};

/** How kubeconform finds a kind in a folder; what has no group has its version there as well. */
const LOCATION = "{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json";

/** What kubeconform's option `-schema-location` takes. Made once, and kept beside the tools. */
export async function schemaLocation(env: Environment): Promise<string> {
  const made = JSON.stringify([KUBERNETES, PROMETHEUS_OPERATOR, KINDS, TEST_RUN, await ownText()]);
  const hash = createHash("sha256").update(made).digest("hex").slice(0, 12);
  const folder = path.join(cacheDir(env), "kubernetes-schemas", hash);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) await placeAtomically(folder, (temporaryPath) => make(temporaryPath, env));
  return path.join(folder, LOCATION);
}

/** Another conversion is another schema. */
async function ownText(): Promise<string> {
  return await readFile(path.join(import.meta.dirname, "strict-schema.ts"), "utf8");
}

async function make(folder: string, env: Environment): Promise<void> {
  await mkdir(folder);
  const source = path.join(await sourceFolder(KUBERNETES, env), OPENAPI);
  const { definitions: given } = JSON.parse(await readFile(source, "utf8")) as {
    definitions: Record<string, Schema>;
  };
  const definitions = strictDefinitions(given);
  const write = async (name: string, schema: Schema) =>
    await writeFile(path.join(folder, `${name}.json`), JSON.stringify(schema));
  for (const [name, kind] of Object.entries(KINDS)) {
    await write(name, { ...requiring(definitions[kind], kind), definitions });
  }
  await write("k6.io_v1alpha1_testrun", { ...TEST_RUN, definitions });
  for (const [name, schema] of await customResources(env)) await write(name, schema);
}

function requiring(schema: Schema | undefined, kind: string): Schema {
  if (schema === undefined) throw new Error(`${OPENAPI} has no ${kind}`);
  return { ...schema, required: ["apiVersion", "kind", "metadata"] };
}

interface CustomResource {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

async function customResources(env: Environment): Promise<readonly (readonly [string, Schema])[]> {
  const folder = path.join(await sourceFolder(PROMETHEUS_OPERATOR, env), CUSTOM_RESOURCES);
  const texts = await Promise.all(
    (await readdir(folder)).map((file) => readFile(path.join(folder, file), "utf8")),
  );
  return texts.flatMap((text) => {
    const { group, names, versions } = (parse(text) as CustomResource).spec;
    return versions.map(({ name, schema }) => {
      const file = `${group}_${name}_${names.kind.toLowerCase()}`;
      return [file, strictSchema(schema.openAPIV3Schema)] as const;
    });
  });
}
