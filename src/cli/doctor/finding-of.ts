import { PipelineError, systemCode } from '../../kernel/errors.ts';
import type { Finding } from './check.ts';

/**
 * An error as a finding. Our own say what to do at their end; of others only the code goes further, because their
 * messages may hold data.
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
