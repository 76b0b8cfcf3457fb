import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { readOutputs } from '../../../src/ledger/file/read-file.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { dueOf, endWait, onlyOf } from '../support/stage-steps.ts';
import { cutAtStatement, stepWorld } from '../support/step-world.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import type { App } from '../../../src/app.ts';
import type { ReadFileRow } from '../../../src/ledger/engine/records.ts';
import { writeOutputFiles } from '../../support/write-outputs.ts';
import { DELIVER } from '../../../workers/deliver/deliver.ts';
import { runOnce, type Stage } from '../../../workers/stage.ts';
import { writeNotice } from '../../../workers/deliver/write-notice.ts';
import { deliverFile } from '../../support/work-alone.ts';
import { forceSql } from '../../support/force-sql.ts';

const world = stepWorld({ accounts: 17, settings: { batch: { maxRows: 4 } } });

/** Writes a notice and records it. */
function putNotice(app: App, file: ReadFileRow, kind: OutputKind): Promise<void> {
  return writeOutputFiles(app, file, async (outputs) => {
    await writeNotice(app, { file, batches: 3, largestBatch: 4 }, { kind }, outputs);
    await outputs.publish([kind]);
  });
}

async function notice(kind: OutputKind, content: string, name?: string): Promise<{ fileId: string; text: string }> {
  const fileId = await world.takeIn(`drop/${world.freshAccount()}/card`, content, name);
  const file = await world.file(fileId);
  await putNotice(world.app, file, kind);
  const [text] = await onDisk(fileId);
  return { fileId, text: text! };
}

/** Reads the outputs of a file. */
async function onDisk(fileId: string): Promise<string[]> {
  const { out } = world.settings.paths;
  const names = (await readdir(out)).filter((file) => file.includes(fileId.slice(0, 8)));
  return Promise.all(names.map((name) => readFile(join(out, name), 'utf8')));
}

describe('writeNotice', () => {
  it('tells the figures of an accepted file, and every row that was withheld', async () => {
    const bad = cardRow(11, { amount: 'ten', card: '4222222222222221' });
    const { fileId, text } = await notice('ack', lines([...upTo(10).map((n) => cardRow(n)), bad]));
    for (const line of [
      'Status,ACCEPTED',
      `File Id,${fileId}`,
      'File Name,june.csv',
      'Rows,11',
      'Accepted Rows,10',
      'Accepted Total,250.00',
      'Batches,3',
      'Rows In Largest Batch,4',
    ]) {
      expect(text).toContain(`${line}\r\n`);
    }
    expect(text).toMatch(/\r\n11,[^\r]*AMOUNT_FORMAT/);
    expect(text).toMatch(/\r\n11,[^\r]*CARD_CHECK_DIGIT/);
    expect(text).not.toContain('4222222222222221');
    expect((await readOutputs(world.app.ledger, fileId)).map(({ kind, rows }) => [kind, rows])).toEqual([['ack', 2]]);
  });

  it('tells why a file is held, and that nothing of it was accepted', async () => {
    const { text } = await notice('held', lines([cardRow(1), cardRow(2, { amount: '-5.00' })]));
    expect(text).toContain('Status,HELD\r\nCode,WRONG_SIGN\r\n');
    expect(text).toContain('Accepted Rows,0\r\nAccepted Total,0.00\r\n');
  });

  it('lists every fault of a refused file, equal ones together', async () => {
    const { fileId, text } = await notice('nak', lines(upTo(5).map((n) => `C-${n},too,short`)));
    expect(text).toContain('Status,REJECTED\r\n');
    expect(text).toContain('\r\nlines 1 to 5 (5 rows),,COLUMN_COUNT,file refused,');
    expect((await readOutputs(world.app.ledger, fileId)).map(({ kind, rows }) => [kind, rows])).toEqual([['nak', 6]]);
  });

  it('says of equal rows what their folder made of them then, whatever its settings are by now', async () => {
    const { fileId, text } = await notice('held', lines([cardRow(1), cardRow(1)]));
    expect(text).toMatch(/,DUPLICATE_ROW,file held,/);
    const now = {
      ...world.app,
      folder: (id: string) => ({ ...world.app.folder(id)!, duplicateRows: 'warn' as const }),
    };
    await forceSql(world.app, 'DELETE FROM output WHERE file_id = $1', [fileId]);
    await putNotice(now, await world.file(fileId), 'held');
    expect(await onDisk(fileId)).toEqual([text]);
  });

  it('shows no number that stands in the name of the file', async () => {
    const { text } = await notice('ack', lines([cardRow(1)]), `of ${CARD}.csv`);
    expect(text).not.toContain(CARD);
  });
});

const because = { actor: 'operator:ada', reason: 'the sender was asked' };

function held(): Promise<string> {
  return world.takeIn(`drop/${world.freshAccount()}/card`, lines([cardRow(1), cardRow(2, { amount: '-5.00' })]));
}

async function writeDue(fileId: string): Promise<string[]> {
  await deliverFile(world.app, { fileId });
  return (await readOutputs(world.app.ledger, fileId)).map(({ kind }) => kind as string).toSorted();
}

describe('the notices that are due', () => {
  it('writes the notice of the verdict once', async () => {
    const fileId = await held();
    expect(await writeDue(fileId)).toEqual(['held']);
    expect(await writeDue(fileId)).toEqual(['held']);
  });

  it.each([
    ['approved', approveFile, ['ack', 'held']],
    ['declined', declineFile, ['cancelled', 'held']],
  ] as const)(
    'notes a notice that a dead process published, when the file was %s meanwhile',
    async (_, move, kinds) => {
      const fileId = await held();
      const dying = cutAtStatement(world.app, /commit_outputs/).app;
      const file = await world.file(fileId);
      await expect(putNotice(dying, file, 'held')).rejects.toThrow('power cut');
      await move(world.app.ledger, fileId, because);
      expect(await writeDue(fileId)).toEqual(kinds);
    },
  );

  it('tries again what a dead process published when it cannot be noted', async () => {
    const fileId = await held();
    const dying = cutAtStatement(world.app, /commit_outputs/).app;
    await expect(putNotice(dying, await world.file(fileId), 'held')).rejects.toThrow('power cut');
    await approveFile(world.app.ledger, fileId, because);
    const again = cutAtStatement(world.app, /commit_outputs/).app;
    await expect(deliverFile(again, { fileId })).rejects.toThrow('power cut');
    expect(await readOutputs(world.app.ledger, fileId)).toEqual([]);
    expect(await writeDue(fileId)).toEqual(['ack', 'held']);
  });

  it('writes no notice of a verdict that nobody has read', async () => {
    const fileId = await held();
    await approveFile(world.app.ledger, fileId, because);
    expect(await writeDue(fileId)).toEqual(['ack']);
  });
});

const kindsOf = async (fileId: string) => (await readOutputs(world.app.ledger, fileId)).map(({ kind }) => kind);

describe('DELIVER', () => {
  it('writes what is due for each file of a group', async () => {
    const account = world.freshAccount();
    const files = [await world.takeInCharges(account, 2), await world.takeInCharges(account, 2, 5)];
    expect(await dueOf(world.app, DELIVER)).toEqual(expect.arrayContaining(files.map((fileId) => ({ fileId }))));
    expect(await runOnce(world.app, deliverOf(files))).toBe(2);
    expect(await Promise.all(files.map(kindsOf))).toEqual([['ack'], ['ack']]);
  });

  it('writes for the others when one fails, and leaves that one alone for a while', async () => {
    const accounts = [world.freshAccount(), world.freshAccount()];
    const files = [await world.takeInCharges(accounts[0]!, 2), await world.takeInCharges(accounts[1]!, 2, 5)];
    const setZone = (timeZone: string) =>
      forceSql(
        world.app,
        `UPDATE file SET output_form = output_form || jsonb_build_object('timeZone', $2::text) WHERE file_id = $1`,
        [files[0], timeZone],
      );
    await setZone('No/Zone');
    await runOnce(world.app, deliverOf(files));
    expect(await Promise.all(files.map(kindsOf))).toEqual([[], ['ack']]);
    expect(await runOnce(world.app, deliverOf(files.slice(0, 1)))).toBe(0);
    await setZone('UTC');
    await endWait(world.app, 'deliver', ...files);
    expect(await runOnce(world.app, deliverOf(files.slice(0, 1)))).toBe(1);
    expect(await Promise.all(files.map(kindsOf))).toEqual([['ack'], ['ack']]);
  });

  it('goes one by one when what it wrote for all cannot be recorded', async () => {
    const account = world.freshAccount();
    const files = [await world.takeInCharges(account, 2), await world.takeInCharges(account, 2, 5)];
    const cut = cutAtStatement(world.app, /commit_outputs/);
    await runOnce(cut.app, deliverOf(files));
    expect(await Promise.all(files.map(kindsOf))).toEqual([['ack'], ['ack']]);
    expect(cut.wasCut()).toBe(true);
  });

  it('begins no further file when it is to stop, and gives back the rest at once', async () => {
    const account = world.freshAccount();
    const files = [await world.takeInCharges(account, 2), await world.takeInCharges(account, 2, 5)];
    const stop = new AbortController();
    const stopsInFirst: Stage<{ fileId: string }> = {
      ...deliverOf(files),
      work: (app, things, hand) =>
        DELIVER.work(app, things, {
          ...hand,
          trace: (file, work) => {
            stop.abort();
            return hand.trace(file, work);
          },
        }),
    };
    await runOnce(world.app, stopsInFirst, stop.signal);
    expect(await Promise.all(files.map(kindsOf))).toEqual([['ack'], []]);
    expect(await runOnce(world.app, deliverOf(files.slice(1)))).toBe(1);
    expect(await Promise.all(files.map(kindsOf))).toEqual([['ack'], ['ack']]);
  });
});

/** Returns the stage with only these files due. */
function deliverOf(fileIds: readonly string[]): Stage<{ fileId: string }> {
  return onlyOf(
    DELIVER,
    fileIds.map((fileId) => ({ fileId })),
  );
}
