import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFileRow, readOutputs } from '../../src/ledger/file/read-file.ts';
import { deliverFile } from '../../workers/deliver/deliver.ts';
import { restoreOutputs } from '../../src/actions/output-actions.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { fileWithOutcomes } from '../workers/support/delivered.ts';
import { openStepWorld } from '../workers/support/step-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openStepWorld);

describe('restoreOutputs', () => {
  it('brings back what is missing, byte for byte, and leaves alone what lies there', async () => {
    const content = lines(upTo(2).map((n) => cardRow(n)));
    const { file_id: fileId } = await fileWithOutcomes(world, 'card', content, () => 'OK: 1:', 'june.csv');
    await deliverFile(world.app, { fileId });
    const file = await readFileRow(world.app.ledger, fileId);
    const outputs = await readOutputs(world.app.ledger, fileId);
    const pathOf = (kind: string) => join(world.settings.paths.out, outputs.find((row) => row.kind === kind)!.name);
    const before = await readFile(pathOf('result'));
    await rm(pathOf('result'));
    await appendFile(pathOf('ack'), 'a remark of somebody\n');

    const { checks, restored } = await restoreOutputs(world.app, file);
    expect(restored).toEqual([outputs.find(({ kind }) => kind === 'result')!.name]);
    expect(checks.find(({ kind }) => kind === 'ack')).toMatchObject({ onDisk: 'differs', rebuilt: 'same' });
    expect(await readFile(pathOf('result'))).toEqual(before);
    expect(await readFile(pathOf('ack'), 'utf8')).toContain('a remark of somebody');
    expect((await readdir(world.settings.paths.data)).filter((name) => name.startsWith('rebuild-'))).toEqual([]);
    expect((await restoreOutputs(world.app, file)).restored).toEqual([]);
  });
});
