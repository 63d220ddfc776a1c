/** What is told of errors of the system; those here are real ones. */

import { open, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { presentError } from "../../cli/present-error.ts";
import { causeOf, ofFile, pathOf } from "../../contract/thrown.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { covers } from "../../tools/robustness/covers.ts";

/** Takes nothing, as a disk that is full. full(4). */
const FULL = "/dev/full";

it("an error of writing to an open file names the file once it is told which", async () => {
  await using file = await open(FULL, "w");
  const error = await file.write("x").catch((thrown: unknown) => thrown);
  expect([causeOf(error), pathOf(error)]).toEqual(["ENOSPC: no space left on the device", null]);
  expect(() => ofFile("report.json")(error)).toThrow("ENOSPC");
  expect(pathOf(error)).toBe("report.json");
});

it(
  covers("a full disk is told with the file and what helps, and ends without a verdict", "35 gate"),
  async () => {
    const error = await writeFile(FULL, "x")
      .catch(ofFile(FULL))
      .catch((thrown: unknown) => thrown);
    const said: string[] = [];
    const unused = () => {
      throw new Error("nothing else is said");
    };
    const style = { color: false, width: 80, live: false, whole: true };
    const code = presentError(error, {
      output: {
        say: (text) => void said.push(text),
        result: unused,
        hide: unused,
        talk: style,
        results: style,
      },
      signal: new AbortController().signal,
      environment: {},
      onHangUp: unused,
      ask: null,
    });
    expect(code).toBe(EXIT.noVerdict);
    expect(said.join("")).toBe(
      'error (disk): cannot write "/dev/full" (ENOSPC: no space left on the device); ' +
        "make room on it, or choose another folder\n",
    );
  },
);
