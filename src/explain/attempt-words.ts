import type { Step } from '../../schemas/steps.ts';
import { counted } from '../kernel/counted.ts';
import type { BatchKey } from '../ledger/engine/move.ts';
import type { AttemptRow } from '../ledger/engine/records.ts';

/** The parts of an attempt that its description needs. */
type ToldAttempt = Pick<AttemptRow, 'request_bytes' | 'evidence'>;

/**
 * Describes how many bytes reached the network, headers included. How many of them arrived is unknown. Of a call that
 * only the send journal knows, the ledger has no size.
 */
export function describeWritten({ request_bytes: request, evidence }: ToldAttempt): string {
  const written = evidence?.['bytesWritten'];
  if (request === 0) return 'not known: the ledger had lost this call';
  const whole = `the request has ${request} and its headers`;
  return typeof written === 'number' ? `${counted(written, 'byte')}; ${whole}` : `not known; ${whole}`;
}

/** Describes the answer: status, bytes, and the recorded text. */
export function describeAnswer({ evidence }: ToldAttempt): string {
  const { httpStatus, bytesRead, answerText } = evidence ?? {};
  const parts = [
    ...(typeof httpStatus === 'number' ? [`HTTP ${httpStatus}`] : []),
    ...(typeof bytesRead === 'number' ? [counted(bytesRead, 'byte')] : []),
    ...(typeof answerText === 'string' ? [answerText] : []),
  ];
  return parts.length === 0 || (bytesRead === 0 && parts.length === 1) ? 'nothing' : parts.join(', ');
}

/** Says that a poll got no answer. @param why without a full stop */
export function sayUnanswered(why: string): Step {
  return [
    `The question got no answer: ${why}. The service has the batch and is asked again automatically; `,
    { run: 'doctor' },
    ' looks at the connection.',
  ];
}

/** For a batch whose rows already had outcomes. A result that no longer fits, or none, leaves them unchanged. */
export function sayAskedAgain(batch: BatchKey): Step {
  return [
    'Every row already had its outcome; the result was asked for again. ',
    { see: 'why', ...batch },
    ' shows the answer.',
  ];
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Describes a duration in its two largest units. */
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
