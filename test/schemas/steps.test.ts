import { describe, expect, it } from 'vitest';
import { type NamedPart, stepText, withIds } from '../../schemas/steps.ts';

describe('stepText', () => {
  it.each<[NamedPart, string]>([
    [{ action: 'approve', fileId: 'abc' }, '"paydrop approve abc --reason …"'],
    [{ action: 'cancel-batch', fileId: 'abc', batchNo: 2 }, '"paydrop cancel abc/2 --reason …"'],
    [{ action: 'resume', account: 'main' }, '"paydrop account resume main --reason …"'],
    [{ action: 'resume', account: '*' }, '"paydrop account resume --all --reason …"'],
    [{ see: 'doubt', fileId: 'abc', batchNo: 2 }, '"paydrop resolve abc/2"'],
    [{ run: 'reconcile', account: 'main' }, '"paydrop account reconcile main --report PATH --reason …"'],
    [{ action: 'repoll' }, '"paydrop repoll BATCH"'],
  ])('writes %j as a command to paste', (part, command) => {
    expect(stepText(['See ', part, '.'])).toBe(`See ${command}.`);
  });
});

describe('withIds', () => {
  it('gives each part the ids that its command takes, and no other', () => {
    const ids = { fileId: 'abc', batchNo: null, account: 'main', schedule: 'nightly' };
    const step = ['Try ', { run: 'requeue' }, { action: 'pause' }, { action: 'run-now' }, { run: 'doctor' }] as const;
    expect(withIds([...step, { action: 'repoll' }], ids)).toEqual([
      'Try ',
      { run: 'requeue', fileId: 'abc' },
      { action: 'pause', account: 'main' },
      { action: 'run-now', schedule: 'nightly' },
      { run: 'doctor' },
      { action: 'repoll', fileId: 'abc' },
    ]);
  });
});
