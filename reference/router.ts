/** Finds what a method and a path mean. */

export interface Route<Target> {
  method: string;
  /** A path with at most one parameter, `{like_this}`. */
  template: string;
  target: Target;
}

interface Match<Target> {
  target: Target;
  /** The path's parameter, decoded; "" without one. */
  parameter: string;
}

/** What stands before and after the parameter. */
interface Pattern<Target> {
  before: string;
  after: string;
  target: Target;
}

interface MethodRoutes<Target> {
  plain: Map<string, Target>;
  patterns: Pattern<Target>[];
}

/** Ours: a path with a longer parameter is no endpoint's. */
const PARAMETER_LENGTH_MAX = 100;

export class Router<Target> {
  private readonly methods = new Map<string, MethodRoutes<Target>>();

  constructor(routes: readonly Route<Target>[]) {
    for (const { method, template, target } of routes) this.add(method, template, target);
  }

  /** null: there is no such endpoint, or the path is not encoded as it should be. */
  find(method: string, path: string): Match<Target> | null {
    const routes = this.methods.get(method);
    const readable = routes === undefined ? null : decodedPath(path);
    if (routes === undefined || readable === null) return null;
    const plain = routes.plain.get(readable);
    if (plain !== undefined) return { target: plain, parameter: "" };
    for (const { before, after, target } of routes.patterns) {
      const parameter = parameterIn(readable, before, after);
      if (parameter !== null) return { target, parameter };
    }
    return null;
  }

  private add(method: string, template: string, target: Target): void {
    const known = this.methods.get(method);
    const routes = known ?? { plain: new Map<string, Target>(), patterns: [] };
    this.methods.set(method, routes);
    const [before = "", after] = template.split(/\{[a-z_]+\}/);
    if (after === undefined) routes.plain.set(before, target);
    else routes.patterns.push({ before, after, target });
  }
}

/** With all but the reserved characters decoded, so that an encoded slash parts nothing. */
function decodedPath(path: string): string | null {
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return null;
  }
}

/** An empty parameter is one, too. */
function parameterIn(path: string, before: string, after: string): string | null {
  if (!path.startsWith(before) || !path.endsWith(after)) return null;
  if (path.length < before.length + after.length) return null;
  const encoded = path.slice(before.length, path.length - after.length);
  if (encoded.includes("/")) return null;
  const parameter = encoded.includes("%") ? decodeURIComponent(encoded) : encoded;
  return parameter.length > PARAMETER_LENGTH_MAX ? null : parameter;
}
