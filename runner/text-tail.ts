/** Keeps the beginning and the end of an output of unknown length. */

/** Ours: a k6 log longer than that repeats itself. */
const TEXT_CHARS_MAX = 1024 * 1024;
/** Ours: what a report or an error message quotes of it. */
const END_CHARS = 2_000;

export class TextTail {
  #head = "";
  #tail = "";
  #cut = false;
  #isLong = false;

  add(text: string): void {
    const room = TEXT_CHARS_MAX - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    if (text.length > room) this.#cut = true;
    this.#isLong ||= this.#tail.length + text.length > END_CHARS;
    this.#tail = (this.#tail + text).slice(-END_CHARS);
  }

  /** All of it, or its beginning and its end where it was too long. */
  get text(): string {
    return this.#cut ? `${this.#head}…\n[...]\n…${this.#tail}` : this.#head;
  }

  /** Its last characters, trimmed; behind a mark where others came before. */
  get end(): string {
    const mark = this.#isLong ? "…" : "";
    return `${mark}${this.#tail.trim()}`;
  }
}
