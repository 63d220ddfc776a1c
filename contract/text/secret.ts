/** A secret in a type that shows it in no output: keys, tokens, what webhooks are signed with. */

/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Texts, JSON and errors that it gets into show `[redacted]`, and so does Node's inspection. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself: to be sent, to sign with, to be blanked in texts. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

/** One, or several of accounts that each have their own: spaces stand between them. */
export function secretsWithin(value: string): readonly string[] {
  return value.split(/ +/);
}

/** By the environment variable that carries them. Never written to any file. */
export type Secrets = ReadonlyMap<string, Secret>;

/** Of the named variables, those that are set. */
export function secretsIn(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Secrets {
  const set = names.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, new Secret(value)] as const];
  });
  return new Map(set);
}

/** The environment of a process of its own, which has no other way to learn of them. */
export function revealed(secrets: Secrets): Record<string, string> {
  return Object.fromEntries([...secrets].map(([name, secret]) => [name, secret.reveal()]));
}
