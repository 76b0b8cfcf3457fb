import { PipelineError } from '../../kernel/errors.ts';
import { maskReason } from '../../kernel/mask.ts';

/** Returns a form or query field, trimmed; empty when it is missing. */
export function fieldOf(form: unknown, name: string): string {
  if (typeof form !== 'object' || form === null) return '';
  const value = (form as Record<string, unknown>)[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** Returns every value of a field that may occur several times. */
export function fieldsOf(form: unknown, name: string): string[] {
  if (typeof form !== 'object' || form === null) return [];
  const value = (form as Record<string, unknown>)[name];
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  return typeof value === 'string' ? [value] : [];
}

/**
 * Reads the reason for an action. The audit trail keeps it for years, so card and account numbers are masked.
 * @throws PipelineError USAGE when it is empty
 */
export function reasonFrom(form: unknown, action: string, name = 'reason'): string {
  const reason = fieldOf(form, name);
  if (reason === '') throw new PipelineError('USAGE', action, `the ${name} is empty`, { next: 'Say why.' });
  return maskReason(reason);
}
