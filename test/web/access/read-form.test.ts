import { describe, expect, it } from 'vitest';
import { fieldOf, fieldsOf, reasonFrom } from '../../../src/web/access/read-form.ts';

describe('fieldOf', () => {
  it.each([
    [{ name: '  ann ' }, 'ann'],
    [{ name: ['ann', 'bob'] }, ''],
    [{ name: 7 }, ''],
    [{}, ''],
    [null, ''],
    ['name', ''],
  ])('of %j is %j', (form, value) => {
    expect(fieldOf(form, 'name')).toBe(value);
  });
});

describe('fieldsOf', () => {
  it.each([
    [{ action: 'look' }, ['look']],
    [{ action: ['look', 'drop', 7] }, ['look', 'drop']],
    [{}, []],
    [undefined, []],
  ])('of %j are %j', (form, values) => {
    expect(fieldsOf(form, 'action')).toEqual(values);
  });
});

describe('reasonFrom', () => {
  it('masks a number that somebody wrote into it, and leaves a date', () => {
    expect(reasonFrom({ reason: 'card 4111 1111 1111 1111 was twice' }, 'x')).toMatch(/^card [* ]+1111 was twice$/);
    expect(reasonFrom({ reason: ' agreed on 2026-06-15 10:30 ' }, 'x')).toBe('agreed on 2026-06-15 10:30');
  });

  it.each([{}, { reason: '' }, { reason: '   ' }])('wants one, which %j is not', (form) => {
    expect(() => reasonFrom(form, 'approve the file')).toThrow(/Cannot approve the file: the reason is empty/);
  });
});
