/** Services that few are like, and that nothing in the specification speaks against. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import type { SurroundingsName } from "../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { strangerIn } from "./open-stranger.ts";

interface Unusual {
  choices: readonly string[];
  /** `quiet` where it is left out. */
  surroundings?: SurroundingsName;
  variant: Variant;
  kept: readonly PromiseId[];
  /** Of what the target file gives no means to see, the reason that is told. */
  unobserved?: Partial<Record<PromiseId, RegExp>>;
}

const UNUSUAL: Readonly<Record<string, Unusual>> = {
  "a firewall turns away clients without a name": {
    choices: ["namelessClients=refused"],
    variant: "B",
    kept: ["auth.header-case", "job.files-readable"],
  },
  "addresses of files are signed once, and live for seconds": {
    choices: ["fileAddresses=short"],
    variant: "B",
    kept: ["job.files-readable", "job.list-limit", "cancel.queued"],
  },
  "such addresses lead to others": {
    choices: ["fileAddresses=short", "fileVia=redirect"],
    variant: "B",
    kept: ["job.files-readable", "job.list-limit", "cancel.queued"],
  },
  "the header of the signature has a name of its own": {
    choices: ["signatureHeader=own"],
    variant: "A",
    kept: ["webhook.signed", "webhook.delivered"],
  },
  "a worker is paid by event, so that its runs have no price in advance": {
    choices: ["pricing=one-by-event"],
    variant: "B",
    kept: ["submit.insufficient-credits", "workers.list-shape"],
  },
  "webhook and priority are listed among the fields of each input": {
    choices: ["controlFields=in-schema"],
    variant: "A",
    kept: ["submit.schema-violation", "submit.control-parameters"],
  },
  "webhooks are taken to short addresses alone": {
    choices: ["webhookAddresses=short"],
    variant: "B",
    kept: ["webhook.delivered", "webhook.retried", "submit.control-parameters"],
  },
  "jobs are shown running while they start up, which takes 6 s and counts for nothing": {
    choices: ["startUp=long-and-uncounted"],
    variant: "A",
    kept: ["timeout.not-late", "timeout.under-load", "timeout.not-early"],
  },
  "the price of a job that timed out is held for 9 s more": {
    choices: ["billing=hold", "timeoutHolds=last-on"],
    variant: "A",
    kept: ["timeout.free"],
  },
  "a key that was refused is barred for 8 s, as it is told": {
    choices: ["penalty=8-s"],
    variant: "B",
    kept: ["rate.burst", "rate.sustained", "rate.within-plan", "rate.retry-after-sufficient"],
  },
  "the price of a job that timed out is held for a minute": {
    choices: ["billing=hold", "timeoutHolds=a-minute"],
    variant: "A",
    kept: ["timeout.free"],
  },
  "what there is not is looked for before the limit is": {
    choices: ["lookup=before-limit"],
    variant: "A",
    kept: ["rate.all-endpoints", "rate.limited", "rate.within-plan"],
  },
  "the worker to publish is another account's than the one that reads": {
    choices: ["ownWorkers=of-one-account"],
    variant: "B",
    kept: ["workers.publish"],
  },
  "refusals are held back for 0.3 s": {
    choices: ["refusals=held"],
    variant: "A",
    kept: ["rate.all-endpoints", "rate.limited", "rate.retry-after-sufficient"],
  },
  "refusals are held back for up to 1.5 s": {
    choices: ["refusals=held-unevenly", "limiter=gcra"],
    variant: "B",
    kept: ["rate.all-endpoints", "rate.limited", "rate.within-plan"],
  },
  "a worker folds the texts that it gives back to ASCII": {
    choices: ["mirroredText=in-ascii"],
    variant: "A",
    kept: ["job.own-result", "webhook.result"],
  },
  "requests that are left for the day are told beside the balance": {
    choices: ["requestsLeft=counted"],
    variant: "B",
    kept: ["timeout.free", "submit.rejected-runs-nothing"],
  },
  "requests that are left are told beside a balance that is shown late": {
    choices: ["requestsLeft=counted", "balanceView=cached", "balanceAge=longer"],
    variant: "B",
    kept: ["timeout.free"],
  },
  "requests that are left are told, and jobs cost less than balances show": {
    choices: ["requestsLeft=counted", "priceSize=tiny"],
    variant: "A",
    kept: ["submit.rejected-runs-nothing"],
  },
  "each account's webhooks are signed by a secret of its own": {
    choices: ["secrets=of-accounts"],
    variant: "B",
    kept: ["webhook.signed", "load.webhooks"],
  },
  "each account has such a secret, and one of them was told": {
    choices: ["secrets=of-accounts", "secretsTold=one"],
    variant: "A",
    kept: ["webhook.signed", "load.no-losses"],
  },
  "identifiers have colons, and paths are taken as they were sent": {
    choices: ["id=colons", "segments=as-sent"],
    variant: "B",
    kept: ["job.never-lost", "cancel.queued"],
  },
  "JSON is called HTML": {
    choices: ["contentType=html"],
    variant: "A",
    kept: ["account.readable", "workers.list-shape", "job.shape"],
  },
  "texts of more than 20 characters are not searched for": {
    choices: ["queries=short"],
    variant: "B",
    kept: ["workers.text-filter", "workers.category-filter"],
  },
  "texts of more than 12 characters are not, and some names have more": {
    choices: ["queries=shortest"],
    variant: "A",
    kept: ["workers.text-filter"],
  },
  "lists end after two workers, say nothing of it, and are in another order where filtered": {
    choices: ["paging=silent"],
    variant: "B",
    kept: ["workers.category-filter", "workers.text-filter", "workers.list-shape"],
  },
  "lists end after two workers, and tell how many they hold": {
    choices: ["paging=counted"],
    variant: "A",
    kept: ["workers.category-filter", "workers.text-filter", "workers.list-shape"],
  },
  "there is an unlisted worker whose name is another's but for its last letter": {
    choices: ["twins=unlisted"],
    variant: "A",
    kept: ["workers.unknown"],
  },
  "who comes without a right key 20 times a minute is told to wait": {
    choices: ["guesses=429-after-20"],
    variant: "A",
    kept: ["auth.missing-key", "auth.invalid-key", "auth.revoked-key", "auth.every-endpoint"],
  },
  "who does so is barred": {
    choices: ["guesses=403-after-20"],
    variant: "B",
    kept: ["auth.missing-key", "auth.invalid-key", "auth.revoked-key", "auth.every-endpoint"],
  },
  "costs are added up anew by some views": {
    choices: ["costText=summed-at-times"],
    variant: "A",
    kept: ["job.terminal-final", "job.cost", "cancel.not-terminal"],
  },
  "all that is listed has one category, and others are not found": {
    choices: ["paging=silent", "listedWorkers=others", "unknownCategory=404"],
    variant: "A",
    kept: ["workers.list-shape"],
    unobserved: { "workers.category-filter": /no second category/ },
  },
  "times are in whole seconds and leave a long start-up out, and views from afar lag behind": {
    choices: ["stamps=seconds", "viewLag=long", "startUp=long-and-uncounted"],
    surroundings: "far",
    variant: "A",
    kept: ["cancel.queued"],
  },
  "nobody told that name": {
    choices: ["signatureHeader=untold"],
    variant: "A",
    kept: ["webhook.delivered"],
    unobserved: {
      "webhook.signed": /may be "x-stranger-signature": set webhook\.signature\.header/,
    },
  },
};

describe("a stranger", () => {
  it.each(Object.entries(UNUSUAL))("is as good as others where %s", async (_, unusual) => {
    const { variant, choices, kept, unobserved = {}, surroundings = "quiet" } = unusual;
    const openService = strangerIn({ variant, choices, faults: [] });
    const only = [...kept, ...(Object.keys(unobserved) as PromiseId[])];
    const { findings } = await simulateGate({
      ...{ seed: 1, openService, only },
      surroundings: SURROUNDINGS[surroundings],
    });
    const seen = only.map((promise) => {
      const found = findings.find((each) => each.promise === promise);
      return [promise, found?.verdict, found?.reason];
    });
    expect(seen).toEqual([
      ...kept.map((promise) => [promise, "kept", null]),
      ...Object.entries(unobserved).map(([promise, why]) => {
        return [promise, "unobserved", expect.stringMatching(why)];
      }),
    ]);
  });
});
