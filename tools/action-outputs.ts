/** Prints what the action hands on of a report, a `name=value` a line; without one, nothing. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { reportSchema } from "../report/model.ts";

const [folder = ""] = process.argv.slice(2);
const text = await readFile(path.join(folder, "report.json"), "utf8").catch(() => null);
if (text !== null) {
  const { verdict, counts, promises } = reportSchema.parse(JSON.parse(text));
  const broken = promises.filter((each) => each.verdict === "broken").map(({ id }) => id);
  const outputs = { verdict, ...counts, "broken-promises": broken.join(",") };
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  process.stdout.write(lines.join(""));
}
