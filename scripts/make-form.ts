import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Sandbox, startSandbox } from '../src/sandbox/start-sandbox.ts';

/**
 * Makes a kept form of the ledger for test/ledger/forms: `tsx scripts/make-form.ts <name> [folder of a version]`. The
 * program of that version does all of it, as a user would, against sandboxes of this version. Run it for each release
 * that added a migration.
 */
const [name = '', program = '.'] = process.argv.slice(2);
const form = resolve('test/ledger/forms', name);
const root = await mkdtemp(join(tmpdir(), 'paydrop-form-'));
// PostgreSQL runs as another user when this is root, and has to pass.
await chmod(root, 0o711);
const codes = ['DONE01', 'DOUBT1', 'HELD01', 'PAUSE1', 'LATER1'];
const accounts = codes.map((agentCode) => ({ agentCode, password: 'TEST88' }));
const quick = await startSandbox({ accounts, batchDelayMs: 10 });
/** Its batches take a day, so their results are still to come. */
const slow = await startSandbox({ accounts: [{ agentCode: 'SLOW01', password: 'TEST88' }], batchDelayMs: 86_400_000 });

try {
  await writeFile(join(root, 'paydrop.yaml'), settings(), { mode: 0o600 });
  await paydrop('init', root);
  await paydrop('account', 'pause', 'pause', '--reason', 'kept for a test');
  await drop('done', ['D-1', 'D-2', 'D-3']);
  await drop('held', ['H-1', 'H-1']);
  await drop('pause', ['P-1', 'P-2', 'P-3']);
  await drop('slow', ['S-1', 'S-2', 'S-3']);
  await drop('refused', ['R-1', 'R-2', 'R-3']);
  await run();
  quick.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
  await drop('doubt', ['U-1', 'U-2', 'U-3']);
  await run();
  await paydrop('backup', join(root, 'earlier.backup'));
  await drop('later', ['L-1', 'L-2']);
  await run();
  // What was sent since the backup is forgotten, but for the send journal.
  await paydrop('restore', join(root, 'earlier.backup'), '--replace');
  await run();
  const backup = join(root, 'form.backup');
  await paydrop('backup', backup);
  await mkdir(form, { recursive: true });
  await writeFile(join(form, 'ledger.backup.gz'), gzipSync(await readFile(backup), { level: 9 }));
  await cp(join(root, 'data', 'journal', 'sends.jsonl'), join(form, 'sends.jsonl'));
  await cp(join(root, 'data', 'master.key'), join(form, 'master.key'));
} finally {
  await quick.close();
  await slow.close();
  await rm(root, { recursive: true, force: true });
}

function settings(): string {
  const account = (agentCode: string, service: Sandbox) => ({
    agentCode,
    server: 'NA',
    country: 'US',
    currency: 'USD',
    timeZone: 'America/New_York',
    password: 'TEST88',
    baseUrl: service.url,
    poll: { firstMs: 1_000 },
  });
  const all = {
    done: account('DONE01', quick),
    doubt: account('DOUBT1', quick),
    held: account('HELD01', quick),
    pause: account('PAUSE1', quick),
    later: account('LATER1', quick),
    refused: account('NOBODY', quick),
    slow: account('SLOW01', slow),
  };
  const folders = Object.keys(all).map((name) => ({
    path: `drop/${name}`,
    account: name,
    operation: 'card',
    complete: { by: 'quiet', quietMs: 100 },
  }));
  return JSON.stringify({ accounts: all, folders, batch: { maxRows: 2 } });
}

async function drop(account: string, invoices: readonly string[]): Promise<void> {
  const row = (invoice: string, at: number) =>
    `06/15/2026,${invoice},Ada,Byron,1 Mill Lane,Troy,NY,12180,${25 + at * (invoice === 'H-1' ? 0 : 1)}.00,VISA,4222222222222220,12/35\n`;
  await writeFile(join(root, 'drop', account, `${account}.csv`), invoices.map(row).join(''));
}

function run(): Promise<void> {
  return paydrop('run', '--once', '--timeout', '6');
}

/** Statuses above 1 say that something waits for a person, or that the time is over. */
async function paydrop(...words: string[]): Promise<void> {
  const env = { ...process.env, PAYDROP_DASHBOARD: 'off', PAYDROP_LOG_LEVEL: 'warn' };
  const args = [join(resolve(program), 'src/cli/main.ts'), '--dir', root, ...words];
  try {
    const { stdout, stderr } = await promisify(execFile)(resolve('node_modules/.bin/tsx'), args, { env });
    console.error(`${words[0]}: ${stdout}${stderr}`);
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    console.error(`${words[0]}: status ${code}\n${stdout}${stderr}`);
    if (code === 1 && words[0] !== 'run') throw error;
  }
}
