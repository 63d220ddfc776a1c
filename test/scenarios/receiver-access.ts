/** A receiver as scenarios reach it; the variable SECRET has what its queries need. */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";

export const RECEIVER_ACCESS: ReceiverAccess = {
  publicUrl: "http://127.0.0.1:1",
  queryUrl: "http://127.0.0.1:2",
  querySecretEnv: "SECRET",
  refusingUrl: null,
  tokenPrefix: "",
  signature: { header: "X-Service-Signature", scheme: "present" },
};
