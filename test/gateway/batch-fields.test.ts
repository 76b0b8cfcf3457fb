import { describe, expect, it } from 'vitest';
import { isBatchId, readBatchFields } from '../../src/gateway/batch-fields.ts';

describe('readBatchFields', () => {
  const inside = { AUTHORIZATIONRESULT: ' text ', BATCHID: ' 7 ', BATCHPROCESSRESULTFILE: 'QQ==' };
  const fields = { text: 'text', batchId: '7', file: 'QQ==' };
  const none = { text: '', batchId: '', file: '' };

  it.each([
    ['BATCHPROCESSRESULT', { BATCHPROCESSRESULT: inside }, fields],
    ['BATCHRESULT', { BATCHRESULT: inside }, fields],
    ['PROCESSRESULT', { PROCESSRESULT: inside }, fields],
    ['an empty payload', { PROCESSRESULT: null }, none],
    ['no payload', {}, none],
    ['both names at once', { BATCHPROCESSRESULT: inside, BATCHRESULT: inside }, undefined],
    ['a repeated payload', { BATCHRESULT: [inside, inside] }, undefined],
    ['text instead of elements', { BATCHRESULT: 'x' }, undefined],
    ['a repeated id', { BATCHRESULT: { ...inside, BATCHID: ['7', '8'] } }, undefined],
    ['an id with elements in it', { BATCHRESULT: { ...inside, BATCHID: { X: '7' } } }, undefined],
  ])('reads %s', (_what, payload, expected) => {
    expect(readBatchFields({ status: 'Success', errors: '', payload })).toEqual(expected);
  });
});

describe('isBatchId', () => {
  it.each(['1', '1000001', 'A-1_b', 'x'.repeat(40)])('takes %s', (id) => {
    expect(isBatchId(id)).toBe(true);
  });

  it.each(['', ' ', 'x'.repeat(41), '1\n2', '1 2', 'é', '\u0000', '１'])('refuses %j', (id) => {
    expect(isBatchId(id)).toBe(false);
  });
});
