import { PipelineError } from '../../kernel/errors.ts';

/** Codes of the library and the system for a missing or lost connection. */
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'ERR_NOT_CONNECTED',
  'ERR_GENERIC_CLIENT',
]);

/**
 * Turns an SFTP failure into a PipelineError. The library's own message is left out: it quotes paths, and a sender may
 * have put a card number into a file name.
 */
export function explainRemoteError(error: unknown, action: string): PipelineError {
  const {
    code = '',
    message = '',
    level,
  } = (error ?? {}) as { code?: string | number; message?: string; level?: string };
  if (level === 'client-authentication' || /authentication methods failed/i.test(message))
    return new PipelineError('REMOTE_LOGIN', action);
  if (level === 'client-timeout' || /timed out|no answer within/i.test(message))
    return new PipelineError('REMOTE_UNREACHABLE', action, 'it did not answer in time');
  const refused = /^\w+->\w+: (no such file|permission denied|failure)\b/i.exec(message)?.[1]?.toLowerCase();
  if (refused !== undefined) return new PipelineError('REMOTE_FAILED', action, reasonOf(refused));
  if (NO_CONNECTION.has(String(code)) || /no sftp connection|connection (?:lost|closed)|not connected/i.test(message))
    return new PipelineError('REMOTE_UNREACHABLE', action, String(code) || 'the connection is gone');
  return new PipelineError('REMOTE_FAILED', action, reasonOf(code));
}

const NO_SUCH_FILE = 'there is no such file or folder';
const FAILURE = 'the server says "failure", as when the disk is full or a name is taken';

/** Maps protocol numbers and library words to a reason. For whole files the library gives words, not the number. */
function reasonOf(code: string | number): string {
  const reasons: Record<string, string> = {
    2: NO_SUCH_FILE,
    3: 'permission denied',
    4: FAILURE,
    ENOENT: NO_SUCH_FILE,
    ERR_BAD_PATH: NO_SUCH_FILE,
    EACCES: 'permission denied',
    'no such file': NO_SUCH_FILE,
    'permission denied': 'permission denied',
    failure: FAILURE,
  };
  return reasons[String(code)] ?? `the answer was ${String(code) || 'not understood'}`;
}
