import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/ledger/admission/send-journal.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import {
  accept,
  accountsOf,
  because,
  become,
  booked,
  drop,
  openForEach,
  settle,
  world,
} from '../support/merchant-world.ts';

openForEach();

describe('one merchant under two names', () => {
  it.each([
    ['renamed', () => become({ cards: {} })],
    ['entered a second time', () => become({ main: {}, second: {} }, 'second')],
  ])('%s: a file that was sent is known', async (_how, change) => {
    await drop('june.csv');
    await change();
    await drop('june.csv');
    await drop('june-again.csv', 1, 4);
    expect(booked()).toBe(3);
    const { rows } = await world.app.ledger.pool.query('SELECT state, reason_code FROM file ORDER BY file_no');
    expect(rows).toEqual([
      { state: 'completed', reason_code: null },
      { state: 'rejected', reason_code: 'DUPLICATE_FILE' },
      { state: 'held', reason_code: 'CHARGED_BEFORE' },
    ]);
  });

  it('a renamed account keeps its history, its stops and its work under the new name', async () => {
    await drop('june.csv');
    await accept('july.csv', 11);
    await become({ cards: {} });
    await settle();
    expect(await accountsOf()).toEqual([
      ['june.csv', 'cards'],
      ['july.csv', 'cards'],
    ]);
    expect(booked()).toBe(3);
    await resumeAccount(world.app.ledger, 'cards', because);
    await settle();
    expect(booked()).toBe(6);
  });

  it('outputs come out as the same bytes once the account is renamed, in another time zone', async () => {
    await drop('june.csv');
    const { file_id: fileId } = await findFile(world.app.ledger, 'june.csv');
    await become({ cards: { timeZone: 'Asia/Tokyo' } });
    await settle();
    const checks = await rebuildOutputs(world.app, await readFileRow(world.app.ledger, fileId));
    expect(checks.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ack', 'result', 'summary-txt']));
    expect(checks.filter(({ onDisk, rebuilt }) => onDisk !== 'same' || rebuilt !== 'same')).toEqual([]);
  });

  it('a line of the send journal tells the mark of the merchant', async () => {
    await drop('june.csv');
    const lines = readFileSync(world.app.settings.paths.journal, 'utf8').split('\n').filter(Boolean);
    const calls = lines.map((line) => JSON.parse(line) as JournalEntry).filter(({ batchNo }) => batchNo !== undefined);
    expect(calls[0]).toMatchObject({ account: 'main', merchant: world.app.ledger.bound.get('main')!.mark });
  });

  it('a pause of one name stops both', async () => {
    await pauseAccount(world.app.ledger, 'main', because);
    await become({ main: {}, second: {} }, 'second');
    await drop('june.csv');
    expect(booked()).toBe(0);
  });
});
