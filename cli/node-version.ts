/** Which Node the command needs. */

/** Source: package.json, "engines". */
export const NODE_MAJOR_MIN = 24;

export function isNewEnough(version: string): boolean {
  return Number.parseInt(version, 10) >= NODE_MAJOR_MIN;
}
