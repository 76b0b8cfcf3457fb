import { PipelineError, systemCode } from '../../kernel/errors.ts';
import type { Finding } from './check.ts';

/**
 * Turns an error into a finding. Our own errors say what to do. Foreign messages may hold data, so only their code is
 * used.
 */
export function findingOf(error: unknown, judge: (found: string, mend: string) => Finding): Finding {
  if (error instanceof PipelineError) {
    const [, found = error.message, mend = ''] = /^Cannot (.*?: .*?)\. ([A-Z].*)$/s.exec(error.message) ?? [];
    return judge(`cannot ${found}`.replace(/^cannot Cannot/, 'cannot'), mend || 'See the message.');
  }
  return judge(
    `the look itself failed (${systemCode(error) ?? 'unforeseen error'})`,
    'Report this with the output of "paydrop doctor --json".',
  );
}
