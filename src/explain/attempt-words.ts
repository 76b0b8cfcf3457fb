import { counted } from '../kernel/counted.ts';
import type { AttemptRow } from '../ledger/engine/records.ts';

/** What the words need of a call. */
type ToldAttempt = Pick<AttemptRow, 'request_bytes' | 'evidence'>;

/** How much of it arrived nobody can say, but no more than this was given to the network. Heads are counted there too. */
export function describeWritten({ request_bytes: request, evidence }: ToldAttempt): string {
  const written = evidence?.['bytesWritten'];
  const whole = `the request has ${request} and its head`;
  return typeof written === 'number' ? `${counted(written, 'byte')}; ${whole}` : `not known; ${whole}`;
}

/** What came back of it: status, bytes, and the text as it was noted. */
export function describeAnswer({ evidence }: ToldAttempt): string {
  const { httpStatus, bytesRead, answerText } = evidence ?? {};
  const parts = [
    ...(typeof httpStatus === 'number' ? [`HTTP ${httpStatus}`] : []),
    ...(typeof bytesRead === 'number' ? [counted(bytesRead, 'byte')] : []),
    ...(typeof answerText === 'string' ? [answerText] : []),
  ];
  return parts.length === 0 || (bytesRead === 0 && parts.length === 1) ? 'nothing' : parts.join(', ');
}

/** Of a question for a result that got no answer. @param why without an end */
export function sayUnanswered(why: string): string {
  return `The question got no answer: ${why}. The service has the batch and is asked again by itself; "paydrop doctor" looks at the connection.`;
}

/** Of a batch whose rows had their outcomes before; a result that fits no more, or none, leaves them as they are. */
export const ASKED_AGAIN =
  'Every row had its outcome before; the result was asked for again. "paydrop why" with the batch tells what came of it.';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** In the largest unit and the next. */
export function describeWait(ms: number): string {
  const parts: string[] = [];
  let restMs = Math.max(0, ms);
  for (const [name, unitMs] of UNITS) {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    if (count > 0) parts.push(counted(count, name));
  }
  return parts.slice(0, 2).join(' ') || 'less than a minute';
}
