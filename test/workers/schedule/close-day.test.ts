import { reconcileBatch } from '../../support/end-batches.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPaidTwice } from '../../../src/ledger/duplicates/read-double-charges.ts';
import type { DayClose } from '../../../workers/schedule/close-day.ts';
import { runSchedule } from '../../../workers/schedule/schedule.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { becomes, putFile } from '../../ledger/duplicates/support/same-payments.ts';
import { openScheduleWorld } from '../support/schedule-world.ts';

/** That the close of a day finds payments that were made twice; close-day.soak.test.ts tests its report. */

const world = openedForTests(openScheduleWorld);

it('the close of a day finds payments of it that were made twice, and reports them', async () => {
  const folder = await world.makeFolder('drop/main/ach-charge');
  const days: DayClose['days'] = ['mon'];
  const close = { does: 'day-close', at: '22:00', timeZone: 'UTC', days, account: 'main' } as const;
  const app = world.appWith({ close }, [folder], { timeZone: 'UTC' });
  world.clock.set('2026-06-15T12:00:00.000Z');
  await runSchedule(app, 'close');
  for (const _ of [1, 2]) {
    const file = await putFile(app, { account: 'main', payments: [2] });
    await forceSql(app, `UPDATE batch SET state = 'result_in', result_sha256 = '' WHERE file_id = $1`, [file.file_id]);
    await reconcileBatch(app.ledger, { fileId: file.file_id, batchNo: 1 }, file.file_no, [becomes(2, 'approved')], {});
  }
  expect(await readPaidTwice(app.ledger)).toEqual([]);
  world.clock.set('2026-06-15T22:00:00.000Z');
  await runSchedule(app, 'close');
  expect(await readPaidTwice(app.ledger)).toMatchObject([{ account: 'main', isTwice: true }]);
  const text = await readFile(join(app.settings.paths.out, 'day-close__main__2026-06-15.txt'), 'utf8');
  expect(text).toMatch(/Perhaps paid twice; refund one of each\n\S+\/1 line 2 and \S+\/1 line 2, 2\.00\n/);
});
