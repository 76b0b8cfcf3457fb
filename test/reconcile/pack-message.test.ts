import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../schemas/operations.ts';
import { outcomePacker } from '../../src/rows/packed-outcomes.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import { messagePacker } from '../../src/reconcile/match-plain.ts';
import { readOutcome } from '../../src/reconcile/read-outcome.ts';
import { unpackOutcomes } from './support/packed-rows.ts';

function pack(operation: FolderOperation, messages: readonly string[], endsOpen = false) {
  const bytes = Buffer.from(messages.join('\n'));
  const packer = messagePacker(operation, outcomePacker(messages.length), bytes);
  let at = 0;
  const outcomes = messages.map((message, index) => {
    const from = at;
    at += Buffer.byteLength(message) + 1;
    return packer.add(index + 1, from, at - 1, endsOpen);
  });
  return { outcomes, rows: unpackOutcomes(packer.finish()) };
}

const MESSAGES = [
  'OK: 678594:',
  ' OK: 1 ',
  'OK:22:Y',
  'OK',
  'OK: 1234567:',
  'OK: 02345Z:Y',
  'REJECT: 15',
  'Received',
  '',
  'x , y',
];

describe('messagePacker', () => {
  it.each(['card', 'ach-charge', 'ach-refund'] as const)('packs what a message of %s means and says', (operation) => {
    const { outcomes, rows } = pack(operation, MESSAGES);
    const expected = MESSAGES.map((text, index) => {
      const message = text
        .split(',')
        .map((cell) => cell.trim())
        .join(',');
      return { line: index + 1, ...readOutcome(operation, message), message: keptMessage(message) };
    });
    expect(rows).toEqual(expected);
    expect(outcomes).toEqual(expected.map((row) => row.outcome));
  });

  it('masks a long number in an approval as in any message', () => {
    expect(pack('card', ['OK: 1234567:']).rows[0]).toMatchObject({ message: 'OK: *****67:', authorization: '1234567' });
  });

  it('knows a text that it has read before, but not where its line has no end', () => {
    expect(pack('card', ['REJECT: 7', 'REJECT: 7']).outcomes).toEqual(['declined', 'declined']);
    expect(pack('card', ['REJECT: 7'], true).outcomes).toEqual(['unknown']);
  });

  it('reads more texts than it keeps', () => {
    const { rows } = pack(
      'card',
      Array.from({ length: 1_200 }, (_, n) => `REJECT: ${n % 600} `),
    );
    expect(rows.map((row) => row.code)).toEqual(Array.from({ length: 1_200 }, (_, n) => n % 600));
  });
});
