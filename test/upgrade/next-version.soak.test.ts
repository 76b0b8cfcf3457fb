import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Pool } from 'pg';
import { FUNCTIONS_SCHEMA, TABLES } from '../../src/ledger/engine/schema.ts';
import { buildProgram, type Program } from '../support/build-program.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from '../support/postgres.ts';

/** A version after this one, as it could be: the same program with another schema of the ledger. */
type Next = { dir: string };

let program: Program;
/** Another text of a function, and nothing else. */
let otherFunctions: Next;
/** Another column, too. */
let otherTables: Next;
let root: string;
beforeAll(async () => {
  program = await buildProgram();
  root = await mkdtemp(join(tmpdir(), 'paydrop-next-'));
  const newText = {
    gate: [['RETURN EXISTS (SELECT 1 FROM file f', 'RETURN true AND EXISTS (SELECT 1 FROM file f']],
  } as const;
  otherFunctions = await makeNext('functions', newText);
  otherTables = await makeNext('tables', {
    ...newText,
    deliver: [['  written_at ', '  courier text,\n  written_at ']],
  });
  const migrations = join(otherTables.dir, 'dist', 'schemas', 'ledger', 'migrations');
  await mkdir(migrations, { recursive: true });
  await writeFile(join(migrations, '0.1.0.sql'), TABLES);
  await writeFile(join(migrations, '0.2.0.sql'), 'ALTER TABLE output ADD COLUMN courier text;');
});
afterAll(async () => {
  await program.remove();
  await rm(root, { recursive: true, force: true });
});

type Changes = Readonly<Record<string, readonly (readonly [before: string, now: string])[]>>;

async function makeNext(name: string, changes: Changes): Promise<Next> {
  const dir = join(root, name);
  await cp(program.dir, dir, { recursive: true, verbatimSymlinks: true });
  for (const [subject, pairs] of Object.entries(changes)) {
    const path = join(dir, 'dist', 'schemas', 'ledger', `${subject}.sql`);
    const before = await readFile(path, 'utf8');
    const now = pairs.reduce((text, [old, fresh]) => text.replace(old, fresh), before);
    expect(now).not.toBe(before);
    await writeFile(path, now);
  }
  return { dir };
}

let postgres: TestPostgres;
let pool: Pool;
beforeEach(async () => {
  postgres = await startTestPostgres({ schema: 'empty' });
  pool = openTestPool({ connectionString: postgres.url, options: '-c search_path=paydrop' });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await pool.end();
  await postgres.stop();
});

const children: { kill(signal: 'SIGKILL'): unknown }[] = [];

/** A process of a version that has the ledger open and answers by its own functions. */
async function openIn({ dir }: Next) {
  const script = `
    const { openLedger } = await import('${join(dir, 'dist', 'src', 'ledger', 'engine', 'open-ledger.js')}');
    const { systemClock } = await import('${join(dir, 'dist', 'src', 'kernel', 'clock.js')}');
    const { silentLog } = await import('${join(dir, 'dist', 'src', 'kernel', 'log.js')}');
    const say = (line) => process.stdout.write(line + '\\n');
    try {
      const ledger = await openLedger({ url: process.argv[1] }, { clock: systemClock, log: silentLog() });
      say('open');
      for await (const _ of process.stdin) {
        const { rows } = await ledger.pool.query("SELECT may_leave('a', 'b', 'c') AS may, (SELECT pronamespace::regnamespace::text FROM pg_proc WHERE oid = 'may_leave'::regproc) AS place");
        say(JSON.stringify(rows[0]));
      }
    } catch (error) {
      say(error.code);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, postgres.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: dir,
  });
  children.push(child);
  child.stdout.setEncoding('utf8');
  const next = async (): Promise<string> => String((await once(child.stdout, 'data'))[0]).trim();
  const opened = await next();
  return {
    opened,
    ask: async (): Promise<{ may: boolean; place: string }> => {
      const answer = next();
      child.stdin.write('?');
      return JSON.parse(await answer) as { may: boolean; place: string };
    },
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function run({ dir }: Next, ...words: string[]): Promise<{ status: number; text: string }> {
  const home = join(root, 'home');
  await mkdir(home, { recursive: true });
  const env = { ...process.env, DATABASE_URL: postgres.url, PAYDROP_LOG_LEVEL: 'silent' };
  const args = [join(dir, 'dist', 'src', 'main.js'), '--dir', home, ...words];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
    return { status: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, text: stdout + stderr };
  }
}

async function functionSchemas(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^paydrop_f_' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

async function columns(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, collation_name) AS name
     FROM information_schema.columns WHERE table_schema = 'paydrop' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

describe('a version with other functions', () => {
  it('runs beside this one, each with its own functions, which go with the last process that uses them', async () => {
    const present = await openIn(program);
    const next = await openIn(otherFunctions);
    expect([present.opened, next.opened]).toEqual(['open', 'open']);
    const places = [await present.ask(), await next.ask()].map(({ place }) => place);
    expect(places[0]).toBe(FUNCTIONS_SCHEMA);
    expect(places[1]).not.toBe(FUNCTIONS_SCHEMA);
    expect(await functionSchemas()).toEqual(places.toSorted());
    // One more of either version, while both are in use.
    expect((await openIn(program)).opened).toBe('open');
    expect(await functionSchemas()).toEqual(places.toSorted());
    expect((await present.ask()).may).toBe(false);
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await expect.poll(async () => (await openAndLeave(otherFunctions), functionSchemas())).toEqual([places[1]]);
    await expect.poll(async () => (await openAndLeave(program), functionSchemas())).toEqual([FUNCTIONS_SCHEMA]);
  });
});

async function openAndLeave(version: Next): Promise<void> {
  const one = await openIn(version);
  expect(one.opened).toBe('open');
  await one.kill();
}

describe('a version with other tables', () => {
  it('brings the ledger up to date while this one works, and this one is refused from then on', async () => {
    const present = await openIn(program);
    await pool.query(
      `INSERT INTO account_stop (account, kind, reason, actor, since) VALUES ('*', 'pause', 'kept', 'ada', now())`,
    );
    const next = await openIn(otherTables);
    expect(next.opened).toBe('open');
    expect(await columns()).toContainEqual(expect.stringContaining('output courier text'));
    expect((await pool.query('SELECT name FROM migration ORDER BY name')).rows).toEqual([
      { name: '0.1.0' },
      { name: '0.2.0' },
    ]);
    expect((await pool.query('SELECT reason FROM account_stop')).rows).toEqual([{ reason: 'kept' }]);
    expect([(await present.ask()).may, (await next.ask()).may]).toEqual([false, false]);
    expect((await openIn(program)).opened).toBe('LEDGER_NEWER');
  });

  it('makes the same tables anew as from an earlier ledger', async () => {
    await openAndLeave(otherTables);
    const fresh = await columns();
    await pool.query('DROP SCHEMA paydrop CASCADE');
    await openAndLeave(program);
    expect(await columns()).not.toEqual(fresh);
    await openAndLeave(otherTables);
    expect(await columns()).toEqual(fresh);
  });

  it('restores a backup of this version, and this one refuses a backup of that', async () => {
    await openAndLeave(program);
    const [earlier, later] = [join(root, 'earlier.backup'), join(root, 'later.backup')];
    expect(await run(program, 'init', join(root, 'home'))).toMatchObject({ status: 0 });
    expect(await run(program, 'backup', earlier)).toMatchObject({ status: 0 });
    expect(await run(otherTables, 'restore', earlier, '--replace')).toMatchObject({
      text: expect.stringContaining('Restored'),
    });
    expect(await columns()).toContainEqual(expect.stringContaining('output courier text'));
    expect(await run(otherTables, 'backup', later)).toMatchObject({ status: 0 });
    await pool.query('DROP SCHEMA paydrop CASCADE');
    const refused = await run(program, 'restore', later);
    expect(refused.status).toBeGreaterThan(0);
    expect(refused.text).toContain('"0.2.0" is not known here');
    expect(await run(otherTables, 'restore', later)).toMatchObject({ text: expect.stringContaining('Restored') });
  });
});
