import { systemCode } from '../../kernel/errors.ts';

/**
 * The code of an error in brackets, such as ` (ECONNRESET)`, or nothing. It is the only part of a network error that
 * goes further: messages and other properties may quote what was sent or received.
 */
export function safeCode(error: unknown): string {
  const code = systemCode(error);
  return code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : '';
}
