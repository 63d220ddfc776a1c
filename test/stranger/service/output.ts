/** What a run leaves behind. Spec §2.6, §2.7. */

interface StoredFile {
  id: string;
  name: string;
  contentType: string;
  text: string;
}

export interface Run {
  kind: "object" | "list" | "empty";
  data: Readonly<Record<string, unknown>> | null;
  items: readonly unknown[];
  files: readonly StoredFile[];
}
