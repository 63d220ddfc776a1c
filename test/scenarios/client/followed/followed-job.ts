/** A job that was accepted, and of which nothing was seen since. */

import type { FollowedJob } from "../../../../scenarios/client/followed/followed-job.ts";
import { answer } from "../../../contract/judges/answers.ts";

export function followedJob(issuedId: string): FollowedJob {
  return {
    part: "success",
    submission: answer(202),
    issuedId,
    workerId: "echo",
    polls: [],
    cancelRequests: [],
    expected: "completed",
    gaveUpAtMs: null,
    deadlineMs: 10_000,
    lostAfterMs: 5_000,
    endSeenAtMs: null,
    end: null,
  };
}
