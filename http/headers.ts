/** Headers of an answer as exchanges hold them. */

type Received = Readonly<Record<string, string | string[] | undefined>>;

/** One value a name. Most answers have no name twice. RFC 9110 §5.2. */
export function flattened(headers: Received): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
