/** Explanations: keys, account, workers, submissions. */

import type { OfGroups } from "./explanation.ts";

export const ACCESS: OfGroups<"auth" | "account" | "workers" | "submit"> = {
  "auth.missing-key": [
    "Requests without any key go to several endpoints; each has to be answered 401.",
    "A gateway that answers 403 or 404 itself, or an endpoint without the check.",
    "See the quoted request; compare its route with the gateway's list of protected paths.",
  ],
  "auth.invalid-key": [
    "Requests carry keys that nobody was given: made up, empty, cut, longer, one character off.",
    "Keys compared by a prefix or in any letter case, or a cache that accepts what it can't find.",
    "The quoted request names how its key was altered; look at the comparison.",
  ],
  "auth.revoked-key": [
    "The key with state: revoked is used on several endpoints, more than once.",
    "A cache of keys that outlives the revocation, or one replica that was not told.",
    "If some requests passed and others not, look at replicas; if all passed, at the cache.",
  ],
  "auth.error-body": [
    "Every 401 of the run is read: error and message are texts, status is the number 401.",
    "The gateway's own error page in place of the service's, or status as a text.",
    "Have the component that refuses write the documented body.",
  ],
  "auth.header-case": [
    "One request each with X-Api-Key, x-api-key and X-API-KEY in exactly that spelling.",
    "A proxy or framework that looks headers up by their exact spelling.",
    "Names of headers are case-insensitive (RFC 9110 §5.1); look them up so.",
  ],
  "auth.every-endpoint": [
    "Every endpoint but the worker list is asked without a key and with one that nobody has.",
    "A new route that was added without the check.",
    "The finding names the route; put it behind the check.",
  ],
  "account.readable": [
    "The three account endpoints are read: 200, and a JSON object or list.",
    "An account without deployments answered with 204 or an error, or one slow dependency.",
    "See status and body that are quoted.",
  ],
  "workers.list-shape": [
    "Every entry on every page of the list is decoded by the documented fields.",
    "A worker whose price or tags are missing, often an old or unpublished one.",
    "The finding names the entry and the field.",
  ],
  "workers.category-filter": [
    "The list is asked for by categories that it showed; every entry has to be of that category.",
    "A filter that is ignored, matches parts of words, or is lost on the second page.",
    "Repeat the quoted query with curl, and look at the first entry of another category.",
  ],
  "workers.text-filter": [
    "The list is asked for by the names of workers; they must be found, and some others left out.",
    "A search index that lags behind the catalogue, or q that is ignored.",
    "Repeat the quoted query; if the worker is new, look at the age of the index.",
  ],
  "workers.detail-shape": [
    "Details are decoded; the input schema is held against the metaschema of its draft.",
    "A schema written by hand, or a limit that is stated as text.",
    "The finding names the worker and what its schema violates.",
  ],
  "workers.unknown": [
    "Workers that do not exist are asked for, submitted to and published; each is 404.",
    "A lookup that falls back to a default, or 403 and 500 in place of 404.",
    "See which of the three requests was answered otherwise.",
  ],
  "workers.publish": [
    "The worker of publish: is published for real; one that does not exist has to be 404.",
    "The key's account does not own the worker, or publishing twice is an error.",
    "Check publish.worker in the target file first; then the quoted answer.",
  ],
  "submit.accepted-status": [
    "Every submission with a good input is answered 202 where it is accepted.",
    "A 200 or 201 from a gateway or a framework's default, or a 5xx under load.",
    "See at which rate it happens; one of many is a matter of load.",
  ],
  "submit.accepted-shape": [
    "Every accepted object of the run is decoded: identifier, status, worker and time, by variant.",
    "Fields of the other variant, a missing time, or a status in another spelling.",
    "The finding names the field and what was there.",
  ],
  "submit.unique-id": [
    "The identifiers of all jobs of the run are compared, over all keys and scenarios.",
    "Identifiers made of a time and too little chance, or of a counter per replica.",
    "Look at how identifiers are made where two submissions arrive in the same moment.",
  ],
  "submit.asynchronous": [
    "The answers to submissions of a slow worker are timed: they come long before the run's end.",
    "The job is started within the request, for example where a queue is full.",
    "See whether the answer took as long as the run; then look at what the handler awaits.",
  ],
  "submit.control-parameters": [
    "webhook and priority are sent beside the input of each worker, also of strict schemas.",
    "The schema is applied to the whole body, and additionalProperties refuses both fields.",
    "Take the control parameters out before the input is validated.",
  ],
  "submit.malformed": [
    "Bodies that are no JSON object are sent: cut, empty, an array, a number, other encodings.",
    "A parser that accepts more, a 422 or 500 in place of 400, or an empty body taken as {}.",
    "The finding quotes the body that was answered otherwise.",
  ],
  "submit.missing-field": [
    "Each required field of a worker's schema is left out once; the answer is 400.",
    "The validator answers 422 for everything, or defaults fill a field that is required.",
    "Tell a missing field from one with a wrong value when the validator answers.",
  ],
  "submit.schema-violation": [
    "Fields get values that their schema forbids, in type, range, length and choice: 422.",
    'Values that are converted silently, such as the text "5" for a number, or 400 for all.',
    "The finding names the field and the value that came through.",
  ],
  "submit.insufficient-credits": [
    "One submission with the key whose state is exhausted; it has to be answered 402.",
    "The balance is checked when the job is run, or a small debt is allowed.",
    "See that the account really has no credits; then at when the balance is checked.",
  ],
  "submit.rejected-runs-nothing": [
    "After every refused submission the job list and the balance are searched for its traces.",
    "The job is stored before the input is validated, or the price is held and not given back.",
    "The finding names the refused request and the job or amount that appeared.",
  ],
};
