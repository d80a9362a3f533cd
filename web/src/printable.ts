// Makes text from other users safe to show: escapes the same characters as crates/core/src/printable.rs.

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0)!;
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** Parses JSON of the server and escapes every text, except entities, which go back to the server unchanged. */
export function parsed<T>(json: string): T {
  return JSON.parse(json, (key, value: unknown) => (typeof value === "string" && key !== "entity" ? printable(value) : value)) as T;
}
