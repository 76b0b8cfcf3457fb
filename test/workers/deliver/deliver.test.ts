import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { readOutputs } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { achRow, CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { beforeStatement, cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { answering } from '../support/scripted-gateway.ts';
import { forceSql } from '../../support/force-sql.ts';
import { deliverFile, submitBatch } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 43, settings: { batch: { maxRows: 10 } } });

/** One message for each way a sent row can end. The ninth row is withheld. */
const MESSAGES = [
  'OK: 678594:',
  'REJECT: 15',
  'REJECT: 22',
  'REJECT: 7',
  'REJECT: 70',
  'a text that nobody knows',
  'Duplicated',
  'Wrong Format',
];
const ROWS = lines([
  ...upTo(8).map((n) => cardRow(n)),
  cardRow(9, { amount: 'ten' }),
  ...upTo(9).map((n) => cardRow(20 + n)),
]);

/** Makes a file whose rows all have outcomes and whose outputs are still due. */
async function reconciled(): Promise<string> {
  const fileId = await world.takeIn(`drop/${world.freshAccount()}/card`, ROWS);
  await carryOut(world.app, fileId, (row) => MESSAGES[row - 1] ?? 'OK: 678594:');
  return fileId;
}

/** Returns every output file of a payment file by its suffix. */
async function outputsOf(fileId: string): Promise<Record<string, string>> {
  const names = (await readdir(world.settings.paths.out)).filter((name) => name.includes(fileId.slice(0, 8))).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(world.settings.paths.out, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name.split('.').slice(1).join('.'), texts[index]!]));
}

function pathOf(fileId: string, suffix: string): string {
  return join(world.settings.paths.out, `june__${fileId.slice(0, 8)}.${suffix}`);
}

async function stateOf(fileId: string): Promise<string> {
  return (await world.file(fileId)).state;
}

const ALL = ['ack.csv', 'rejects.csv', 'result.csv', 'retry.csv', 'summary.json', 'summary.txt'];

describe('deliverFile', () => {
  it('writes every file that is due, notes each, and completes', async () => {
    const fileId = await reconciled();
    await deliverFile(world.app, { fileId });
    const outputs = await outputsOf(fileId);
    expect(Object.keys(outputs)).toEqual(ALL);
    expect(
      (await readOutputs(world.app.ledger, fileId)).map((output) => output.name.split('.').slice(1).join('.')).sort(),
    ).toEqual(ALL);
    expect(await stateOf(fileId)).toBe('completed');
    expect((await world.movesOf({ fileId })).at(-1)).toBe('complete');
    const { outputs: listed } = JSON.parse(outputs['summary.json']!) as { outputs: { kind: string }[] };
    expect(listed.map(({ kind }) => kind)).toEqual(['ack', 'result', 'rejects', 'retry']);
    expect(Object.values(outputs).join()).not.toContain(CARD);
    expect((await verifyAudit(world.app.ledger)).brokenAt).toBeUndefined();
  });

  it('puts a row of unknown outcome into neither correction file, nor one that must never be sent again', async () => {
    const fileId = await reconciled();
    await deliverFile(world.app, { fileId });
    const outputs = await outputsOf(fileId);
    const invoicesOf = (text = '') => [...text.matchAll(/,(C-\d+),/g)].map((match) => match[1]);
    expect(invoicesOf(outputs['rejects.csv'])).toEqual(['C-2', 'C-8', 'C-9']);
    expect(invoicesOf(outputs['retry.csv'])).toEqual(['C-3']);
    const outcomes = Object.fromEntries(
      outputs['result.csv']!.trimEnd()
        .split('\r\n')
        .slice(1)
        .map((row) => [row.split(',')[2], row.split(',')[13]]),
    );
    expect(outcomes).toMatchObject({ 'C-5': 'UNKNOWN', 'C-6': 'UNKNOWN', 'C-4': 'DECLINED', 'C-7': 'DUPLICATE' });
    expect(outputs['summary.txt']).toContain('2 rows may or may not have been charged');
  });

  it('says that nothing is open where every row was charged', async () => {
    const fileId = await world.takeIn(`drop/${world.freshAccount()}/card`, lines([cardRow(1)]));
    await carryOut(world.app, fileId, () => 'OK: 678594:');
    await deliverFile(world.app, { fileId });
    expect((await outputsOf(fileId))['summary.txt']).toMatch(/\n\nNothing is open\.\n$/);
  });

  it('writes the results of a stopped file once, and does not bring back what is gone', async () => {
    const fileId = await reconciled();
    await forceSql(world.app, `UPDATE file SET state = 'partly_cancelled' WHERE file_id = $1`, [fileId]);
    await deliverFile(world.app, { fileId });
    await rm(pathOf(fileId, 'result.csv'));
    await deliverFile(world.app, { fileId });
    expect(existsSync(pathOf(fileId, 'result.csv'))).toBe(false);
  });

  it('eight at once write everything once', async () => {
    const fileId = await reconciled();
    await Promise.all(Array.from({ length: 8 }, () => deliverFile(world.app, { fileId })));
    expect(Object.keys(await outputsOf(fileId))).toEqual(ALL);
    expect(await world.query('SELECT 1 FROM output WHERE file_id = $1', [fileId])).toHaveLength(ALL.length);
    expect((await world.movesOf({ fileId })).filter((move) => move === 'complete')).toHaveLength(1);
  });

  it('writes the notice and nothing else while a batch is open', async () => {
    const fileId = await world.takeIn(`drop/${world.freshAccount()}/card`, ROWS);
    await deliverFile(world.app, { fileId });
    expect(Object.keys(await outputsOf(fileId))).toEqual(['ack.csv']);
    const unknown = { kind: 'unknown', why: 'reset', evidence: { bytesWritten: 1, bytesRead: 0 } } as const;
    await submitBatch(answering(world.app, unknown).app, { fileId, batchNo: 1 });
    await deliverFile(world.app, { fileId });
    expect(Object.keys(await outputsOf(fileId))).toEqual(['ack.csv']);
    expect(await stateOf(fileId)).toBe('in_progress');
  });

  it('writes the NAK of a refused file and the notice of a held one, once', async () => {
    const folder = `drop/${world.freshAccount()}/card`;
    const refused = await world.takeIn(folder, 'not,a,payment\n');
    const held = await world.takeIn(folder, lines([cardRow(1), cardRow(2, { amount: 'ten' })]));
    for (const fileId of [refused, held, refused, held]) await deliverFile(world.app, { fileId });
    expect(Object.keys(await outputsOf(refused))).toEqual(['nak.csv']);
    expect(Object.keys(await outputsOf(held))).toEqual(['held.csv']);
    expect((await outputsOf(held))['held.csv']).toContain('Status,HELD\r\nCode,TOO_MANY_BAD_ROWS');
  });

  it('tells the sender of a file that a person declined, and why', async () => {
    const content = lines([cardRow(1), cardRow(2, { amount: 'ten' })]);
    const fileId = await world.takeIn(`drop/${world.freshAccount()}/card`, content);
    await declineFile(world.app.ledger, fileId, { actor: 'operator:ada', reason: 'not ours' });
    await deliverFile(world.app, { fileId });
    const outputs = await outputsOf(fileId);
    expect(Object.keys(outputs)).toEqual(['cancelled.csv']);
    expect(outputs['cancelled.csv']).toContain('not ours');
    expect(await stateOf(fileId)).toBe('cancelled');
  });

  it.each([
    [
      'a refund with blanks around its amount',
      'ach-refund',
      lines([achRow(1, { amount: '-5.00 ' }), achRow(2, { amount: ' -5.5' })]),
    ],
    ['cells that begin like a formula', 'ach-charge', lines([achRow(1, { invoice: '-A1', comment: '=1+1' })])],
    [
      'an endless cell in a withheld row',
      'ach-charge',
      lines([...upTo(10).map((n) => achRow(n)), achRow(11, { comment: `"${'""'.repeat(8_000)}"` })]),
    ],
    [
      'an amount of a withheld row that is a formula',
      'ach-charge',
      lines([...upTo(10).map((n) => achRow(n)), achRow(11, { amount: '=1' })]),
    ],
  ])('can read its own result back: %s', async (_what, operation, content) => {
    const fileId = await world.takeIn(`drop/${world.freshAccount()}/${operation}`, content);
    if ((await stateOf(fileId)) === 'held') {
      await approveFile(world.app.ledger, fileId, { actor: 'operator:ada', reason: 'we know' });
    }
    await carryOut(world.app, fileId, () => 'Received');
    await deliverFile(world.app, { fileId });
    expect(await stateOf(fileId)).toBe('completed');
  });

  it.each(['=Received', '"Received"', 'Received, with commas', 'Received \u2028\ufffd', ''])(
    'can read its own result back when the service says %j',
    async (message) => {
      const fileId = await world.takeIn(`drop/${world.freshAccount()}/ach-charge`, lines([achRow(1)]));
      await carryOut(world.app, fileId, () => message);
      await deliverFile(world.app, { fileId });
      expect(await stateOf(fileId)).toBe('completed');
    },
  );
});

describe('deliverFile, done again', () => {
  it('from the ledger alone gives the same bytes', async () => {
    const fileId = await reconciled();
    await deliverFile(world.app, { fileId });
    const before = await outputsOf(fileId);
    await forgetDelivery(fileId);
    await rm(world.settings.paths.out, { recursive: true });
    await mkdir(world.settings.paths.out);
    await deliverFile(world.app, { fileId });
    expect(await outputsOf(fileId)).toEqual(before);
    expect(await stateOf(fileId)).toBe('completed');
  });

  it('beside files that an older ledger has forgotten takes them for its own', async () => {
    const fileId = await reconciled();
    await deliverFile(world.app, { fileId });
    const before = await outputsOf(fileId);
    await forgetDelivery(fileId);
    // Give all the same time, so that only the table decides their order.
    const clock = { now: () => new Date('2026-06-15T12:00:00Z') };
    await deliverFile({ ...world.app, ledger: { ...world.app.ledger, clock } }, { fileId });
    expect(await outputsOf(fileId)).toEqual(before);
    expect(await readOutputs(world.app.ledger, fileId)).toHaveLength(ALL.length);
  });

  it.each(ALL)('sets aside a file in the place of %s that is not its own, and comes to its end', async (suffix) => {
    const fileId = await reconciled();
    const { out } = world.settings.paths;
    await mkdir(out, { recursive: true });
    await writeFile(pathOf(fileId, suffix), 'of somebody else');
    await deliverFile(world.app, { fileId });
    expect(await stateOf(fileId)).toBe('completed');
    const stem = `${basename(pathOf(fileId, suffix))}.`;
    const [aside] = (await readdir(out)).filter((name) => name.startsWith(stem));
    expect(await readFile(join(out, aside!), 'utf8')).toBe('of somebody else');
    expect(await readFile(pathOf(fileId, suffix), 'utf8')).not.toBe('of somebody else');
  });
});

describe('deliverFile, after the process died', () => {
  it.each([
    ['when everything was written and nothing noted', /commit_outputs/, 0] as const,
    ['before the totals were read', /outcome_totals/, 0] as const,
  ])('%s: the next run completes with the same files', async (_when, sql, passes) => {
    const fileId = await reconciled();
    const cut = cutAtStatement(world.app, sql, passes);
    await expect(deliverFile(cut.app, { fileId })).rejects.toThrow(POWER_CUT);
    const half = await outputsOf(fileId);
    expect(await stateOf(fileId)).toBe('in_progress');

    await deliverFile(world.app, { fileId });
    expect(await outputsOf(fileId)).toMatchObject(half);
    expect(Object.keys(await outputsOf(fileId))).toEqual(ALL);
    expect(await world.query('SELECT 1 FROM output WHERE file_id = $1', [fileId])).toHaveLength(ALL.length);
    expect(await stateOf(fileId)).toBe('completed');
  });
});

it('deliverFile records nothing that was made of batches that have changed while it wrote', async () => {
  const fileId = await reconciled();
  const app = beforeStatement(world.app, /commit_outputs/, () =>
    forceSql(world.app, 'UPDATE batch SET attempt = attempt + 1 WHERE file_id = $1', [fileId]),
  );
  await expect(deliverFile(app, { fileId })).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
  expect(await readOutputs(world.app.ledger, fileId)).toEqual([]);
});

describe('deliverFile, when a control total does not hold', () => {
  it.each([
    ['H0', `UPDATE file SET control = '{"rows": 17}' WHERE file_id = $1`],
    ['H2', 'UPDATE file SET physical_lines = physical_lines + 1 WHERE file_id = $1'],
    ['H3', 'UPDATE file SET invalid_rows = 0 WHERE file_id = $1'],
    ['H4', 'UPDATE file SET valid_cents = valid_cents + 1 WHERE file_id = $1'],
    ['H7', 'UPDATE batch SET cents = cents + 1 WHERE file_id = $1 AND batch_no = 1'],
  ])('%s stops the completion, and no summary says otherwise', async (id, sql) => {
    const fileId = await reconciled();
    await forceSql(world.app, sql, [fileId]);
    await expect(deliverFile(world.app, { fileId })).rejects.toThrow(new RegExp(`control totals differ: .*${id} `));
    expect(await stateOf(fileId)).toBe('in_progress');
    // The sender has the notice, and nobody a result that does not hold.
    expect(Object.keys(await outputsOf(fileId))).toEqual(['ack.csv']);
    expect((await readOutputs(world.app.ledger, fileId)).map(({ kind }) => kind)).toEqual(['ack']);
  });

  it('a result that cannot be made keeps the notice of its file from nobody', async () => {
    const fileId = await reconciled();
    const { archive } = await world.file(fileId);
    await rm(join(world.settings.paths.archive, archive));
    for (const _ of [1, 2]) await expect(deliverFile(world.app, { fileId })).rejects.toThrow();
    expect(Object.keys(await outputsOf(fileId))).toEqual(['ack.csv']);
    expect((await readOutputs(world.app.ledger, fileId)).map(({ kind }) => kind)).toEqual(['ack']);
    expect(await stateOf(fileId)).toBe('in_progress');
  });

  it.each([
    [
      'an outcome of a row changed behind its back',
      'row_outcome',
      `SET outcome = 'approved' WHERE outcome = 'unknown'`,
    ],
    ['what it added up is not its rows', 'batch_outcome', `SET cents = cents + 1 WHERE outcome = 'approved'`],
  ])('H8: the ledger says something else than the file: %s', async (_what, table, change) => {
    const fileId = await reconciled();
    await forceSql(world.app, `UPDATE ${table} ${change} AND file_no = (SELECT file_no FROM file WHERE file_id = $1)`, [
      fileId,
    ]);
    await expect(deliverFile(world.app, { fileId })).rejects.toThrow(/control totals differ: .*H8/);
    expect(await stateOf(fileId)).toBe('in_progress');
    expect(existsSync(pathOf(fileId, 'summary.json'))).toBe(false);
  });
});

/** Makes the ledger forget the delivery, as an older backup of it would. */
async function forgetDelivery(fileId: string): Promise<void> {
  await forceSql(world.app, `UPDATE file SET state = 'in_progress' WHERE file_id = $1`, [fileId]);
  await world.query('DELETE FROM output WHERE file_id = $1', [fileId]);
}
