/** Alone in its file: whoever tells of errors must not load all that writes reports. */

/** The report cannot be written where it was asked for. */
export class ReportDirectoryError extends Error {
  readonly code = "report-directory-unwritable";
  override readonly name = "ReportDirectoryError";
}
