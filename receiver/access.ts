/** The addresses of a receiver as others are told them. */

import type { ReceiverAccess, SignatureAccess } from "../contract/jobs/delivery.ts";
import { checkedScheme, QUERY_SECRET_VARIABLE } from "../contract/jobs/delivery.ts";
import { authority } from "../contract/requests/authority.ts";
import { reachableHost } from "./listen.ts";
import type { ReceiverOptions, SignatureOptions } from "./options.ts";

interface Opened {
  publicPort: number;
  queryPort: number;
  refusing: { host: string; port: number } | null;
}

export function accessOf(options: ReceiverOptions, opened: Opened): ReceiverAccess {
  const { listen, query, publicUrl, tokenPrefix, signature } = options;
  const { publicPort, queryPort, refusing } = opened;
  return {
    publicUrl: publicUrl ?? urlOf(reachableHost(listen.host), publicPort),
    queryUrl: urlOf(reachableHost(query.host), queryPort),
    querySecretEnv: QUERY_SECRET_VARIABLE,
    refusingUrl: refusing === null ? null : urlOf(refusing.host, refusing.port),
    tokenPrefix: tokenPrefix ?? "",
    signature: signatureAccess(signature),
  };
}

/** What is told of the secrets: under which names they are known. */
export function signatureAccess(options: SignatureOptions): SignatureAccess {
  const { header, scheme, secret, secretEnvs } = options;
  const hasSecret = secret !== null && secret !== "";
  const names = secretEnvs === undefined ? {} : { secretEnvs: [...new Set(secretEnvs.flat())] };
  return { header, scheme: checkedScheme({ scheme, hasSecret }), ...names };
}

function urlOf(host: string, port: number): string {
  return `http://${authority(host, port)}`;
}
