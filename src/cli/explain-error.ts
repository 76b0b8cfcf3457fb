import { CommanderError } from 'commander';
import { EXIT, type ErrorCode } from '../../schemas/errors.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import { maskText } from '../kernel/mask.ts';
import { withRefusalExplained } from '../ledger/engine/explain-refusal.ts';

/**
 * Explains every error in one sentence on standard error that says what to do next, never with a stack trace.
 * @returns the exit status
 */
export function explainError(thrown: unknown): number {
  const error = withRefusalExplained(thrown);
  // Commander has already printed it; help and version arrive as errors with status 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof PipelineError) {
    console.error(error.message);
    if (error.code === 'RESOLUTION_REFUSED') return EXIT.unknownOpen;
    return USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.exception;
  }
  // A foreign message may quote the data it failed on.
  console.error(`Something unforeseen went wrong: ${maskText(reasonOf(error))}`);
  return EXIT.exception;
}

/** Errors that the user can fix; nothing was started. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'USAGE',
  'CONFIG_MISSING',
  'CONFIG_INVALID',
  'RESTRICTED',
  'NOT_FOUND',
]);
