import { PipelineError } from '../kernel/errors.ts';

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
