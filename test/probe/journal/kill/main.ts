/** `npm run probe:kill [-- --kills 1000 --lanes 2]`: kill -9 at random moments; what is lost. */

import { parseArgs } from "node:util";

import { kill } from "./kill.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    lanes: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});

const report = await kill(Number(values.kills), Number(values.lanes), Number(values.seed));
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
