/** What is told of errors of the system; those here are real ones. */

import { open, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { presentError } from "../../../cli/present-error.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { causeOf, ofFile, pathOf } from "../../../contract/text/thrown.ts";
import { ReceiverError } from "../../../receiver/listen.ts";
import { EXIT } from "../../../report/exit-codes.ts";
import { ReportDirectoryError } from "../../../report/report-directory-error.ts";
import { covers } from "../../../tools/robustness/covers.ts";

/** The exit code, and what is said. */
function presented(error: unknown) {
  const said: string[] = [];
  const unused = () => {
    throw new Error("nothing else is said");
  };
  const style = { color: false, width: 80, live: false, whole: true };
  const output = {
    say: (text: string) => void said.push(text),
    result: unused,
    hide: unused,
    talk: style,
    results: style,
  };
  const { signal } = new AbortController();
  const code = presentError(error, {
    output,
    signal,
    environment: {},
    onHangUp: unused,
    ask: null,
  });
  return [code, said.join("")];
}

const LACK = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });

it.each([
  ["itself", LACK],
  ["behind a file that can't be read", new UsageError("unreadable-file", [""], { cause: LACK })],
  ["behind a folder", new ReportDirectoryError("", { cause: new Error("", { cause: LACK }) })],
  ["told by a thread", new ReceiverError("no-descriptors", "cannot listen (EMFILE)")],
])("a lack of descriptors is told as one: %s", (_, error) => {
  const [code, said] = presented(error);
  expect(code).toBe(EXIT.noVerdict);
  expect(said).toMatch(/^error \(no-descriptors\): .*EMFILE.*the limit is (\d+|unlimited); .*\n$/);
});

it.each([
  ["ENOSPC", EXIT.noVerdict],
  ["EACCES", EXIT.usage],
])("a report folder that says %s ends with the code of its cause", (code, exitCode) => {
  const cause = Object.assign(new Error(code), { code });
  expect(presented(new ReportDirectoryError("", { cause }))[0]).toBe(exitCode);
});

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
    expect(presented(error)).toEqual([
      EXIT.noVerdict,
      'error (disk): cannot write "/dev/full" (ENOSPC: no space left on the device); ' +
        "make room on it, or choose another folder\n",
    ]);
  },
);
