import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EXPORT_SAMPLES } from '../../scripts/samples/export-samples.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../../src/cli/commands/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { EXPORTS, expectResult, walkToDrop } from '../cli/profile/support/walk-export.ts';
import { runPaydrop } from '../cli/support/run-child.ts';
import { chooser } from '../csv/profile/support/made-payments.ts';
import { judgeExport } from '../csv/profile/support/judge-export.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';
import { freshSeed, longRun, tryProperty } from '../support/random.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { EXPORT_KINDS, makeExports, SYSTEMS } from './made/exports.ts';
import { writeSheet } from './made/sheet.ts';
import { openVerdicts } from './open-verdicts.ts';
import { changeExport, MUTATIONS, neverOtherPayments, newTried } from './play-export.ts';

/** Fifty changes of each export. */
const CHANGES = longRun(50 * EXPORT_KINDS.length);

it(
  `${CHANGES.runs} changed exports are never accepted with other payments, and all changes and exports are tried`,
  async () => {
    const tried = newTried();
    await tryProperty(neverOtherPayments(tried), CHANGES.runs, CHANGES.limitMs);
    expect(MUTATIONS.map(({ name }) => name).filter((name) => !tried.mutations.has(name))).toEqual([]);
    expect(tried.exports.size).toBe(EXPORT_KINDS.length);
  },
  CHANGES.limitMs,
);

const world = openedForTests(() => openVerdicts(SYSTEMS));

it('validate, the preview of the dashboard and intake say the same of two hundred exports and of changed ones', async () => {
  const unchanged = makeExports(300).map((made) => ({ made, what: made.name, file: made.sheet }));
  // Others are changed, because the same rows would be known.
  const changed = makeExports(301).map((made, index) => {
    const { mutation, mutated } = changeExport(made, index, () => chooser(index));
    return { made, what: `${made.name}, ${mutation}`, file: mutated.file };
  });
  for (const { made, what, file } of [...unchanged, ...changed]) {
    const { validate, preview, intake } = await world.verdictsOn(made, writeSheet(file));
    expect([what, preview]).toEqual([what, intake]);
    expect([what, validate]).toEqual([what, intake]);
  }
});

it('each export of samples/ goes from paydrop init to its result by a profile made with suggest', async () => {
  const root = await freshFolder();
  const postgres = await startTestPostgres();
  onTestFinished(() => postgres.stop());
  const sandbox = await startSandbox({ batchDelayMs: 10, accounts: readAccounts(SANDBOX_ACCOUNTS) });
  onTestFinished(() => sandbox.close());
  const env = { DATABASE_URL: postgres.url, PAYDROP_LOG_LEVEL: 'silent' };
  const paydrop = async (...words: string[]) => {
    const { status, ...printed } = await runPaydrop(['--dir', root, ...words], env);
    return { status: status ?? -1, ...printed };
  };
  await copyFile(join(EXPORTS, 'paydrop.yaml'), join(root, 'paydrop.yaml'));
  const config = await readFile(join(root, 'paydrop.yaml'), 'utf8');
  const address = `baseUrl: ${sandbox.url}\n    poll: { firstMs: 100 }`;
  await writeFile(join(root, 'paydrop.yaml'), config.replaceAll('baseUrl: http://127.0.0.1:8899', address));
  expect(await paydrop('init')).toMatchObject({ status: 0, err: '' });

  for (const sample of EXPORT_SAMPLES) await walkToDrop(root, paydrop, sample);
  expect(await paydrop('run', '--once', '--timeout', '120')).toMatchObject({ status: 0, err: '' });

  for (const sample of EXPORT_SAMPLES) await expectResult(root, sample);
  const booked = sandbox.books().map(({ invoice }) => invoice);
  expect(booked).toHaveLength(EXPORT_SAMPLES.reduce((sum, { rows }) => sum + rows, 0));
  expect(new Set(booked).size).toBe(booked.length);
}, 900_000);

it('what is suggested for a thousand exports is right where it is sure, and reads what it was told', async () => {
  const first = freshSeed();
  let sure = 0;
  for (let seed = first; seed < first + 1_000; seed += 1) sure += await judgeExport(seed);
  expect(sure).toBeGreaterThan(1_000);
}, 300_000);
