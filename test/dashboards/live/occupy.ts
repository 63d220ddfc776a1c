/** Jobs of other customers that keep the reference service's slow worker busy. */

import type { World } from "./world.ts";

/** The worker runs four jobs at once (docs/reference-service.md), these for 1.2 s each. */
const SECONDS = 60;
/** Ours: as many as are served, so that the queue stays as long as it was made. */
const EVERY_MS = 300;
/** Ours: makes those behind wait for about two seconds. */
const AT_FIRST = 11;

/** Submits jobs until its result is called. */
export function occupy({ service, secrets, target }: World): () => void {
  const key = target.keys.find(({ name }) => name === "pro-c");
  const headers = {
    "x-api-key": secrets.get(key?.env ?? "")?.reveal() ?? "",
    "content-type": "application/json",
  };
  const body = JSON.stringify({ seconds: SECONDS });
  const submit = () => {
    const url = `${service.baseUrl}/v1/workers/sleep/jobs`;
    fetch(url, { method: "POST", headers, body }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
  };
  for (let n = 0; n < AT_FIRST; n += 1) submit();
  const timer = setInterval(submit, EVERY_MS);
  return () => clearInterval(timer);
}
