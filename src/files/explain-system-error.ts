import type { ErrorCode } from '../../schemas/errors.ts';
import { explainPath, PipelineError, systemCode } from '../kernel/errors.ts';

/**
 * Turns an error of the operating system into a PipelineError. Its own message and the error itself are left behind on
 * purpose: both hold the path, and the path holds a name that the sender chose, perhaps with a card number in it.
 * Anything that is not an error of the operating system comes back as it is.
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

/** Error numbers are written like EACCES; Node's own codes, such as ERR_INVALID_ARG_TYPE, have an underscore. */
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
