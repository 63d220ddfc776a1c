/** Keeps secrets out of every output: one function that blanks them wherever they stand. */

/** What stands in place of a secret. */
const REDACTED = "[redacted]";

/**
 * A function that replaces each of the given secrets in a text, also in its JSON- and
 * percent-encoded forms. Empty secrets are ignored; longer ones go first, so that a secret that
 * contains another leaves no rest behind.
 */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret === "") continue;
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
    forms.add(encodeURIComponent(secret));
  }
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
}
