import { expect, it } from 'vitest';
import { EXIT } from '../../../schemas/errors.ts';
import { answerStatus } from '../../../src/cli/call/describe-answer.ts';
import type { AnyAnswer } from '../../../src/gateway/client-answers.ts';

const result = { batchId: '1' };
const ANSWERS: readonly (readonly [AnyAnswer, number])[] = [
  [{ kind: 'approved', result }, EXIT.ok],
  [{ kind: 'accepted', result }, EXIT.ok],
  [{ kind: 'invalid', faults: [] }, EXIT.usage],
  [{ kind: 'declined', code: 15, message: 'x', advice: 'cardholder', transactionId: null }, EXIT.invalid],
  [{ kind: 'failed', errors: 'x' }, EXIT.invalid],
  [{ kind: 'restricted', message: 'x' }, EXIT.invalid],
  [{ kind: 'unknown', why: 'x' }, EXIT.unknownOpen],
  [{ kind: 'not_sent', why: 'x' }, EXIT.exception],
];

it.each(ANSWERS.map(([answer, status]) => [answer.kind, answer, status] as const))(
  'answerStatus of %s',
  (_kind, answer, status) => {
    expect(answerStatus(answer)).toBe(status);
  },
);
