/**
 * Returns the text under which a file name is shown, logged and noted. Senders choose the bytes of a name freely. Bytes
 * that are not UTF-8 become U+FFFD. Characters that could forge a path, a log line or a reversed ending become `_`. Use
 * the result for display only; reach the file by its bytes.
 * The result may still hold a card number from the sender: mask it before it goes anywhere.
 */
export function displayName(name: Buffer | string): string {
  const text = typeof name === 'string' ? name : UTF_8.decode(name);
  return text.replace(UNSAFE, '_');
}

const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Control characters, path separators, line and paragraph separators, and marks that change the writing direction. */
const UNSAFE = /[\p{Cc}/\\\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** File name endings of OpenPGP messages. The name decides what a drop is, never its bytes. */
const ENDING = /\.(?:pgp|gpg|asc)$/i;

export function isMessageName(name: string): boolean {
  return ENDING.test(name);
}

/** Returns `monday` for both `monday.csv` and `monday.csv.pgp`, so that the outputs of both are named alike. */
export function stemOf(name: string): string {
  return name.replace(ENDING, '').replace(/\.csv$/i, '');
}

/**
 * Returns whether a name is never that of a payment file: a program is still writing the file, or keeps it there for
 * itself. Such a file becomes a drop only when it is renamed to its final name. Names have one character per byte
 * (latin1), so any bytes can be tested. `~$` marks the lock files of office programs.
 */
export function isIgnoredName(name: string): boolean {
  return [HIDDEN, /^~\$|~$/, UNFINISHED, OF_THE_SYSTEM].some((pattern) => pattern.test(name));
}

/**
 * Dot files, including `.sftpgo-upload.*`, `.~lock.x.csv#` and the temporaries of rsync. Names that begin like a Windows
 * path, `.\` or `..\`, are not hidden. A program wrote a whole path as the name, and the file must not be lost.
 */
const HIDDEN = /^\.(?!\.?\\)/;

/** Uploads, downloads of browsers, and what editors keep while a file is open. */
const UNFINISHED = /\.(?:tmp|part|partial|filepart|writing|crdownload|download|opdownload|swp)$/i;

/** What Windows writes into a folder that a person opens. */
const OF_THE_SYSTEM = /^(?:ehthumbs|thumbs)\.db$|^desktop\.ini$/i;
