/** Administration over HTTP: another process lists, enables and disables faults. */

import type { FastifyInstance } from "fastify";
import { messageOf } from "../../contract/thrown.ts";
import type { Fault } from "../faults/fault.ts";
import type { FaultSwitches } from "../switchboard.ts";

/** Below the base address. */
export const ADMIN_PATH = "/_reference/faults";

/** PUT and DELETE `/_reference/faults/<name>`; GET `/_reference/faults` tells what there is. */
export function registerAdmin(
  app: FastifyInstance,
  faults: readonly Fault[],
  board: FaultSwitches,
): void {
  const available = faults.map(({ name, promise, title, nearMiss, variants }) => {
    return { name, promise, title, nearMiss, variants: variants ?? ["A", "B"] };
  });
  app.get(ADMIN_PATH, () => ({ active: board.active(), available }));
  app.delete(ADMIN_PATH, () => {
    for (const name of board.active()) board.disable(name);
    return { active: board.active() };
  });
  for (const method of ["PUT", "DELETE"] as const) {
    app.route<{ Params: { "*": string } }>({
      method,
      url: `${ADMIN_PATH}/*`,
      handler: (request, reply) => {
        try {
          const name = request.params["*"];
          if (method === "PUT") board.enable(name);
          else board.disable(name);
        } catch (error) {
          return reply.code(404).send({ error: messageOf(error) });
        }
        return reply.send({ active: board.active() });
      },
    });
  }
}
