import type { ErrorCode } from '../../schemas/errors.ts';
import { explainPath, PipelineError, systemCode } from '../kernel/errors.ts';

/**
 * Turns an operating system error into a PipelineError. The original error and its message are dropped on purpose: both
 * hold the path, and the sender's file name may contain a card number. Any other error is returned unchanged.
 *
 * @param action what could not be done, without a sender's file name
 */
export function explainSystemError(error: unknown, action: string): Error {
  const code = systemCode(error);
  if (error instanceof PipelineError || code === undefined || !SYSTEM_CODE.test(code)) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const path = explainPath(code);
  if (path) return new PipelineError('FOLDER_MISSING', action, path.reason, { next: path.next });
  const known = CODES[code];
  return known
    ? new PipelineError(known, action)
    : new PipelineError('INTERNAL', action, `the operating system answered ${code}`);
}

/** System error codes look like EACCES; Node's own codes, such as ERR_INVALID_ARG_TYPE, contain an underscore. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'FOLDER_MISSING',
  EXDEV: 'FOLDER_OTHER_DISK',
  EACCES: 'FOLDER_NOT_WRITABLE',
  EPERM: 'FOLDER_NOT_WRITABLE',
  EROFS: 'FOLDER_NOT_WRITABLE',
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
};
