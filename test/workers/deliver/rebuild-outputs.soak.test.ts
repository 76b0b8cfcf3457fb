import { appendFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { armCrashPoints } from '../../../src/kernel/crash-point.ts';
import { cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import { declineFile } from '../../../src/ledger/file/release-held.ts';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { fileWithOutcomes } from '../support/delivered.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';
import { takeIn } from '../support/take-in.ts';

const world = stepWorld({ accounts: 8 });

const because = { actor: 'operator:ada', reason: 'the sender recalls it' };
const MESSAGES = ['OK: 1:', 'REJECT: 15', 'REJECT: 22'];

async function delivered() {
  const content = lines(upTo(3).map((n) => cardRow(n)));
  const { file_id: fileId } = await fileWithOutcomes(world, 'card', content, (row) => MESSAGES[row - 1]!, 'june.csv');
  await deliverFile(world.app, { fileId });
  return readFileRow(world.app.ledger, fileId);
}

const pathOf = (name: string) => join(world.settings.paths.out, name);

describe('rebuildOutputs', () => {
  it('makes every output of a finished file again, byte for byte, and leaves nothing behind', async () => {
    const file = await delivered();
    const checks = await rebuildOutputs(world.app, file);
    expect(checks.map((check) => check.kind).toSorted()).toEqual(
      ['ack', 'rejects', 'result', 'retry', 'summary-json', 'summary-txt'].toSorted(),
    );
    for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
    expect((await readdir(world.settings.paths.data)).filter((name) => name.startsWith('rebuild-'))).toEqual([]);
  });

  it('also when the process died before it wrote the summaries', async () => {
    armCrashPoints((name) => {
      if (name === 'deliver.totals-held') throw new Error('died');
    });
    await expect(delivered().finally(() => armCrashPoints(undefined))).rejects.toThrow('died');
    const { rows } = await world.app.ledger.pool.query('SELECT file_id FROM file ORDER BY file_no DESC LIMIT 1');
    const checks = await rebuildOutputs(world.app, await readFileRow(world.app.ledger, rows[0].file_id));
    expect(checks.map((check) => check.kind).toSorted()).toEqual(['ack', 'rejects', 'result', 'retry'].toSorted());
    for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
  });

  it('also after outcomes have changed and were corrected', async () => {
    const file = await delivered();
    await query(
      world.app,
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 2, 1, 'approved', 'OK: 9:', '9', now(), 'asked again')`,
      [file.file_no],
    );
    await deliverFile(world.app, { fileId: file.file_id });
    const checks = await rebuildOutputs(world.app, file);
    expect(checks.map((check) => check.kind)).toContain('correction');
    for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
  });

  it('says which are missing and which differ in the out folder, and touches none', async () => {
    const file = await delivered();
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    const [result, rejects] = ['result', 'rejects'].map((kind) => outputs.find((output) => output.kind === kind)!.name);
    await rename(pathOf(result!), pathOf(`${result}.moved`));
    await appendFile(pathOf(rejects!), 'one more line');
    const checks = await rebuildOutputs(world.app, file);
    const found = Object.fromEntries(checks.map((check) => [check.kind, check.onDisk]));
    expect(found).toMatchObject({ result: 'missing', rejects: 'differs', ack: 'same' });
    expect(checks.map((check) => check.rebuilt)).toEqual(checks.map(() => 'same'));
    expect(await readFile(pathOf(rejects!), 'utf8')).toContain('one more line');
  });

  it('leaves them in a folder when it is given one, and notes nothing new', async () => {
    const file = await delivered();
    const into = join(world.root, 'again');
    await mkdir(into);
    const before = await readOutputs(world.app.ledger, file.file_id);
    await rebuildOutputs(world.app, file, into);
    expect((await readdir(into)).toSorted()).toEqual(before.map((output) => output.name).toSorted());
    for (const { name } of before)
      expect(await readFile(join(into, name), 'utf8')).toBe(await readFile(pathOf(name), 'utf8'));
    expect(await readOutputs(world.app.ledger, file.file_id)).toEqual(before);
    await rm(into, { recursive: true });
  });

  it('makes the notices of held, declined and cancelled files, and the results of a stopped one', async () => {
    const account = world.freshAccount();
    const rows = (from: number, count: number) => lines(upTo(count).map((n) => achRow(from + n)));
    const held = await takeIn(
      world.app,
      `drop/${account}/ach-charge`,
      rows(100, 1) + achRow(200, { amount: 'x' }),
      'h.csv',
    );
    await deliverFile(world.app, { fileId: held });
    await declineFile(world.app.ledger, held, because);
    const cancelled = await takeIn(world.app, `drop/${account}/ach-charge`, rows(300, 2), 'c.csv');
    await deliverFile(world.app, { fileId: cancelled });
    await cancelFile(world.app.ledger, cancelled, because);
    const stopped = await takeIn(world.app, `drop/${account}/ach-charge`, rows(400, 4), 's.csv');
    await query(world.app, `UPDATE file SET state = 'in_progress' WHERE file_id = $1`, [stopped]);
    await cancelFile(world.app.ledger, stopped, because);
    const kinds: Record<string, string[]> = {};
    for (const [name, fileId] of Object.entries({ held, cancelled, stopped })) {
      await deliverFile(world.app, { fileId });
      const checks = await rebuildOutputs(world.app, await readFileRow(world.app.ledger, fileId));
      for (const check of checks) expect(check).toMatchObject({ onDisk: 'same', rebuilt: 'same' });
      kinds[name] = checks.map((check) => check.kind).toSorted();
    }
    expect(kinds).toEqual({
      held: ['cancelled', 'held'],
      cancelled: ['ack', 'cancelled'],
      stopped: ['ack', 'rejects', 'result', 'summary-json', 'summary-txt'],
    });
    const notice = (await readOutputs(world.app.ledger, cancelled)).find((output) => output.kind === 'cancelled')!;
    const text = await readFile(pathOf(notice.name), 'utf8');
    expect(text).toContain('Status,CANCELLED\r\n');
    expect(text).toContain('Reason,the sender recalls it\r\n');
    expect(text).toContain('Accepted Rows,0\r\n');
    const rejects = (await readOutputs(world.app.ledger, stopped)).find((output) => output.kind === 'rejects')!;
    expect(await readFile(pathOf(rejects.name), 'utf8')).toContain('never sent');
  });
});
