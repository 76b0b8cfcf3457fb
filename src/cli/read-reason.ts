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
