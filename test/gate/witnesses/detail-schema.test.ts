/** The schema part of workers.detail-shape against services with good and bad schemas. */

import { describe, expect, it } from "vitest";
import { detailSchemaWitness } from "../../../gate/witnesses/detail-schema.ts";
import { testimonyOf } from "../../../gate/witnesses/witness.ts";
import { serve } from "../../http/serve.ts";
import { contextFor } from "./context.ts";

const GOOD = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const BAD = { type: "object", properties: { text: { type: "strng" } } };
const UNKNOWN = { $schema: "https://example.invalid/dialect", type: "strng" };

/** A service with these workers and their input schemas; one worker, "echo", is configured. */
async function look(schemas: Readonly<Record<string, unknown>>, list: unknown = null) {
  const asked: string[] = [];
  const baseUrl = await serve((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "application/json");
    const id = /^\/v1\/workers\/(.+)$/.exec(request.url ?? "")?.[1];
    const workers = Object.keys(schemas).map((worker_id) => ({ worker_id }));
    if (id === undefined) response.end(JSON.stringify(list ?? { workers }));
    else if (id in schemas) response.end(JSON.stringify({ input_schema: schemas[id] }));
    else response.writeHead(404).end("{}");
  });
  const workers = { success: { id: "echo", input: {} }, slow: { id: "echo", input: {} } };
  const testimony = await testimonyOf(detailSchemaWitness, contextFor(baseUrl, { workers }));
  return { ...testimony, asked };
}

describe("workers.detail-shape, input_schema", () => {
  it("is kept where all schemas are valid", async () => {
    const { finding, asked } = await look({ echo: GOOD, other: GOOD });
    expect(finding).toMatchObject({ verdict: "kept", evidence: { validSchemas: 2 } });
    expect(asked).toEqual(["/v1/workers", "/v1/workers/echo", "/v1/workers/other"]);
  });

  it.each([
    ["a configured worker's", { echo: BAD, other: GOOD }, "echo"],
    ["another listed worker's", { echo: GOOD, other: BAD }, "other"],
  ])("is broken where %s schema is invalid", async (_, schemas, worker) => {
    const { finding } = await look(schemas);
    expect(finding.verdict).toBe("broken");
    expect(finding.evidence).toMatchObject({ worker });
    expect(finding.observations[0]?.request).toBe(`GET /v1/workers/${worker}`);
  });

  it("asks for a few listed workers at the most", async () => {
    const names = ["echo", "a", "b", "c", "d", "e", "f"];
    const { asked } = await look(Object.fromEntries(names.map((name) => [name, GOOD])));
    expect(asked).toHaveLength(5);
  });

  it("notes an unknown dialect and does not judge it", async () => {
    const { finding, notes } = await look({ echo: UNKNOWN });
    expect(finding.verdict).toBe("inconclusive");
    expect(notes).toEqual([expect.stringContaining('unknown dialect "https://example.invalid')]);
  });

  it.each([
    ["null", null],
    ["an array", []],
    ["absent", undefined],
  ])("leaves an input_schema that is %s to the scenario", async (_, schema) => {
    expect((await look({ echo: schema })).finding.verdict).toBe("inconclusive");
  });

  it.each([[[]], [{ workers: "none" }], [{ workers: [null, 7, { worker_id: 3 }] }]])(
    "still reads the configured workers where the list is %j",
    async (list) => {
      expect((await look({ echo: GOOD }, list)).finding.verdict).toBe("kept");
    },
  );
});
