import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EXPORT_SAMPLES } from '../../../scripts/samples/export-samples.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../../../src/cli/commands/sandbox.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { runPaydrop } from '../support/run-child.ts';
import { EXPORTS, expectResult, walkToDrop } from './support/walk-export.ts';

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
