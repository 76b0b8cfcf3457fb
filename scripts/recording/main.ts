/**
 * `npm run recording`: plays a short day of the built program against the sandbox in a terminal of its own, and writes
 * what it showed as docs/recording/first-day.cast (asciinema, version 2). Only waiting is cut.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../../src/sandbox/index.ts';
import { Cast } from './cast.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/src/main.js');
const OUT = join(ROOT, 'docs/recording/first-day.cast');
const COLUMNS = 118;
const ROWS = 32;
const BATCH = 'processCreditCardBatch';

if (!existsSync(PROGRAM)) throw new Error('Run "npm run build" first.');
const home = await mkdtemp(join(tmpdir(), 'recording-'));
const folder = join(home, 'payments');
const cast = new Cast({
  columns: COLUMNS,
  rows: ROWS,
  title: 'A day with paydrop',
  hide: [
    [home, '~'],
    [ROOT, '~/paydrop/'],
  ],
});

// Called by its name, the program prints lines to paste that begin with it.
await mkdir(join(home, 'program'));
await mkdir(join(home, 'bin'));
await symlink(PROGRAM, join(home, 'program/paydrop'));
await writeFile(join(home, 'bin/paydrop'), '#!/bin/sh\nexec node "$HOME/program/paydrop" "$@"\n', { mode: 0o755 });
await writeFile(join(home, 'monday.csv'), rowsOf('C-1', [25, 36, 10, 2]));
await writeFile(join(home, 'tuesday.csv'), rowsOf('C-2', [40, 55.5, 12.25]));
await using sandbox = await startSandbox({ port: 8899, firstBatchId: 1_000_001 });

cast.say('paydrop takes files of payments. Set up a folder, beside a payment service for trying.');
await run('paydrop init payments', home);
cast.say('Drop a file of four card payments.');
await run('cp ../monday.csv drop/card');
await run('paydrop run --once');
await run('cut -d, -f1,3,10,12,14 out/monday*.result.csv');
cast.say('The next file is taken by the service, and the connection breaks before the answer.');
sandbox.faults.plan({ kind: 'booked-then-reset', operation: BATCH });
await run('cp ../tuesday.csv drop/card');
await run('paydrop run --once');
cast.say('Were these people charged? paydrop does not know, and sends nothing twice.');
await run('paydrop status');
await run('paydrop why tuesday.csv');
cast.say('Ask the service for the next batch ids. This only reads.');
await run('paydrop resolve tuesday.csv/1 --probe 1000002..1000011');
await run('paydrop resolve tuesday.csv/1 --adopt 1000002');
await run('paydrop run --once');
cast.say('Each payment was made once, and the day balances.');
await run(`paydrop report --day ${today()}`);

await mkdir(join(ROOT, 'docs/recording'), { recursive: true });
await writeFile(OUT, cast.text());
await rm(home, { recursive: true, force: true });
console.log(`${OUT}: ${Math.round(cast.seconds)} s, ${(await readFile(OUT)).length} bytes`);

/** Types a command and records what its terminal shows. */
async function run(command: string, cwd = folder): Promise<void> {
  cast.type(command);
  const inside = `stty cols ${COLUMNS} rows ${ROWS}; ${command}`;
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    TERM: 'xterm-256color',
    PAYDROP_LOG_LEVEL: 'silent',
  };
  const child = spawn('script', ['-qefc', inside, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8');
  for await (const shown of child.stdout) cast.show(shown as string);
}

/** The day in the zone of the account. */
function today(): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(sandbox.clock.now());
}

function rowsOf(prefix: string, amounts: readonly number[]): string {
  const line = (amount: number, index: number) =>
    `06/15/2026,${prefix}00${index + 1},Ada,Byron,1 Mill Lane,Troy,NY,12180,${amount.toFixed(2)},VISA,` +
    `${amount === 2 ? '4111111111111111' : '4222222222222220'},12/35\n`;
  return amounts.map(line).join('');
}
