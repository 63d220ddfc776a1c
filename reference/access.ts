/** Who may call, and how often: keys and rate limits. Spec §5, §8. */

import type { RateLimit } from "../contract/plans.ts";
import type { Clock } from "../contract/time/clock.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import type { AuthOutcome, Hooks } from "./hooks.ts";
import type { RequestFacts } from "./http.ts";
import { createLimiter } from "./limiters/index.ts";
import type { Decision, Limiter } from "./limiters/limiter.ts";
import type { ReferenceOptions } from "./options.ts";

interface AccessParts {
  keys: readonly ReferenceKey[];
  options: ReferenceOptions;
  clock: Clock;
  hooks: () => Hooks;
}

export class Access {
  private readonly byValue: ReadonlyMap<string, ReferenceKey>;
  private readonly parts: AccessParts;
  private readonly limiters = new Map<string, Limiter>();

  constructor(parts: AccessParts) {
    this.byValue = new Map(parts.keys.map((key) => [key.value, key]));
    this.parts = parts;
  }

  authenticate(request: RequestFacts): AuthOutcome {
    return this.parts.hooks().authenticate(this.identify(request.apiKey), request);
  }

  admit(key: ReferenceKey, request: RequestFacts): Decision {
    const hooks = this.parts.hooks();
    const nowMs = this.parts.clock.nowMs();
    const name = hooks.bucket(key.name, key, request);
    return hooks.decision(this.limiter(name, key, hooks).take(nowMs), key, request, nowMs);
  }

  /** Forgets all counts: with other faults on, other limits may hold. */
  reset(): void {
    this.limiters.clear();
  }

  private identify(value: string | undefined): AuthOutcome {
    if (value === undefined || value === "") return { key: null, refusal: "missing-key" };
    const key = this.byValue.get(value);
    if (key === undefined) return { key: null, refusal: "invalid-key" };
    if (key.state === "revoked") return { key: null, refusal: "revoked-key" };
    return { key, refusal: null };
  }

  private limiter(name: string, key: ReferenceKey, hooks: Hooks): Limiter {
    const known = this.limiters.get(name);
    if (known !== undefined) return known;
    const limit: RateLimit = hooks.limit({ sustained: key.sustained, burst: key.burst }, key);
    const { choices } = this.parts.options;
    const refusedCount = choices.refusedCount === "yes";
    const options = { ...limit, refusedCount };
    const created = createLimiter(choices.limiter, options, choices.limiterInstances);
    this.limiters.set(name, created);
    return created;
  }
}
