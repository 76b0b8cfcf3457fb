/**
 * Whether a name is one that programs give to files they are still writing: such a file becomes a drop only when it
 * is renamed to its final name. Names come as text with one character per byte (latin1), so any bytes can be asked about.
 * `~$` are the lock files of office programs.
 */
export function isIgnoredName(name: string): boolean {
  return HIDDEN.test(name) || name.startsWith('~$') || name.endsWith('~') || UNFINISHED.test(name);
}

/**
 * Dot files cover `.sftpgo-upload.*` and the temporaries of rsync. What begins like a path of Windows, `.\` or `..\`, was
 * not meant to be hidden: a program wrote a whole path where a name belongs, and its file must not be lost.
 */
const HIDDEN = /^\.(?!\.?\\)/;

const UNFINISHED = /\.(?:tmp|part|partial|filepart|writing)$/i;
