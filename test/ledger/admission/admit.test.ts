import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { admit, isAdmitted } from '../../../src/ledger/admission/admit.ts';
import { isOpen } from '../../../src/ledger/admission/close-ledger.ts';
import { readState } from '../../../src/ledger/admission/close-ledger.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { START } from '../../support/ledger-world.ts';
import { BOTH, NOT_LISTED, senderOf, useHosts, waitsOf } from './support/hosts.ts';

const hosts = useHosts();

const LOADED_AGAIN = `CREATE TEMP TABLE kept AS SELECT * FROM admission; DELETE FROM admission;
  INSERT INTO admission SELECT * FROM kept; DROP TABLE kept`;

describe('admit', () => {
  it('lets the one host of a new ledger send at once, and takes it as it is afterwards', async () => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    expect(await isAdmitted(hosts.ledger, sender)).toBe(true);
    expect(senderOf(await hosts.enter('a', NOT_LISTED))).toEqual(sender);
    expect((await readFile(hosts.pathOf('a'), 'utf8')).match(/"kind":"fence"/g)).toHaveLength(1);
  });

  it('opens for two hosts when both have reported', async () => {
    expect(waitsOf(await hosts.enter('a'))).toEqual([{ why: 'host', name: 'b' }]);
    expect(await isOpen(hosts.ledger.pool)).toBe(false);
    for (const sender of await hosts.enterBoth()) expect(await isAdmitted(hosts.ledger, sender)).toBe(true);
  });

  it.each([
    ['another run of the server', () => hosts.otherRun()],
    ['rows that were loaded again', () => hosts.world.force(LOADED_AGAIN)],
    ['another table', () => hosts.world.force('UPDATE admission SET run_table = 1')],
    ['another database', () => hosts.world.force('UPDATE admission SET run_database = 1')],
  ])('lets nothing leave after %s', async (_case, change) => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    await change();
    expect(await isAdmitted(hosts.ledger, sender)).toBe(false);
  });

  const EARLIER_RUN = `UPDATE admission SET run_started = '2020-01-01', born = pg_current_xact_id()`;
  it.each([
    ['an open ledger of this run', 'SELECT 1'],
    ['an open ledger of an earlier run', EARLIER_RUN],
    ['a closed ledger of an earlier run', `${EARLIER_RUN}, is_open = false`],
    ['a closed ledger of another database', 'UPDATE admission SET run_database = 1, is_open = false'],
    ['a closed ledger of another table', 'UPDATE admission SET run_table = 1, is_open = false'],
  ])('lets nobody make %s one of this run, except by a new closing', async (_case, put) => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    await hosts.world.force(put);
    const { pool } = hosts.ledger;
    const state = await isAdmitted(hosts.ledger, sender);
    for (const set of ['epoch = epoch', 'is_open = true', 'is_open = true, closing = gen_random_uuid()'])
      await expect(pool.query(`UPDATE admission SET ${set}`)).rejects.toMatchObject({ code: 'PD002' });
    expect(await isAdmitted(hosts.ledger, sender)).toBe(state);
    await pool.query('UPDATE admission SET is_open = false, closing = gen_random_uuid()');
    expect(await isAdmitted(hosts.ledger, sender)).toBe(false);
  });

  it('takes a row that is loaded with the triggers on as closed, and no report to its closing', async () => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    const { closing } = await readState(hosts.ledger);
    await hosts.ledger.pool.query(LOADED_AGAIN);
    const loaded = await readState(hosts.ledger);
    expect(loaded).toMatchObject({ isOpen: false, isOfThisRun: true, epoch: sender.epoch });
    expect(loaded.closing).not.toBe(closing);
    expect(await isAdmitted(hosts.ledger, sender)).toBe(false);
  });

  it('waits, after the ledger has gone back, for the host that may know more, and then remembers its calls', async () => {
    const [, b] = await hosts.enterBoth();
    const fileId = await hosts.send('b', b);
    await hosts.goBack(fileId);
    expect(waitsOf(await hosts.enter('a'))).toEqual([
      { why: 'host', name: 'b' },
      expect.objectContaining({ why: 'journal', name: 'b' }),
    ]);
    expect(await readAdmission(hosts.ledger)).toMatchObject({
      isOpen: false,
      waits: [expect.stringContaining('Waiting for host b')],
    });
    const after = await hosts.enter('b');
    expect(after.recalled).toMatchObject([{ recalled: [{ fileId }] }]);
    expect(await hosts.stateOf(fileId)).toBe('unknown');
    expect(await isAdmitted(hosts.ledger, senderOf(await hosts.enter('a')))).toBe(true);
  });

  it('knows a call by its own id, also where the older ledger has given its number to another', async () => {
    const [a, b] = await hosts.enterBoth();
    const fileId = await hosts.send('b', b);
    await hosts.goBack(fileId);
    await hosts.world.force(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, ended_at, verdict, call, journal)
       VALUES ('${fileId}', 1, 1, 'w', 'h', 1, now(), now(), 'not_sent', gen_random_uuid(), '${a.journal}')`,
    );
    await hosts.enter('a');
    expect((await hosts.enter('b')).recalled).toMatchObject([{ recalled: [{ fileId }] }]);
    expect(await hosts.stateOf(fileId)).toBe('unknown');
  });

  it('goes beyond what another process of the host has reported to another ledger meanwhile', async () => {
    await hosts.enter('a', NOT_LISTED);
    const journal = await hosts.journalOf('a');
    const { notes } = await journal.readSelf('a', hosts.ledger.clock);
    const fence = notes.findLast((note) => note.kind === 'fence')!;
    await journal.append({ ...fence, epoch: fence.epoch + 7, closing: '00000000-0000-4000-8000-000000000000' });
    await journal.append(fence);
    expect(senderOf(await hosts.enter('a', NOT_LISTED)).epoch).toBeGreaterThan(fence.epoch + 7);
  });

  it('refuses an older copy of a journal by a ledger that is open as well', async () => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    await copyFile(hosts.pathOf('a'), join(hosts.folder, 'older'));
    await hosts.send('a', sender);
    await copyFile(join(hosts.folder, 'older'), hosts.pathOf('a'));
    expect(await isOpen(hosts.ledger.pool)).toBe(true);
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toEqual([{ why: 'older', journal: sender.journal }]);
  });

  it('lets a host that takes over send when it has noted the journal that sent before', async () => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    const { journal } = sender;
    const fileId = await hosts.send('a', sender);
    const goBackToTheFirstDay = async () => {
      await hosts.goBack(fileId);
      await hosts.world.force(`DELETE FROM sender; UPDATE admission SET is_open = false, epoch = 0, closing_epoch = 1`);
    };
    await goBackToTheFirstDay();
    await hosts.enter('b', ['b']);
    expect(waitsOf(await hosts.enter('a', ['b']))).toEqual([{ why: 'host', name: 'b' }]);
    senderOf(await hosts.enter('b', ['b']));
    await goBackToTheFirstDay();
    expect(waitsOf(await hosts.enter('b', ['b']))).toContainEqual({ why: 'journal', name: 'not known', journal });
  });

  it('refuses a journal without calls that the ledger saw answered, for good', async () => {
    await hosts.enter('a', NOT_LISTED);
    await copyFile(hosts.pathOf('a'), join(hosts.folder, 'older'));
    await hosts.send('a', senderOf(await hosts.enter('a', NOT_LISTED)));
    await copyFile(join(hosts.folder, 'older'), hosts.pathOf('a'));
    await hosts.otherRun();
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toMatchObject([{ why: 'older' }]);
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toMatchObject([{ why: 'older' }]);
  });

  it('does not take a new journal for one that is missing', async () => {
    await hosts.send('a', senderOf(await hosts.enter('a', ['a'])));
    await rm(hosts.pathOf('a'));
    await hosts.otherRun();
    expect(waitsOf(await hosts.enter('a', ['a']))).toMatchObject([{ why: 'journal', name: 'a' }]);
  });

  it('lets nobody send from another run of its server before all have reported to it', async () => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    await hosts.otherRun();
    expect(await isAdmitted(hosts.ledger, sender)).toBe(false);
    expect(await isOpen(hosts.ledger.pool)).toBe(false);
    expect(senderOf(await hosts.enter('a', NOT_LISTED)).epoch).toBeGreaterThan(sender.epoch);
  });

  it('refuses a journal of another installation', async () => {
    await hosts.enter('a', NOT_LISTED);
    await hosts.world.force('UPDATE admission SET ledger = gen_random_uuid()');
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toMatchObject([{ why: 'foreign' }]);
  });

  it('takes a ledger that was never opened for that of the journal, such as a new one in place of a lost one', async () => {
    await hosts.enter('a', NOT_LISTED);
    const { ledger: id } = await readState(hosts.ledger);
    await hosts.world.force(
      `DELETE FROM sender; UPDATE admission SET ledger = gen_random_uuid(), epoch = 0, is_open = false`,
    );
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toEqual([]);
    expect(await readState(hosts.ledger)).toMatchObject({ ledger: id, isOpen: true });
  });

  it('leaves a ledger open that another host has opened since this one was refused', async () => {
    await hosts.enterOneAgain();
    let isFirst = true;
    const query = async (...words: [string]) => {
      const answer = await hosts.ledger.pool.query(...words);
      if (isFirst && words[0].includes('is_admitted')) {
        isFirst = false;
        senderOf(await hosts.enter('b'));
      }
      return answer;
    };
    const pool = Object.assign(Object.create(hosts.ledger.pool), { query }) as typeof hosts.ledger.pool;
    const a = await admit({ ...hosts.ledger, pool }, await hosts.journalOf('a'), { name: 'a', senders: BOTH });
    expect(await isAdmitted(hosts.ledger, senderOf(a))).toBe(true);
  });

  it('refuses a journal that was copied to make a second host, which would answer for what the first has sent', async () => {
    await hosts.send('a', senderOf(await hosts.enter('a', ['a'])));
    await mkdir(dirname(hosts.pathOf('b')), { recursive: true });
    await copyFile(hosts.pathOf('a'), hosts.pathOf('b'));
    await hosts.enter('a');
    const ofAnother = [expect.objectContaining({ why: 'of-another', name: 'a' })];
    expect(waitsOf(await hosts.enter('b'))).toEqual(ofAnother);
    await rm(hosts.pathOf('b'));
    const [a] = await hosts.enterBoth();

    const fileId = await hosts.send('a', a);
    await hosts.goBack(fileId);
    await copyFile(hosts.pathOf('a'), hosts.pathOf('b'));
    expect(waitsOf(await hosts.enter('b'))).toEqual(ofAnother);
    expect(await isOpen(hosts.ledger.pool)).toBe(false);
  });

  it('takes the journal of a host that has another name now', async () => {
    await hosts.enter('a', ['a']);
    await mkdir(dirname(hosts.pathOf('c')), { recursive: true });
    await rename(hosts.pathOf('a'), hosts.pathOf('c'));
    await hosts.otherRun();
    senderOf(await hosts.enter('c', ['c']));
  });

  it('lets a host that is not listed stop nobody', async () => {
    const sender = senderOf(await hosts.enter('a', ['a']));
    expect(waitsOf(await hosts.enter('c', NOT_LISTED))).toEqual([{ why: 'not-listed', name: 'c', list: ['a'] }]);
    expect(await isAdmitted(hosts.ledger, sender)).toBe(true);
  });

  it('raises the epoch for a journal that has left it behind elsewhere, and counts no report made before', async () => {
    await hosts.enterOneAgain();
    await (await hosts.journalOf('b')).append({
      kind: 'fence',
      at: START,
      ledger: (await hosts.ledger.pool.query('SELECT ledger FROM admission')).rows[0].ledger,
      epoch: 9,
      closing: 'elsewhere',
      name: 'b',
      list: BOTH,
      knows: [],
    });
    expect(waitsOf(await hosts.enter('b'))).toMatchObject([{ why: 'host', name: 'a' }, { why: 'journal' }]);
    expect(senderOf(await hosts.enter('a')).epoch).toBe(10);
  });

  it('keeps the name that the journal of a single host was begun with', async () => {
    const sender = senderOf(await hosts.enter('a', NOT_LISTED));
    await hosts.otherRun();
    const journal = await hosts.journalOf('a');
    expect(senderOf(await admit(hosts.ledger, journal, { name: 'renamed' })).journal).toBe(sender.journal);
  });
});
