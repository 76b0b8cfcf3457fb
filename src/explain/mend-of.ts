import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';

/** What the table says to do about a code of the ledger; empty for one that it does not know any more. */
export function mendOf(code: string | null): string {
  return code !== null && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].mend : '';
}
