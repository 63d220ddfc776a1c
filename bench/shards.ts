/**
 * How many jobs two virtual users on two cores complete beside one, where far more are asked for
 * than either can offer.
 *
 * npm run bench -- --only shards
 */

import { soak, withService } from "./loaded.ts";
import { measure } from "./row.ts";

const RATE = 1_200;
const SECONDS = 8;

const completedBy = (shards: number) =>
  withService(async (service) => {
    const { completed } = await soak(service, { rate: RATE, seconds: SECONDS, shards });
    return [completed / SECONDS];
  });

await measure({
  figures: [{ name: "shards", what: "jobs completed a second", goal: { atLeast: 1.7 } }],
  subject: `two shards, ${RATE} jobs/s asked`,
  peer: "one shard",
  warmsUp: false,
  measureSubject: () => completedBy(2),
  measurePeer: () => completedBy(1),
});
