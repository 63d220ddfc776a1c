/** Faults of workers, submissions, jobs, timeouts and keys that choices once hid. */

import { itSees } from "./seen-with-choices.ts";

itSees([
  {
    fault: "auth.invalid-key/cancels",
    variant: "B",
    choices: { cancelRefusal: "404" },
    beside: ["cancel.queued"],
  },
  {
    fault: "workers.category-filter/one-too-few",
    variant: "A",
    choices: { workersPagination: "next", extraFields: "yes" },
  },
  {
    fault: "submit.rejected-runs-nothing/charged",
    variant: "B",
    choices: { balanceDigits: "coarse", balanceUnit: "tokens" },
  },
  {
    fault: "submit.rejected-runs-nothing/charged",
    variant: "B",
    choices: { balanceOf: "owed", balanceUnit: "credits" },
  },
  {
    fault: "submit.rejected-runs-nothing/price-held",
    variant: "A",
    choices: { balanceUnit: "usd", creditViews: "4" },
  },
  {
    fault: "submit.rejected-runs-nothing/without-credits-charged",
    variant: "A",
    choices: { creditViews: "4", balanceAfter: "3" },
  },
  {
    fault: "submit.rejected-runs-nothing/beyond-limit-charged",
    variant: "B",
    choices: { creditViews: "4", balanceDigits: "coarse", balanceUnit: "credits" },
    beside: ["load.accounting"],
  },
  { fault: "job.timestamps/no-zone", variant: "A", choices: { stamps: "basic" } },
  { fault: "job.timestamps/no-milliseconds", variant: "B", choices: { stamps: "basic" } },
  { fault: "job.timestamps/out-of-order", variant: "A", choices: { stamps: "basic" } },
  { fault: "job.duration/a-second-too-long", variant: "A", choices: { stamps: "scheduler" } },
  { fault: "job.terminal-final/state-changes", variant: "B", choices: { storedAfter: "1.5" } },
  { fault: "job.terminal-final/cost-grows", variant: "B", choices: { costAfter: "3" } },
  {
    fault: "job.list-limit/older-ones",
    variant: "A",
    choices: { listLength: "20", listLag: "2" },
  },
  { fault: "timeout.fires/once-in-a-while", variant: "B", choices: { limitCheck: "early" } },
  {
    fault: "timeout.fires/once-in-a-while",
    variant: "A",
    choices: { limitCheck: "early", durationOf: "work", startUp: "cold" },
  },
  { fault: "timeout.not-early/1-s-early", variant: "A", choices: { stamps: "scheduler" } },
  { fault: "timeout.not-early/1-s-early", variant: "B", choices: { stamps: "zeros" } },
  { fault: "timeout.not-late/3-s-late", variant: "A", choices: { stamps: "s" } },
  { fault: "timeout.under-load/charged", variant: "B", choices: { costAfter: "3" } },
]);
