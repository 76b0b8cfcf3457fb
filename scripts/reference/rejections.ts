import { ADVICE, REJECTIONS, rejectionOf, type Advice } from '../../schemas/rejections.ts';
import { numberOf } from '../../src/sandbox/batch/magic-cards.ts';
import { code, page, table } from './markdown.ts';

const ADVICE_MEANS: Record<Advice, string> = {
  later: 'The same data may be sent again later, in a new file.',
  fix: 'Correct the data; that is then a new attempt.',
  cardholder: 'The payer has to act.',
  merchant: 'Check the set-up of the merchant account, or call the processor.',
  never: 'Do not send again.',
  unknown: 'The money may have moved: look it up first.',
};

export function renderRejections(): string {
  return page(
    '# Rejection codes',
    "What the service says when it refuses a payment, and what to do about it. The spec (7) names the pair of code and message and gives code 19 only; the rest comes from public clients and the vendor's pages, in our words.",
    table(
      ['Advice', 'What to do'],
      ADVICE.map((advice) => [code(advice), ADVICE_MEANS[advice]]),
    ),
    `A code that is not listed counts as ${code(rejectionOf(0).advice)}.`,
    '## Codes',
    'The last two columns are the card and the bank account by which [the sandbox](../sandbox.md#rejection-codes) answers with the code.',
    table(
      ['Code', 'Meaning', 'Advice', 'Test card', 'Test account'],
      Object.entries(REJECTIONS).map(([number, row]) => [
        number,
        row.message,
        code(row.advice),
        numberOf('card', Number(number)),
        numberOf('bank', Number(number)),
      ]),
    ),
  );
}
