/**
 * Returns the text under which a file name is shown, logged and noted. Senders choose the bytes of a name freely. Bytes
 * that are not UTF-8 become U+FFFD. Characters that could forge a path, a log line or a reversed ending become `_`. Use
 * the result for display only; reach the file by its bytes.
 * The result may still hold a card number from the sender: mask it before it goes anywhere.
 */
export function displayName(name: Buffer | string): string {
  const text = typeof name === 'string' ? name : new TextDecoder('utf-8', { ignoreBOM: true }).decode(name);
  return text.replace(UNSAFE, '_');
}

/** Control characters, path separators, line and paragraph separators, and marks that change the writing direction. */
const UNSAFE = /[\p{Cc}/\\\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
