/** Administration over HTTP: another process lists, enables and disables faults. */

import { messageOf } from "../../contract/text/thrown.ts";
import type { Fault } from "../faults/fault.ts";
import type { Answer, RawRequest } from "../http.ts";
import type { FaultSwitches } from "../switchboard.ts";

/** Below the base address. */
export const ADMIN_PATH = "/_reference/faults";

/**
 * PUT and DELETE `/_reference/faults/<name>`; GET `/_reference/faults` tells what there is. null:
 * the request is none of these.
 */
export function adminOf(faults: readonly Fault[], board: FaultSwitches) {
  const available = faults.map(({ name, promise, title, nearMiss, variants }) => {
    return { name, promise, title, nearMiss, variants: variants ?? ["A", "B"] };
  });
  const told = (more: object = {}, status = 200): Answer => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    return { status, headers, body: { active: board.active(), ...more } };
  };
  const switched = (method: string, written: string): Answer => {
    try {
      const name = decodeURIComponent(written);
      if (method === "PUT") board.enable(name);
      else board.disable(name);
      return told();
    } catch (error) {
      return told({ error: messageOf(error) }, 404);
    }
  };
  return ({ method, path }: RawRequest): Answer | null => {
    if (!path.startsWith(ADMIN_PATH)) return null;
    const rest = path.slice(ADMIN_PATH.length);
    const changes = method === "PUT" || method === "DELETE";
    if (changes && rest.startsWith("/")) return switched(method, rest.slice(1));
    if (rest !== "") return null;
    if (method === "GET") return told({ available });
    if (method !== "DELETE") return null;
    for (const name of board.active()) board.disable(name);
    return told();
  };
}
