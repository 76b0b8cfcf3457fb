import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keysAt, schemasAt, valueAt, valuesAt } from '../../src/config/schema-at.ts';

const Sign = z.union([
  z.enum(['plus', 'minus']),
  z.strictObject({ by: z.string() }),
  z.strictObject({ of: z.literal('all') }),
]);
const Root = z.strictObject({
  rows: z.array(z.strictObject({ sign: Sign.optional().describe('Its sign') })).default([]),
  names: z.record(z.string(), z.strictObject({ level: z.int() })),
  columns: z.partialRecord(z.enum(['date', 'amount']), z.strictObject({ from: z.string() })),
  read: z.preprocess((given) => given, z.strictObject({ charset: z.literal('utf-8') })),
});

describe('keysAt', () => {
  it.each([
    [[], ['rows', 'names', 'columns', 'read']],
    [['rows', 3], ['sign']],
    [
      ['rows', 0, 'sign'],
      ['by', 'of'],
    ],
    [['names', 'any'], ['level']],
    [['columns'], ['date', 'amount']],
    [['columns', 'date'], ['from']],
    [['read'], ['charset']],
    [['rows', 0, 'constructor'], []],
    [['rows', 0, 'sign', 'by', 'deeper'], []],
  ] as const)('returns the keys at %j', (path, keys) => {
    expect(keysAt(Root, path)).toEqual(keys);
  });
});

describe('schemasAt and valuesAt', () => {
  it('keep the outermost description, and list fixed values of each choice', () => {
    expect(schemasAt(Root, ['rows', 0, 'sign']).map(({ about }) => about)).toEqual(Array(3).fill('Its sign'));
    expect(valuesAt(Root, ['rows', 0, 'sign', 'of'])).toEqual(['all']);
    expect(valuesAt(Root, ['read', 'charset'])).toEqual(['utf-8']);
  });
});

describe('valueAt', () => {
  it.each([
    [['a', 1, 'b'], 7],
    [['a', 2], undefined],
    [['a', 1, 'b', 'c'], undefined],
    [['toString'], undefined],
  ] as const)('finds what stands at %j', (path, value) => {
    expect(valueAt({ a: [0, { b: 7 }] }, path)).toBe(value);
  });
});
