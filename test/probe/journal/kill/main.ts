/** `npm run probe:kill [-- --kills 1000 --lanes 2 --damage 0.2]`: kill -9; what is lost. */

import { parseArgs } from "node:util";

import { kill } from "./kill.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    lanes: { type: "string", default: "2" },
    /** Share of the restarts before which the journal's files are harmed. */
    damage: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
  },
});

const report = await kill({
  kills: Number(values.kills),
  lanes: Number(values.lanes),
  seed: Number(values.seed),
  damageShare: Number(values.damage),
});
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
