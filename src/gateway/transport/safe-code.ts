import { systemCode } from '../../kernel/errors.ts';

/**
 * Returns the code of an error in parentheses, such as ` (ECONNRESET)`, or nothing. Only the code is passed on, because
 * messages and other properties may quote what was sent or received.
 */
export function safeCode(error: unknown): string {
  const code = systemCode(error);
  return code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : '';
}
