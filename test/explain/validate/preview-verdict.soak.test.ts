import { describe, expect, it } from 'vitest';
import type { Folder } from '../../../src/config/config.ts';
import { previewVerdict, type Preview } from '../../../src/explain/validate/preview-verdict.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type EarlierPaymentsWorld, openEarlierPaymentsWorld } from '../../workers/support/look-back-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openEarlierPaymentsWorld);

type FolderName = Parameters<EarlierPaymentsWorld['take']>[1];

function preview(account: string, folder: FolderName, content: string, change: Partial<Folder> = {}, mostFaults = 200) {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(content);
  }
  const chosen = { ...world.app.folder(`drop/${account}/${folder}`)!, ...change };
  return previewVerdict(world.app, chosen, { name: 'new.csv', source: source(), mostFaults });
}

const STATES = { accept: 'accepted', hold: 'held', reject: 'rejected' } as const;

/** Returns what the ledger would hold if the file were taken in now. */
function asTaken({ decision, faults }: Preview) {
  const why = decision.verdict === 'accept' ? undefined : decision;
  return {
    state: STATES[decision.verdict],
    code: why?.code ?? null,
    reason: why?.reason ?? null,
    duplicateOf: why?.duplicateOf ?? null,
    faults: sorted(faults),
  };
}

function sorted(faults: Preview['faults']) {
  return faults.map((fault) => JSON.stringify(Object.entries(fault).toSorted())).toSorted();
}

const FIRST = [achRow(1), achRow(2), achRow(3)];
const CODES = `Invoice,First Name,Last Name,Account Type,Account,Amount,CVV\n${lines(FIRST)}`;

describe('previewVerdict says what the intake says a moment later', () => {
  it.each<[string, FolderName, string]>([
    ['a new file', 'hold', lines([achRow(8), achRow(9)])],
    ['rows that are withheld', 'hold', lines([...upTo(30).map((n) => achRow(n + 50)), achRow(99, { amount: 'ten' })])],
    ['too many bad rows', 'hold', lines([achRow(8), achRow(9, { amount: 'ten' })])],
    ['a payment that stands twice', 'hold', lines([achRow(8), achRow(8)])],
    ['columns of nothing', 'hold', 'one,cell,less\n'],
    ['no bytes', 'hold', ''],
    ['security codes', 'hold', CODES],
    ['the wrong sign', 'refund', lines([achRow(8)])],
    ['the same bytes', 'hold', lines(FIRST)],
    ['the same bytes, elsewhere in the account', 'off', lines(FIRST)],
    ['the same rows in another order', 'hold', lines(FIRST.toReversed())],
    ['a row that may have been charged', 'hold', lines([achRow(2), achRow(7)])],
    ['the same, where that is only said', 'warn', lines([achRow(2), achRow(7)])],
    ['the same, where nobody asks', 'any', lines([achRow(2), achRow(7)])],
    ['the same total', 'hold', lines([achRow(5), achRow(6), achRow(7)])],
  ])('%s', async (_, folder, content) => {
    const account = world.freshAccount();
    await world.take(account, 'hold', lines(FIRST));
    const previewed = await preview(account, folder, content);
    const { codes: _codes, faults, ...taken } = await world.verdictOf(await world.take(account, folder, content));
    // An accepted file's reason is the sentence of its transition.
    const reason = taken.state === 'accepted' ? null : taken.reason;
    expect(asTaken(previewed)).toEqual({ ...taken, reason, faults: sorted(faults) });
    expect(previewed.faultCount).toBe(faults.length);
  });

  it('the limit of a day, the usual size, and a name that came before', async () => {
    await world.take('limited', 'any', lines(FIRST));
    expect(await preview('limited', 'any', lines([achRow(4), achRow(5)]))).toMatchObject({
      decision: { verdict: 'hold', code: 'LIMIT_DAY_TOTAL' },
    });
    const account = world.freshAccount();
    for (const n of upTo(4)) await world.take(account, 'usual', lines([achRow(n)]));
    expect(await preview(account, 'usual', lines(upTo(9).map((n) => achRow(n + 10))))).toMatchObject({
      decision: { verdict: 'hold', code: 'UNUSUAL_ROWS' },
    });
    const { rows } = await world.app.ledger.pool.query<{ file_id: string }>(
      `UPDATE file SET name = 'new.csv' WHERE account = $1 AND file_no = (SELECT max(file_no) FROM file WHERE account = $1) RETURNING file_id`,
      [account],
    );
    const { faults, decision } = await preview(account, 'usual', lines([achRow(20)]));
    expect(decision).toEqual({ verdict: 'accept' });
    expect(faults).toEqual([{ code: 'NAME_SEEN_BEFORE', line: 0, detail: `file ${rows[0]!.file_id}` }]);
  });

  it('refuses what is not encrypted where it has to be, without a word of its rows', async () => {
    const content = lines([achRow(1), achRow(2, { amount: 'ten' })]);
    const { decision, faults } = await preview(world.freshAccount(), 'hold', content, { encryption: 'required' });
    expect(decision).toMatchObject({ verdict: 'reject', code: 'PGP_PLAIN' });
    expect(faults).toEqual([{ code: 'PGP_PLAIN', line: 0 }]);
  });
});

describe('previewVerdict', () => {
  it('tells the first faults and counts all', async () => {
    const account = world.freshAccount();
    await world.take(account, 'hold', lines(upTo(20).map((n) => achRow(n))));
    const rows = upTo(40).map((n) => (n > 20 ? achRow(n, { amount: 'ten' }) : achRow(n)));
    const all = await preview(account, 'hold', lines(rows));
    const some = await preview(account, 'hold', lines(rows), {}, 5);
    expect(all.faultCount).toBe(all.faults.length);
    expect(some.faultCount).toBe(all.faultCount);
    const ofRows = some.faults.filter(({ line }) => line > 0);
    expect(ofRows).toHaveLength(10);
    expect(ofRows.map(({ code }) => code)).toEqual([
      ...upTo(5).map(() => 'CHARGED_BEFORE'),
      ...upTo(5).map(() => 'AMOUNT_FORMAT'),
    ]);
    expect(some.decision).toEqual(all.decision);
  });

  it('writes nothing', async () => {
    const account = world.freshAccount();
    const count = async () =>
      (await world.app.ledger.pool.query(`SELECT (SELECT count(*) FROM file) f, (SELECT count(*) FROM audit) a`)).rows;
    const before = await count();
    await preview(account, 'hold', lines(FIRST));
    expect(await count()).toEqual(before);
  });
});
