/** The error of a k6 that can't be had; its message says what to install. */

/** Closed set of reasons; also the error's stable code. */
export type K6UnavailableCode =
  | "k6-bin-unusable"
  | "k6-missing"
  | "k6-build-failed"
  | "k6-download-failed"
  | "k6-cache-unwritable"
  | "temporary-folder-unwritable";

export class K6UnavailableError extends Error {
  readonly code: K6UnavailableCode;

  constructor(code: K6UnavailableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "K6UnavailableError";
    this.code = code;
  }
}
