import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../src/sandbox/start-sandbox.ts';

/**
 * Makes the installation of a release that test/upgrade goes on with: `tsx scripts/keep-installation.ts <folder to make>
 * [folder of the version]`. The program of that version does all of it, as a user would, against a sandbox of this one.
 * Run it once for each release, with the version that is released; the document of the API is made by
 * `PAYDROP_KEEP_API=<folder>/openapi.json npx vitest run --project shared test/web/api/open-api.test.ts`.
 */
const [kept, program = '.'] = process.argv.slice(2);
if (kept === undefined) throw new Error('name the folder to make, such as test/upgrade/0.1.0');

const CODES = { done: 'DONE01', doubt: 'DOUBT1', later: 'LATER1', main: 'TEST88', pairs: 'PAIRS1', refused: 'NOBODY' };
const KNOWN = Object.values(CODES).filter((code) => code !== CODES.refused);

const root = await mkdtemp(join(tmpdir(), 'paydrop-kept-'));
// PostgreSQL runs as another user when this is root, and has to pass.
await chmod(root, 0o711);
const service = await startSandbox({
  accounts: KNOWN.map((agentCode) => ({ agentCode, password: 'TEST88' })),
  batchDelayMs: 10,
  port: 8871,
});

try {
  await writeFile(join(root, 'paydrop.yaml'), settings(), { mode: 0o600 });
  await paydrop('init', root);
  // More withheld rows in a hundred would hold the file.
  await drop('done', 'done', [...Array.from({ length: 39 }, (_, n) => `D-${n + 1}`), 'D-40 spoiled']);
  await drop('done', 'spoiled', ['S-1 spoiled']);
  await drop('main', 'held', ['H-1', 'H-1']);
  await drop('pairs', 'pair', ['P-1', 'P-1']);
  await drop('refused', 'refused', ['R-1', 'R-2']);
  await run();
  await paydrop('approve', 'pair.csv', '--reason', 'both are wanted');
  await paydrop('account', 'pause', 'main', '--reason', 'kept for later');
  service.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
  await drop('doubt', 'lost', ['L-1', 'L-2', 'L-3']);
  await run();
  await paydrop('backup', join(root, 'earlier.backup'));
  await drop('later', 'later', ['F-1', 'F-2']);
  await run();
  // What was sent since the backup is forgotten, except by the send journal.
  await paydrop('restore', join(root, 'earlier.backup'), '--replace');
  await run();
  await mkdir(kept, { recursive: true });
  await rm(join(root, 'earlier.backup'));
  await paydrop('backup', join(root, 'ledger.backup'));
  for (const path of [
    'paydrop.yaml',
    'ledger.backup',
    'out',
    'data/journal/sends.jsonl',
    'data/master.key',
    'data/archive',
  ])
    await cp(join(root, path), join(kept, path), { recursive: true });
  console.log(`${kept}: ${(await readFile(join(kept, 'ledger.backup'))).length} bytes of ledger`);
} finally {
  await service.close();
  await rm(root, { recursive: true, force: true });
}

function settings(): string {
  const accounts = Object.entries(CODES).map(([name, agentCode]) => {
    const account = {
      agentCode,
      server: 'NA',
      country: 'US',
      currency: 'USD',
      timeZone: 'America/New_York',
      password: 'TEST88',
      baseUrl: service.url,
      poll: { firstMs: 1_000 },
    };
    return [name, name === 'pairs' ? { ...account, secondPerson: { overrides: true } } : account];
  });
  const folders = Object.keys(CODES).map((name) => ({
    path: `drop/${name}`,
    account: name,
    operation: 'card',
    complete: { by: 'quiet', quietMs: 100 },
  }));
  return JSON.stringify({ accounts: Object.fromEntries(accounts), folders, batch: { maxRows: 2 } }, undefined, 2);
}

async function drop(folder: string, name: string, invoices: readonly string[]): Promise<void> {
  const row = (words: string, at: number) => {
    const [invoice = '', spoiled] = words.split(' ');
    const cents = new Set(invoices).size === invoices.length ? 25 + at : 25;
    return `06/15/2026,${invoice},Ada,Byron,1 Mill Lane,Troy,NY,12180,${spoiled ? 'much' : `${cents}.00`},VISA,4222222222222220,12/35\n`;
  };
  await writeFile(join(root, 'drop', folder, `${name}.csv`), invoices.map(row).join(''));
}

async function run(): Promise<void> {
  await paydrop('run', '--once', '--timeout', '60');
}

/** Statuses above 1 say that something waits for a person, or that the time is over. */
async function paydrop(...words: string[]): Promise<void> {
  const env = { ...process.env, PAYDROP_DASHBOARD: 'off', PAYDROP_LOG_LEVEL: 'warn' };
  const args = [join(resolve(program), 'src/main.ts'), '--dir', root, ...words];
  try {
    const { stdout, stderr } = await promisify(execFile)(resolve('node_modules/.bin/tsx'), args, { env });
    console.error(`${words.join(' ')}: ${stdout}${stderr}`);
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    console.error(`${words.join(' ')}: status ${code}\n${stdout}${stderr}`);
    if (code === 1 && words[0] !== 'run') throw error;
  }
}
