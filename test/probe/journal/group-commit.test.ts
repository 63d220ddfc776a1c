/** Writes that the disk can't take: as many as are kept wait for it, and what is lost is said. */

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { GroupCommit } from "../../../probe/journal/group-commit.ts";
import { covers } from "../../../tools/robustness/covers.ts";

const KEPT_MAX = 100_000;

it(
  covers("of a long outage the records that are not kept are told, once an outage", "35 probe"),
  () => {
    const database = new DatabaseSync(":memory:");
    const said: string[] = [];
    const commits = new GroupCommit(database, () => () => {}, {
      onFailure: (why) => said.push(why),
      onRecovered: () => said.push("recovered"),
      onCommitted: () => {},
    });
    const written: number[] = [];
    const write = (from: number, to: number) => {
      for (let at = from; at < to; at += 1) {
        commits.write({ keep: true, apply: () => written.push(at) }).catch(() => {});
      }
      commits.flush();
    };
    const outage = (records: readonly number[]) => {
      database.exec("PRAGMA query_only = 1");
      for (const [at, to] of records.entries()) write(records[at - 1] ?? 0, to);
      database.exec("PRAGMA query_only = 0");
      commits.flush();
      expect(written.length).toBe(KEPT_MAX);
      expect(written.splice(0).every((record, at) => record === at)).toBe(true);
      const lost = expect.stringContaining("; 100000 records wait to be written, and later ones");
      const plain = expect.not.stringContaining("lost");
      expect(said.splice(0)).toEqual([plain, lost, plain, "recovered"]);
    };
    outage([KEPT_MAX, KEPT_MAX + 1, KEPT_MAX + 2]);
    outage([KEPT_MAX - 1, KEPT_MAX + 1, KEPT_MAX + 2]);
    database.close();
  },
);
