import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendFile, mkdir, rename, rmdir } from 'node:fs/promises';
import { journal } from '../../../src/cli/doctor/journal.ts';
import { acknowledgeForgotten } from '../../../src/ledger/account/pause-account.ts';
import { recallForgotten } from '../../../src/ledger/doubt/recall-batch.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

/** The tests build on each other. */
describe('journal', () => {
  it('is well when it agrees with the ledger', async () => {
    expect(await world.look(journal)).toEqual(WELL);
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    await world.finish();
    expect(await world.look(journal)).toEqual(WELL);
  });

  it('finds that it is missing although something was sent', async () => {
    const path = world.settings.paths.journal;
    await rename(path, `${path}.away`);
    expect(await world.look(journal)).toMatchObject([
      { level: 'bad', found: expect.stringContaining('it is missing') },
    ]);
    await rename(`${path}.away`, path);
  });

  it('finds a folder in its place', async () => {
    const path = world.settings.paths.journal;
    await rename(path, `${path}.away`);
    await mkdir(path);
    expect(await world.look(journal)).toMatchObject([
      { level: 'bad', found: expect.stringContaining('something that is no file stands in its place') },
    ]);
    await rmdir(path);
    await rename(`${path}.away`, path);
  });

  it('finds a call that the ledger has forgotten, and changes nothing', async () => {
    const entry = {
      at: '2026-06-15T10:00:00.000Z',
      account: 'main',
      fileId: newFileId(),
      batchNo: 1,
      attempt: 1,
      sha256: 'ab',
    };
    await appendFile(world.settings.paths.journal, `\n${JSON.stringify(entry)}`);
    const findings = [
      { level: 'bad', found: expect.stringContaining('1 call of account main'), mend: 'paydrop account list' },
    ];
    expect(await world.look(journal)).toEqual(findings);
    expect(await world.look(journal)).toEqual(findings);
    const { rows } = await world.app.ledger.pool.query('SELECT * FROM account_stop');
    expect(rows).toEqual([]);
  });

  it('finds it also when the ledger has been told, until a person has looked', async () => {
    await recallForgotten(world.app.ledger, world.settings.paths.journal);
    expect(await world.look(journal)).toEqual([
      {
        level: 'bad',
        found: '1 call of account main that a restored ledger had forgotten, and nobody has looked',
        mend: 'paydrop account forgotten main',
      },
    ]);
    await acknowledgeForgotten(world.app.ledger, 'main', { actor: 'operator:ann', reason: 'to see' });
    expect(await world.look(journal)).toEqual(WELL);
  });
});
