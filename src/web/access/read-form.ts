import { PipelineError } from '../../kernel/errors.ts';
import { maskReason } from '../../kernel/mask-reason.ts';

/** A field of a form or of an address, without white space at its ends; empty when it is missing. */
export function fieldOf(form: unknown, name: string): string {
  if (typeof form !== 'object' || form === null) return '';
  const value = (form as Record<string, unknown>)[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** Every value of a field that may stand several times. */
export function fieldsOf(form: unknown, name: string): string[] {
  if (typeof form !== 'object' || form === null) return [];
  const value = (form as Record<string, unknown>)[name];
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  return typeof value === 'string' ? [value] : [];
}

/**
 * Why a person does this. The audit trail keeps it for years, so a card or account number must not stand in it.
 * @throws PipelineError USAGE when it is empty
 */
export function reasonFrom(form: unknown, action: string, name = 'reason'): string {
  const reason = fieldOf(form, name);
  if (reason === '') throw new PipelineError('USAGE', action, `the ${name} is empty`, { next: 'Say why.' });
  return maskReason(reason);
}
