/**
 * The text under which a file name is shown, logged and noted. Names in a drop folder are bytes that anybody may choose:
 * bytes that are not UTF-8 become U+FFFD, and what could forge a path, a second log line or a reversed ending on
 * somebody's screen becomes `_`. The result is for people only; the file is always reached by its bytes.
 *
 * It may still hold a card number that the sender put into the name: mask it before it goes anywhere.
 */
export function displayName(name: Buffer | string): string {
  const text = typeof name === 'string' ? name : new TextDecoder('utf-8', { ignoreBOM: true }).decode(name);
  return text.replace(UNSAFE, '_');
}

/** Control characters, path separators, line and paragraph separators, and the marks that turn writing direction. */
const UNSAFE = /[\p{Cc}/\\\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
