/** What a service's certificate says of its time, as each new connection over TLS checks it. */

import type { PeerCertificate } from "node:tls";
import { checkServerIdentity } from "node:tls";
import type { buildConnector } from "undici";
import type { Validity } from "../contract/requests/certificate.ts";

/**
 * How connections over TLS are made. None resumes the session of an earlier one, as k6's do not:
 * that would take over its check of the certificate, which may have expired since. `onValid` is
 * told of each certificate that was checked, and is the host's.
 */
export function tlsOptions(onValid?: (validity: Validity) => void): buildConnector.BuildOptions {
  const fresh = { maxCachedSessions: 0 };
  if (onValid === undefined) return fresh;
  return {
    ...fresh,
    checkServerIdentity(host: string, certificate: PeerCertificate) {
      const wrong = checkServerIdentity(host, certificate);
      const validity = validityOf(certificate);
      if (wrong === undefined && validity !== null) onValid(validity);
      return wrong;
    },
  };
}

/** As OpenSSL writes them: "Nov 29 09:00:00 2026 GMT"; null where one is no date to us. */
function validityOf({ valid_from, valid_to }: PeerCertificate): Validity | null {
  const [fromMs, untilMs] = [Date.parse(valid_from), Date.parse(valid_to)];
  return Number.isNaN(fromMs + untilMs) ? null : { fromMs, untilMs };
}
