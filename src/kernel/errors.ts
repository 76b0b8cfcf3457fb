import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';

/**
 * The only error that paydrop throws on purpose. Expected events (a decline, an invalid row, a file that is not ready)
 * are values instead.
 *
 * The message reads: Cannot <action> "<value>": <reason>. <what to do next>. It goes to logs, terminals and job tables.
 * It must never hold a card or account number, a password, or a whole request.
 */
export class PipelineError extends Error {
  override readonly name = 'PipelineError';
  readonly code: ErrorCode;

  /**
   * @param code row of schemas/errors.ts
   * @param action what failed, with its object: `open the ledger in "data"`
   * @param reason why; a final period is stripped. The table's text applies when it is missing or empty
   */
  constructor(code: ErrorCode, action: string, reason?: string, options?: { cause?: unknown; next?: string }) {
    const row = ERRORS[code];
    const why = reason?.replace(/[.\s]+$/, '') || row.means;
    super(`Cannot ${action}: ${why}. ${options?.next ?? row.remedy}`, { cause: options?.cause });
    this.code = code;
  }
}

/** Describes what a fault means, and the details of this one. */
export function describeFault({ code, detail }: { code: ErrorCode; detail?: string | undefined }): string {
  const { means } = ERRORS[code];
  return detail ? `${means}: ${detail}` : means;
}

/** Returns the text of anything thrown, for a sentence or a log line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Explains a path error by its system code, and what to do; undefined when the path is not the cause. */
export function explainPath(code: string | undefined): { reason: string; next: string } | undefined {
  return code === undefined ? undefined : PATH_FAULTS[code];
}

const PATH_FAULTS: Readonly<Record<string, { reason: string; next: string }>> = {
  ENOTDIR: { reason: 'a file has its name', next: 'Move the file away and make the folder.' },
  ELOOP: { reason: 'the links in its path form a circle', next: 'Point the link to a folder.' },
  ENAMETOOLONG: { reason: 'its path is longer than the system allows', next: 'Give it a shorter path.' },
};

/** Returns the `code` that Node puts on errors of the operating system, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
