/** What a record holds of its exchanges fits on a line of evidence, however long they are. */

import { expect, it } from "vitest";
import { asRead } from "../../../contract/requests/exchange.ts";
import { packed, unpacked } from "../../../contract/run/packed-exchanges.ts";
import { exchange } from "../judges/job/fixtures.ts";

/** Characters of a line of evidence. */
const LINE_MAX = 64 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

const answers = (count: number, char: string, status = 200) =>
  Array.from({ length: count }, (_, at) =>
    asRead(exchange({ status, body: `${at}${char.repeat(7 * MEGABYTE - at)}` })),
  );

it.each([
  ["ten bodies of 7 MB", answers(10, "x"), 3],
  ["ten bodies of 7 MB that are escaped", answers(10, '"'), 1],
  ["one body that is escaped six times", answers(1, "\u0001"), 0],
])("reads the shortest of %s, and takes the others for unread", (_, long, readMax) => {
  const short = exchange({ status: 200, body: "{}" });
  const line = JSON.stringify(packed({ value: [...long, short] }));
  expect(line.length).toBeLessThan(LINE_MAX / 2);
  const { value } = unpacked(JSON.parse(line) as { value: readonly (typeof short)[] });
  const read = value.filter(({ error }) => error === null);
  expect(read.map(({ body }) => body)).toEqual([
    ...long.slice(long.length - readMax).map(({ body }) => body),
    "{}",
  ]);
  const others = value.filter(({ error }) => error !== null);
  expect(new Set(others.map((each) => [each.error, each.status, each.body].join()))).toEqual(
    new Set(["unread,0,"]),
  );
});

it("keeps what the status alone tells", () => {
  const line = JSON.stringify(packed({ value: answers(10, "x", 503) }));
  const { value } = unpacked(JSON.parse(line) as { value: readonly { status: number }[] });
  expect(line.length).toBeLessThan(LINE_MAX / 2);
  expect(value.map(({ status }) => status)).toEqual(Array(10).fill(503));
});
