/**
 * Returns whether a name belongs to a file that a program is still writing. Such a file becomes a drop only when it is
 * renamed to its final name. Names have one character per byte (latin1), so any bytes can be tested. `~$` marks the
 * lock files of office programs.
 */
export function isIgnoredName(name: string): boolean {
  return HIDDEN.test(name) || name.startsWith('~$') || name.endsWith('~') || UNFINISHED.test(name);
}

/**
 * Dot files, including `.sftpgo-upload.*` and the temporaries of rsync. Names that begin like a Windows path, `.\` or
 * `..\`, are not hidden. A program wrote a whole path as the name, and the file must not be lost.
 */
const HIDDEN = /^\.(?!\.?\\)/;

const UNFINISHED = /\.(?:tmp|part|partial|filepart|writing)$/i;
