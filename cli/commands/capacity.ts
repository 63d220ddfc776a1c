/** `plumbline capacity`: the highest rate that keeps the objectives, and what gives way first. */

import type { ExitCode } from "../../report/exit-codes.ts";
import type { CapacityFlags } from "../capacity/request.ts";
import { readRequest } from "../capacity/request.ts";
import type { Context } from "../context.ts";
import { openSubject } from "../subject/subject.ts";

/** What works on the subject is loaded when it is there: a wrong request is told at once. */
export async function capacityCommand(flags: CapacityFlags, context: Context): Promise<ExitCode> {
  const { request, choice } = await readRequest(flags);
  await using subject = await openSubject(choice, context.environment);
  const { searchAndTell } = await import("../capacity/run.ts");
  return await searchAndTell(flags, request, subject, context);
}
