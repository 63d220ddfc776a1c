/**
 * Addresses of a name, looked up once a second at the most: Node would ask for each connection, two
 * at a time in the whole process, and a load opens hundreds.
 */

import type { LookupAddress, LookupOptions } from "node:dns";
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { performance } from "node:perf_hooks";

/** As long as k6 keeps them: a service that moves is followed at once. */
const KEPT_MS = 1_000;

interface Looked {
  atMs: number;
  addresses: Promise<LookupAddress[]>;
}

/** For one client; an error is not kept. */
export function keptLookup(ask: typeof addressesOf = addressesOf): LookupFunction {
  const known = new Map<string, Looked>();
  return (hostname, options, callback) => {
    const name = `${options.family ?? 0} ${hostname}`;
    const before = known.get(name);
    const isFresh = before !== undefined && performance.now() - before.atMs < KEPT_MS;
    const looked = isFresh
      ? before
      : { atMs: performance.now(), addresses: ask(hostname, { ...options, all: true }) };
    known.set(name, looked);
    looked.addresses.then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => {
        if (known.get(name) === looked) known.delete(name);
        callback(error, options.all ? [] : "");
      },
    );
  };
}

function addressesOf(
  hostname: string,
  options: LookupOptions & { all: true },
): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, options, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}
