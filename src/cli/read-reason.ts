import { PipelineError } from '../kernel/errors.ts';
import { maskReason } from '../kernel/mask-reason.ts';
import type { Call } from './command.ts';

/** The option of every verb that the audit trail wants a reason for. */
export const REASON_OPTION = ['--reason <text>', 'why, for the audit trail'] as const;

/**
 * Why a person does this. The audit trail keeps it for years, so a card or account number must not stand in it; a date
 * should.
 * @throws PipelineError USAGE when it is empty
 */
export function readReason(call: Call, action: string): string {
  const reason = String(call.options['reason'] ?? '').trim();
  if (reason === '') throw new PipelineError('USAGE', action, '--reason is empty', { next: 'Say why.' });
  return maskReason(reason);
}
