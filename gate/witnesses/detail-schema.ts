/** Witness of workers.detail-shape: k6 has no JSON Schema validator, so schemas are judged here. */

import { readPages } from "../../contract/answers/read-pages.ts";
import { listEntries } from "../../contract/judges/workers.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { looksAt } from "../../contract/strength.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept } from "../../contract/verdict.ts";
import type { SchemaJudgement } from "../json-schema.ts";
import { inputSchemaIn, judgeSchema } from "../json-schema.ts";
import type { Ask, NodeWitness, Scene, Testimony } from "./witness.ts";

const PROMISE = "workers.detail-shape";

/** Ours: a few other workers beside the configured ones show whether the rule is general. */
const LISTED_WORKERS_MAX = 3;

interface Examined {
  worker: string;
  exchange: Exchange;
  judgement: SchemaJudgement;
}

export const detailSchemaWitness: NodeWitness = {
  name: "detail-schema",
  promise: PROMISE,
  look,
};

async function look(ask: Ask, { plan }: Scene): Promise<Testimony> {
  const examined: Examined[] = [];
  for (const worker of await workersToExamine(plan, ask)) {
    const exchange = await ask({ route: "worker", parameter: worker });
    const schema = inputSchemaIn(exchange);
    if (schema !== null) examined.push({ worker, exchange, judgement: judgeSchema(schema) });
  }
  const notes = examined.flatMap(({ worker, judgement }) =>
    judgement.verdict === "unknown"
      ? [`input_schema of worker "${worker}" was not judged: ${judgement.problem}`]
      : [],
  );
  return { finding: conclude(examined), notes };
}

async function workersToExamine(plan: RunPlan, ask: Ask): Promise<readonly string[]> {
  const configured = [...new Set(Object.values(plan.workers).map(({ id }) => id))];
  const others = new Set<string>();
  await readPages({
    ask: (query) => ask({ route: "workers", query }),
    isEnough(page) {
      for (const { id } of listEntries(page) ?? []) if (!configured.includes(id)) others.add(id);
      return others.size >= LISTED_WORKERS_MAX;
    },
  });
  return [...configured, ...[...others].slice(0, LISTED_WORKERS_MAX)];
}

function conclude(examined: readonly Examined[]): Finding {
  for (const { worker, exchange, judgement } of examined) {
    if (judgement.verdict !== "invalid") continue;
    const summary = `input_schema of worker "${worker}" is no valid JSON Schema`;
    const evidence = { worker, problem: judgement.problem };
    return broken(PROMISE, `${summary}: ${judgement.problem}`, { evidence, exchanges: [exchange] });
  }
  const valid = examined.filter(({ judgement }) => judgement.verdict === "valid").length;
  if (valid === 0) return inconclusive(PROMISE, "no input_schema could be read and judged");
  const summary = `${valid} input schemas are valid JSON Schemas`;
  return kept(PROMISE, summary, {
    evidence: { validSchemas: valid },
    strength: looksAt(valid, "schemas"),
  });
}
