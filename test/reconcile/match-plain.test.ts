import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../schemas/layouts.ts';
import { matchPlain, messagePacker, type PlainMatch } from '../../src/reconcile/match-plain.ts';
import { judgeResult } from '../../workers/poll/judge-result.ts';
import {
  answer,
  type Answered,
  ENCODINGS,
  operationOf,
  SAYS,
  sentRow,
  sentTextOf,
  someFile,
  someMutation,
  unpackOutcomes,
} from './support/result-rows.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import { outcomePacker } from '../../src/rows/packed-outcomes.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import { readOutcome } from '../../src/reconcile/read-outcome.ts';

/** Runs the quick reader. Whatever it accepts must equal the result of `judgeResult`, to the last letter. */

function match(layout: LayoutName, answered: readonly Answered[], bytes: Buffer): PlainMatch | undefined {
  const sent = sentTextOf(answered.map((row) => row.sent));
  return matchPlain({ layout, operation: operationOf(layout), sent }, bytes);
}

function expectAgreement(
  found: PlainMatch | undefined,
  layout: LayoutName,
  answered: readonly Answered[],
  bytes: Buffer,
) {
  if (!found) return;
  const sent = answered.map((row) => row.sent);
  const cents = sent.reduce((sum, row) => sum + row.amountCents, 0);
  const judged = judgeResult({ operation: operationOf(layout), rows: sent.length, cents }, layout, sent, bytes);
  expect(judged).toEqual({
    kind: 'fits',
    rows: unpackOutcomes(found.outcomes),
    totals: found.totals,
    reordered: false,
  });
}

/** Messages besides SAYS: near-approvals, masked or cut ones, with commas or odd characters. */
const ODD_MESSAGES = [
  'OK: 1',
  'OK:1:',
  'OK:  12:',
  ' OK: 678594 ',
  'OK: 1234567:',
  'OK: 12345678901:',
  'OK: 12:XY',
  'OK: 12:X:',
  'OK: 12::',
  'OK:',
  'OK: ',
  'OK :12',
  'ok: 12:',
  'OK: 12,5',
  'OK: 12\t',
  'OK: -1:',
  'OK: 12:é',
  'OK: 12:_',
  'OK, REJECT: 15',
  'REJECT: 15 ',
  'Sorry , we  , have 4222222222222220 twice',
  `long ${'x'.repeat(300)}`,
  'Received, thank you',
  'caf\u00e9 \ufffd \u2028 x',
];

const LINE_ENDS = ['\r\n', '\n', '\r'];

describe('matchPlain', () => {
  it('accepts every plain result, with the outcomes of the reference', () => {
    fc.assert(
      fc.property(someFile, fc.constantFrom('\r\n', '\n'), fc.boolean(), ({ layout, answered }, end, isOpen) => {
        const text = answered.map((row) => row.text).join(end) + (isOpen ? '' : end);
        const found = match(layout, answered, Buffer.from(text));
        expect(found).toBeDefined();
        expectAgreement(found, layout, answered, Buffer.from(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each(ODD_MESSAGES)('reads the message %j as the reference does', (message) => {
    for (const layout of ['card', 'card-code', 'ach'] as const) {
      for (const end of [...LINE_ENDS, '']) {
        const sent = sentRow(layout, { line: 7 });
        const row = answer(layout, sent, [message, 'unknown', null], 'Byron');
        const bytes = Buffer.from(row.text + end);
        expectAgreement(match(layout, [row], bytes), layout, [row], bytes);
      }
    }
  });

  it('accepts nothing that the reference does not, whatever happens to the file', () => {
    const seen = { taken: 0, left: 0 };
    fc.assert(
      fc.property(
        someFile,
        fc.array(someMutation, { maxLength: 2 }),
        fc.constantFrom(...ENCODINGS),
        fc.constantFrom(...LINE_ENDS),
        ({ layout, answered }, mutations, encode, end) => {
          let lines: readonly string[] = answered.map((row) => row.text);
          for (const [mutation, pick] of mutations) if (lines.length > 0) lines = mutation.change(lines, pick);
          const bytes = encode(lines.map((line) => line + end).join(''));
          const found = match(layout, answered, bytes);
          seen[found ? 'taken' : 'left'] += 1;
          expectAgreement(found, layout, answered, bytes);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(seen.taken).toBeGreaterThan(50);
    expect(seen.left).toBeGreaterThan(50);
  });

  it('accepts nothing that the reference does not, whatever byte is changed, put in or taken out', () => {
    const seen = { taken: 0, left: 0 };
    const byte = fc.constantFrom(...Buffer.from(' ,\r\n"\'*.-019OKXa\t\0\u000b'), 0x80, 0xc3, 0xa0, 0xef, 0xbb, 0xbf);
    const change = fc.tuple(fc.nat(4_000), fc.constantFrom(0, 1), fc.array(byte, { maxLength: 3 }));
    fc.assert(
      fc.property(someFile, fc.array(change, { minLength: 1, maxLength: 3 }), ({ layout, answered }, changes) => {
        const bytes = [...Buffer.from(answered.map((row) => `${row.text}\r\n`).join(''))];
        for (const [place, taken, added] of changes) bytes.splice(place % bytes.length, taken, ...added);
        const changed = Buffer.from(bytes);
        const found = match(layout, answered, changed);
        seen[found ? 'taken' : 'left'] += 1;
        expectAgreement(found, layout, answered, changed);
      }),
      { numRuns: 1_500 },
    );
    expect(seen.taken).toBeGreaterThan(150);
    expect(seen.left).toBeGreaterThan(150);
  });

  it.each([
    ['a byte that is no UTF-8', (text: string) => Buffer.from(text.replace('Ada', 'Ad\u00e9'), 'latin1')],
    ['a mark before it', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['a quote', (text: string) => Buffer.from(text.replace('Ada', '"Ada"'))],
    ['a lone CR', (text: string) => Buffer.from(text.replace('\r\n', '\r'))],
    ['an endless line', (text: string) => Buffer.from(text.replace('Ada', 'A'.repeat(17_000)))],
    ['a row too many', (text: string) => Buffer.from(text + text)],
    ['no row', () => Buffer.alloc(0)],
  ])('leaves a result with %s to the reference', (_what, change) => {
    const row = answer('card', sentRow('card', {}), SAYS[0]!, 'Byron');
    const text = `${row.text}\r\n`;
    expect(match('card', [row], Buffer.from(text))).toBeDefined();
    expect(match('card', [row], change(text))).toBeUndefined();
  });

  it('matches nothing sent with nothing', () => {
    expect(match('card', [], Buffer.alloc(0))).toMatchObject({ outcomes: { rows: 0 }, totals: {} });
  });
});

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
