import { describe, expect, it } from 'vitest';
import { readOpenProposalOf } from '../../src/ledger/proposal/proposals.ts';
import { readFileState } from '../../src/ledger/file/read-file.ts';
import { copyFaults } from '../../src/ledger/row/copy-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import type { Settings } from '../../src/config/config.ts';
import { isTwoPersonMatter, approveOrPropose } from '../../src/actions/file-actions.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'meant so' };

async function held(): Promise<FileRow> {
  const file = await world.held();
  await transact(world.ledger, (tx) => copyFaults(tx, file.file_no, 1, [{ code: 'SAME_ROWS', line: 2 }]));
  return file;
}

function settingsOf(file: FileRow, overrides: boolean): Settings {
  const secondPerson = { refunds: false, overrides, resolutions: false };
  return { accounts: new Map([[file.account, { secondPerson }]]), folders: [] } as unknown as Settings;
}

describe('approveOrPropose', () => {
  it('approves the file, and keeps what was overridden', async () => {
    const file = await held();
    const { held: reasons, proposalNo } = await approveOrPropose(world.ledger, settingsOf(file, false), file, because);
    expect([reasons.map(({ code }) => code), proposalNo]).toEqual([['SAME_ROWS'], undefined]);
    expect(await readFileState(world.ledger, file.file_id)).toBe('accepted');
    expect((await world.links(file.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'approve',
      evidence: { overrides: ['SAME_ROWS'] },
    });
  });

  it('only proposes it where two persons are asked for', async () => {
    const file = await held();
    const { proposalNo } = await approveOrPropose(world.ledger, settingsOf(file, true), file, because);
    expect(await readFileState(world.ledger, file.file_id)).toBe('held');
    expect(await readOpenProposalOf(world.ledger, { fileId: file.file_id })).toMatchObject({
      proposal_no: proposalNo,
      evidence: { overrides: ['SAME_ROWS'] },
    });
  });
});

describe('isTwoPersonMatter', () => {
  it('goes by the account, and takes two for one that has left the configuration', async () => {
    const file = await held();
    expect(isTwoPersonMatter(settingsOf(file, false), file)).toBe(false);
    expect(isTwoPersonMatter(settingsOf(file, true), file)).toBe(true);
    expect(isTwoPersonMatter({ accounts: new Map() }, file)).toBe(true);
  });
});
