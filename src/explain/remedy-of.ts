import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';

/** Returns the remedy for an error code; empty for a code that is no longer in the table. */
export function remedyOf(code: string | null): string {
  return code !== null && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].remedy : '';
}
