import { userInfo } from 'node:os';
import { PipelineError } from '../kernel/errors.ts';
import { maskReason } from '../kernel/mask.ts';
import type { Call } from './command.ts';

/** Option of every command whose reason goes into the audit trail. */
export const REASON_OPTION = ['--reason <text>', 'why, for the audit trail'] as const;

/** Says how to give a reason. */
export const SAY_WHY = 'Say why, as in --reason "the service confirmed it by phone".';

/**
 * Reads the operator's reason. The audit trail keeps it for years, so card and account numbers are masked; dates are
 * not.
 * @throws PipelineError USAGE when it is empty
 */
export function readReason(call: Call, action: string): string {
  const reason = String(call.options['reason'] ?? '').trim();
  if (reason === '') throw new PipelineError('USAGE', action, '--reason is empty', { next: SAY_WHY });
  return maskReason(reason);
}

/**
 * Returns the actor for the audit trail: the operating system's user. Environment variables do not count; they could
 * lie.
 */
export function operatorName(askSystem: () => { username: string } = userInfo): string {
  try {
    return `operator:${askSystem().username}`;
  } catch {
    // In a container a user may have a number but no name.
    return `operator:uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * Parses an option as a whole number from 0 to `most`.
 * @throws PipelineError USAGE
 */
export function wholeNumber(flag: string, text: string | true | undefined, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(String(text)) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? 'a whole number' : `a whole number from 0 to ${most}`;
  throw new PipelineError('USAGE', `use ${flag} "${String(text)}"`, `it is not ${range}`);
}
