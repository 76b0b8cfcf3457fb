import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import type { Call } from '../../../src/cli/command.ts';
import type { AnyAnswer } from '../../../src/gateway/client-answers.ts';
import { CARD } from '../../support/payment-rows.ts';
import { takeDown } from '../support/take-down.ts';
import { showAnswer } from '../../../src/cli/call/make-call.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-show-answer-'));
});
afterAll(() => rm(root, { recursive: true }));

const FILE = Buffer.from('C-1,5.00,OK:678594:\r\n');
const DONE: AnyAnswer = { kind: 'approved', result: { batchId: '7', file: FILE } };

function show(
  answer: AnyAnswer,
  options: Call['options'] = {},
  operation: OperationName = 'getBatchProcessResultFile',
) {
  return takeDown(() => showAnswer({ arguments: [], options, dir: root }, operation, answer));
}

describe('showAnswer', () => {
  it('prints a file and nothing else', async () => {
    expect(await show(DONE)).toMatchObject({ out: FILE.toString(), err: '' });
    const csv: AnyAnswer = { kind: 'approved', result: { csv: 'Code\r\nA1\r\n' } };
    expect(await show(csv, {}, 'getCustomerListByCreationTimeCSV')).toMatchObject({ out: 'Code\r\nA1\r\n', err: '' });
  });

  it('hides a whole number in a file that it prints', async () => {
    const { out } = await show({ kind: 'approved', result: { batchId: '7', file: Buffer.from(`C-1,${CARD},OK`) } });
    expect(out).toBe('C-1,************2220,OK');
  });

  it('writes the file where it is told, for its owner only, and says so', async () => {
    const path = join(root, 'result.csv');
    expect(await show(DONE, { out: path })).toMatchObject({ out: '', err: `Written: ${path}\n` });
    expect(await readFile(path)).toEqual(FILE);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('never overwrites', async () => {
    const path = join(root, 'taken.csv');
    await writeFile(path, 'mine');
    await expect(show(DONE, { out: path })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('writes nothing while there is no file, and keeps standard output for it', async () => {
    const path = join(root, 'none.csv');
    const { out, err } = await show({ kind: 'accepted', result: { batchId: '7', file: null } }, { out: path });
    expect(out).toBe('');
    expect(err).toContain('not there yet');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it.each<[AnyAnswer, 'out' | 'err']>([
    [{ kind: 'accepted', result: { batchId: '7' } }, 'out'],
    [{ kind: 'failed', errors: 'x' }, 'err'],
    [{ kind: 'unknown', why: 'x' }, 'err'],
    [{ kind: 'invalid', faults: [] }, 'err'],
  ])('%j goes to %s', async (answer, stream) => {
    const printed = await show(answer, {}, 'processCreditCardBatch');
    expect(printed[stream]).toMatch(new RegExp(`^${answer.kind}`));
    expect(printed[stream === 'out' ? 'err' : 'out']).toBe('');
  });

  it('is the answer as JSON on request, whatever its kind, with files in base64', async () => {
    expect(JSON.parse((await show(DONE, { json: true })).out)).toEqual({
      kind: 'approved',
      result: { batchId: '7', file: FILE.toString('base64') },
    });
    const running: AnyAnswer = { kind: 'accepted', result: { batchId: '7', file: null } };
    for (const answer of [running, { kind: 'unknown', why: 'x' } as const]) {
      const { out, err } = await show(answer, { json: true });
      expect(err).toBe('');
      expect(JSON.parse(out)).toEqual(answer);
    }
  });
});
