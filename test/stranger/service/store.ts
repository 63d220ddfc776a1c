/** All jobs by identifier and account, and the list of the latest. Spec §4.4, §4.5. */

import type { StrangerKey } from "./accounts.ts";
import { ANY_ACCOUNT } from "./accounts.ts";
import type { Job } from "./journal.ts";
import { isTerminal, stateAt } from "./journal.ts";
import type { House } from "./ports.ts";
import { jobBody, statusWord } from "./views.ts";

const LIST_LAG_MS = { none: 0, short: 300, long: 1_500 } as const;
const CACHE_MS = 2_500;
const EVICTED_MS = 45_000;
const EXPIRED_MS = 180_000;
const RESTART_AT_JOBS = 150;
const REISSUED = 10;

export class JobStore {
  private readonly house: House;
  private readonly byId = new Map<string, Job>();
  private readonly byAccount = new Map<string, Job[]>();
  private cached: { atMs: number; body: unknown } | null = null;
  private made = 0;
  private again = 0;

  constructor(house: House) {
    this.house = house;
  }

  count(): number {
    return this.made;
  }

  /** Of the first jobs of all, once more: a sequence that starts anew after a restart. */
  reissued({ account }: StrangerKey): string | null {
    const isOver = this.made < RESTART_AT_JOBS || this.again === REISSUED;
    const old = isOver ? undefined : [...this.byId.values()][this.again];
    if (old?.account !== account) return null;
    this.again += 1;
    return old.id;
  }

  add(job: Job): void {
    this.made += 1;
    this.byId.set(job.id, job);
    const jobs = this.byAccount.get(job.account) ?? [];
    this.byAccount.set(job.account, jobs);
    jobs.push(job);
  }

  /** The job of that identifier, if the account may see it. */
  find(id: string, { account }: StrangerKey): Job | null {
    const { trouble, now, ports } = this.house;
    const isAny = id === "0" && trouble.has("nought-finds-any-job");
    const any = isAny ? this.jobsOf(account)[0] : undefined;
    const job = this.byId.get(id) ?? this.inAnyCase(id) ?? this.almost(id) ?? any;
    if (job === undefined) return null;
    if (account !== ANY_ACCOUNT && job.account !== account) return null;
    const { finishedMs } = stateAt(job, now());
    if (trouble.has("finished-jobs-evicted") && finishedMs !== null) {
      if (now() - finishedMs > EVICTED_MS) return null;
    }
    const isOld = finishedMs !== null && now() - finishedMs > EXPIRED_MS;
    if (isOld && trouble.has("evicted-after-3-min")) return null;
    if (trouble.strikesJob("one-replica-lost-the-job", job) && ports.random() < 1 / 3) return null;
    return job;
  }

  private inAnyCase(id: string): Job | undefined {
    if (this.house.picks.idLookup === "exact") return undefined;
    return [...this.byId.values()].find((job) => job.id.toLowerCase() === id.toLowerCase());
  }

  private almost(id: string): Job | undefined {
    if (!this.house.trouble.has("id-compared-by-its-head")) return undefined;
    return [...this.byId.values()].find((job) => job.id.slice(0, 12) === id.slice(0, 12));
  }

  list({ account }: StrangerKey): unknown {
    const { trouble, now, picks } = this.house;
    const atMs = now();
    if (trouble.has("list-cached-for-everybody")) {
      if (this.cached !== null && atMs - this.cached.atMs < CACHE_MS) return this.cached.body;
    }
    const visible = this.jobsOf(account).filter(
      ({ submittedMs }) => atMs - submittedMs >= LIST_LAG_MS[picks.listLag],
    );
    const latest = this.latest(visible);
    const newestFirst = picks.jobListOrder === "newest-first" ? latest.reverse() : latest;
    const body = this.shaped(newestFirst);
    this.cached = { atMs, body };
    return body;
  }

  countOf({ account }: StrangerKey): number {
    return this.jobsOf(account).length;
  }

  isRunning({ account }: StrangerKey): boolean {
    return this.jobsOf(account).some((job) => this.viewOf(job).phase === "running");
  }

  private jobsOf(account: string): readonly Job[] {
    if (!this.house.trouble.has("list-by-prefix-of-account")) {
      return this.byAccount.get(account) ?? [];
    }
    const all = [...this.byAccount.values()].flat().toSorted((a, b) => a.sequence - b.sequence);
    return all.filter((job) => job.account.startsWith(account));
  }

  private latest(jobs: readonly Job[]): Job[] {
    const { trouble, picks } = this.house;
    if (trouble.has("list-oldest-hundred")) return jobs.slice(0, 100);
    if (trouble.has("list-one-too-many")) return jobs.slice(-101);
    const latest = jobs.slice(-Number(picks.jobListMost));
    if (trouble.has("list-repeats-a-job")) return jobs.slice(-99).concat(jobs.slice(-7, -6));
    if (trouble.has("list-skips-at-page-border")) {
      return latest.filter((_, index) => (latest.length - index) % 10 !== 0);
    }
    if (trouble.has("list-without-timeouts")) {
      return latest.filter((job) => stateAt(job, this.house.now()).phase !== "timedOut");
    }
    return trouble.has("list-without-finished")
      ? latest.filter((job) => !isTerminal(stateAt(job, this.house.now()).phase))
      : latest;
  }

  private shaped(jobs: readonly Job[]): unknown {
    const { house } = this;
    if (house.picks.jobEdges === "of-links") {
      return jobs.map(({ id }) => `${house.ports.baseUrl}/v1/jobs/${encodeURIComponent(id)}`);
    }
    if (house.picks.jobEdges === "of-nodes") {
      const nodes = jobs.map((job) => ({ id: job.id, state: this.viewOf(job).phase }));
      return { jobs: { edges: nodes.map((node) => ({ cursor: `c-${node.id}`, node })) } };
    }
    const full = () => jobs.map((job) => jobBody(job, this.viewOf(job), house));
    switch (house.picks.jobListShape) {
      case "jobs":
        return { jobs: full() };
      case "bare":
        return full();
      case "data":
        return { data: full(), total: jobs.length, has_more: false };
      case "summary":
        return {
          jobs: jobs.map((job) => {
            const status = statusWord(this.viewOf(job).phase, job, house);
            return { job_uuid: job.id, status, worker: job.worker };
          }),
        };
    }
  }

  /** What a replica shows of a job. */
  viewOf(job: Job) {
    const { trouble, ports, now } = this.house;
    const isBehind = trouble.has("replica-behind-others") && ports.random() < 1 / 3;
    const state = stateAt(job, now() - job.lagMs - (isBehind ? 2_500 : 0));
    const { finishedMs } = state;
    const isOld = finishedMs !== null && now() - finishedMs > EXPIRED_MS;
    if (isOld && trouble.has("result-expires-after-3-min") && state.run !== null) {
      return { ...state, run: { ...state.run, kind: "empty" as const, data: null, items: [] } };
    }
    const isUnstored = trouble.strikesJob("end-not-stored", job) && finishedMs !== null;
    return isUnstored ? stateAt(job, finishedMs - 1) : state;
  }

  /** With its job, and the time since its end. */
  file(id: string): { contentType: string; text: string; ageMs: number; job: Job } | null {
    const job = this.byId.get(id.replace(/-f\d+$/, ""));
    if (job === undefined) return null;
    const { run, finishedMs } = stateAt(job, this.house.now());
    const file = run?.files.find((each) => each.id === id);
    if (file === undefined) return null;
    return { ...file, job, ageMs: this.house.now() - (finishedMs ?? this.house.now()) };
  }
}
