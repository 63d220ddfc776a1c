/** The workers of the stranger's marketplace. Spec §2.2, §2.3. */

type OneType = "object" | "string" | "integer" | "number" | "boolean" | "array" | "null";

/** As much of JSON Schema as these workers need. */
export interface Schema {
  type: OneType | readonly OneType[];
  description?: string;
  default?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  maxItems?: number;
  items?: Schema;
}

export interface Worker {
  id: string;
  name: string;
  about: string;
  category: string;
  tags: readonly string[];
  /** Credits a run. */
  credits: number;
  timeoutSeconds: number;
  slots: number;
  schema: Schema;
}

/** A field of each input that the service may set itself, whatever is sent for it. */
export const SERVICE_FIELD = "requested_by";

const USUAL = { timeoutSeconds: 120, slots: 64, tags: ["fast"] } as const;

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: "object", properties, required };
}

/** A worker of somebody's who lists it nowhere, and whose name is like another one's. */
export const TWIN: Worker = {
  ...USUAL,
  id: "text-mirro",
  name: "Text Mirro",
  about: "Gives most of a text back.",
  category: "text",
  credits: 0.4,
  schema: object({ text: { type: "string" } }, ["text"]),
};

export const STRANGER_WORKERS: readonly Worker[] = [
  {
    ...USUAL,
    id: "text-mirror",
    name: "Text Mirror",
    about: "Gives a text back.",
    category: "text",
    credits: 0.4,
    schema: object(
      {
        text: { type: "string", description: "What to mirror", minLength: 1, maxLength: 4_000 },
        tone: { type: "string", enum: ["plain", "loud"], default: "plain" },
        repeat: { type: "integer", minimum: 1, maximum: 5, default: 1 },
        locale: { type: "string", pattern: "^[a-z]{2}-[A-Z]{2}$" },
      },
      ["text"],
    ),
  },
  {
    ...USUAL,
    id: "long-nap",
    name: "Long Nap & Co.",
    about: "Sleeps for a while.",
    category: "time",
    credits: 0.5,
    slots: 4,
    schema: object({ seconds: { type: "number", minimum: 0, maximum: 90 } }, ["seconds"]),
  },
  {
    ...USUAL,
    id: "short-fuse",
    name: "Short Fuse",
    about: "Stops whatever takes too long.",
    category: "time",
    credits: 0.7,
    timeoutSeconds: 20,
    slots: 200,
    schema: object({ seconds: { type: "integer", minimum: 1, maximum: 600 } }, ["seconds"]),
  },
  {
    ...USUAL,
    id: "always-breaks",
    name: "Always Breaks",
    about: "Fails each time.",
    category: "text-tools",
    tags: [],
    credits: 0.3,
    schema: object({ reason: { type: "string", maxLength: 200 } }, []),
  },
  {
    ...USUAL,
    id: "table-maker",
    name: "Table Maker",
    about: "Makes rows of a table.",
    category: "data",
    credits: 0.9,
    schema: object(
      {
        rows: { type: "integer", minimum: 1, maximum: 1_000 },
        heading: { type: ["string", "null"], maxLength: 60 },
        labels: { type: "array", maxItems: 3, items: { type: "string", maxLength: 20 } },
      },
      ["rows"],
    ),
  },
  {
    ...USUAL,
    id: "silent",
    name: "Silent",
    about: "Says nothing at all.",
    category: "time",
    credits: 0.1,
    schema: object({ note: { type: "string" } }, []),
  },
  {
    ...USUAL,
    id: "pdf-press",
    name: "PDF Press",
    about: "Prints a document.",
    category: "data",
    tags: ["files", "größe"],
    credits: 1.3,
    schema: object(
      {
        title: { type: "string", minLength: 1, maxLength: 120 },
        pages: { type: "integer", minimum: 1, maximum: 20, default: 1 },
        paper: object({ size: { type: "string", enum: ["a4", "letter"] } }, []),
      },
      ["title"],
    ),
  },
  {
    ...USUAL,
    id: "my-tool",
    name: "My Own Tool",
    about: "A worker of the caller's own.",
    category: "text",
    credits: 0.2,
    schema: object({}, []),
  },
];
