/** Tells that a key was revoked meanwhile: then all else that it would be asked tells nothing. */

import type { RefusedKey } from "../../contract/judges/account.ts";
import { UNAUTHORIZED } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isBefore, isSuccess } from "../../contract/requests/exchange.ts";

/** Ours: no store of keys that fails now and then refuses a key at rest so often in a row. */
const REFUSALS_IN_A_ROW = 20;

/**
 * A limiter may refuse with 401 as well, though it should not: it serves the key again once that
 * has rested. So only what follows a rest counts, until there is another answer.
 */
export class Revocation {
  #isRested = false;
  #inARow = 0;

  /** The key has sent nothing for so long, or so little, that no limiter would refuse it. */
  rested(): void {
    this.#isRested = true;
  }

  /** Gives back whether it is seen by this answer; once. */
  answered({ status }: { status: number }): boolean {
    if (this.isSeen || status === 0) return false;
    if (status !== UNAUTHORIZED) [this.#isRested, this.#inARow] = [false, 0];
    else if (this.#isRested) this.#inARow += 1;
    return this.isSeen;
  }

  get isSeen(): boolean {
    return this.#inARow >= REFUSALS_IN_A_ROW;
  }
}

export function revokedText(name: string): string {
  const seen = `${REFUSALS_IN_A_ROW} requests in a row got 401, Unauthorized`;
  return `the key ${name} is no longer taken: ${seen}`;
}

/** Keeps what shows of a key of the plan that it seems revoked, and that it was not. */
export class RefusedKeys {
  readonly #rows = new Map<string, RefusedKey & { count: number }>();
  readonly #served: RefusedKey[] = [];

  answered(key: string, exchange: Exchange): void {
    const row = this.#rows.get(key);
    if (exchange.status === UNAUTHORIZED) {
      const { first, count } = row ?? { first: exchange, count: 0 };
      this.#rows.set(key, { key, first, last: exchange, again: null, count: count + 1 });
    } else if (row !== undefined && isSuccess(exchange) && isBefore(row.last, exchange)) {
      this.#rows.delete(key);
      if (isLong(row)) this.#served.push({ ...told(row), again: exchange });
    }
  }

  seen(): readonly RefusedKey[] {
    return [...this.#served, ...[...this.#rows.values()].filter(isLong).map(told)];
  }
}

function isLong({ count }: { count: number }): boolean {
  return count >= REFUSALS_IN_A_ROW;
}

function told({ key, first, last, again }: RefusedKey): RefusedKey {
  return { key, first, last, again };
}
