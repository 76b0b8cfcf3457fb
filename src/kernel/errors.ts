import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';

/**
 * The one error that paydrop throws on purpose. What is expected to happen (a decline, an invalid row, a file that is
 * not ready) is a value instead.
 *
 * The message reads: Cannot <action> "<value>": <reason>. <what to do next>. It must never hold a card or account
 * number, a password, or a whole request, because it goes to logs, terminals and job tables.
 */
export class PipelineError extends Error {
  override readonly name = 'PipelineError';
  readonly code: ErrorCode;

  /**
   * @param code   row of schemas/errors.ts
   * @param action what could not be done, with its object: `open the ledger in "data"`
   * @param reason why; a full stop at its end is taken off. The table's own words when left out or empty
   */
  constructor(code: ErrorCode, action: string, reason?: string, options?: { cause?: unknown; next?: string }) {
    const row = ERRORS[code];
    const why = reason?.replace(/[.\s]+$/, '') || row.means;
    super(`Cannot ${action}: ${why}. ${options?.next ?? row.mend}`, { cause: options?.cause });
    this.code = code;
  }
}

/** What a fault means, and what is particular to this one. */
export function describeFault({ code, detail }: { code: ErrorCode; detail?: string | undefined }): string {
  const { means } = ERRORS[code];
  return detail ? `${means}: ${detail}` : means;
}

/** The text of anything thrown, for a sentence or a log line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is wrong with a path of which the system answers so, and what to do; undefined when it is not the path. */
export function explainPath(code: string | undefined): { reason: string; next: string } | undefined {
  switch (code) {
    case 'ENOTDIR':
      return { reason: 'a file stands in its place', next: 'Move the file away and make the folder.' };
    case 'ELOOP':
      return { reason: 'the links in its path lead in a circle', next: 'Let the link lead to a folder.' };
    case 'ENAMETOOLONG':
      return { reason: 'its path is longer than the system takes', next: 'Give it a shorter path.' };
    case undefined:
    default:
      return undefined;
  }
}

/** The `code` that Node puts on errors of the operating system, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
