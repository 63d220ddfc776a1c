/** All that can be asked for: the endpoints of the service and the downloads of files. */

import { ROUTES, type RouteName } from "../../contract/requests/routes.ts";
import { CHOICES, type Choices } from "../choices.ts";
import type { Route } from "../router.ts";
import { getAccount, getCredits, getDeployments } from "./account.ts";
import type { Endpoint } from "./api.ts";
import { cancelJob, getJob, listJobs, otherJobMethod } from "./jobs.ts";
import { submitJob } from "./submit.ts";
import { getWorker, listWorkers, publishWorker } from "./workers.ts";

export type Target = { route: RouteName; endpoint: Endpoint } | "storage";

const ENDPOINTS: readonly (readonly [string, RouteName, Endpoint])[] = [
  ["GET", "me", getAccount],
  ["GET", "credits", getCredits],
  ["GET", "deployments", getDeployments],
  ["GET", "workers", listWorkers],
  ["GET", "worker", getWorker],
  ["POST", "publish", publishWorker],
  ["POST", "submit", submitJob],
  ["GET", "jobs", listJobs],
  ["GET", "job", getJob],
];

export function endpoints({ cancelMethod }: Choices): Route<Target>[] {
  const all = [...ENDPOINTS, ...changesOfJobs(cancelMethod)];
  const routes = all.map(([method, route, endpoint]): Route<Target> => {
    return { method, template: ROUTES[route], target: { route, endpoint } };
  });
  return [...routes, { method: "GET", template: "/storage/{file}", target: "storage" }];
}

/** The one method that cancels, and those that don't. */
function changesOfJobs(cancelMethod: Choices["cancelMethod"]): typeof ENDPOINTS {
  return CHOICES.cancelMethod.values.map((method) => {
    return [method, "job", method === cancelMethod ? cancelJob : otherJobMethod];
  });
}
