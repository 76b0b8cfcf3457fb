import { describe, expect, it } from 'vitest';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { compareResult } from '../../../src/actions/resolve/compare-result.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { contextAt, doubtfulBatch, resultOf } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('compareResult', () => {
  it('matches only when every row is one that was sent', async () => {
    const batch = await doubtfulBatch(world);
    const garbage: ResultAnswer = { kind: 'done', file: Buffer.from('\u0000'), text: '' };
    const running: ResultAnswer = { kind: 'running', text: 'Batch Processing' };
    const answers = {
      all: resultOf(batch),
      turned: resultOf(batch, [3, 2]),
      one: resultOf(batch, [2]),
      more: resultOf(batch, [2, 3, 4]),
      other: resultOf({ file_id: 'other' }),
      garbage,
      running,
    };
    const context = await contextAt(world, batch, { answers });
    const compare = (id: string) => compareResult(context, id);
    expect(await compare('all')).toMatchObject({ kind: 'matches', rows: 2, sha256: expect.any(String) });
    expect(await compare('turned')).toMatchObject({ kind: 'matches' });
    expect(await compare('one')).toMatchObject({ kind: 'differs', alike: 1, rows: 1 });
    expect(await compare('more')).toMatchObject({ kind: 'differs', alike: 2, rows: 3 });
    expect(await compare('other')).toMatchObject({ kind: 'differs', alike: 0, rows: 2 });
    expect(await compare('garbage')).toMatchObject({ kind: 'differs', alike: 0 });
    expect(await compare('running')).toEqual(running);
    expect(await compare('none')).toEqual({ kind: 'not_known', text: 'no such batch' });
  });
});
