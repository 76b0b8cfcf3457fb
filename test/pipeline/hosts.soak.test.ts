import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram, type Program } from '../support/build-program.ts';
import { type Service, startService } from '../chaos/support/service.ts';
import { runHere } from '../cli/support/run-here.ts';
import { type Host, type Hosts, openHosts } from '../scale/hosts.ts';
import { givenQueue } from '../support/given-engines.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { SEARCH_PATH } from '../../src/ledger/engine/schema.ts';

/**
 * Several hosts that do not see each other's folders: two sites that take files in and write outputs, a third host that
 * sends, and a fourth that polls for results.
 */
const ACCOUNTS = ['dues', 'rent'];
const SITE_ROLES = ['watch', 'intake', 'deliver'] as const;
let program: Program;
let postgres: TestPostgres;
let service: Service;
let hosts: Hosts;
let home: Host;
let north: Host;
let pool: pg.Pool;
beforeAll(async () => {
  program = await buildProgram();
  postgres = await startTestPostgres();
  service = await startService(program, undefined, ACCOUNTS);
  const { REDIS_URL: redisUrl } = await givenQueue();
  const shared = { program, accounts: ACCOUNTS, serviceUrl: service.url, databaseUrl: postgres.url, redisUrl };
  hosts = await openHosts(shared, { sites: ['main', 'north'] });
  home = await hosts.start('home', SITE_ROLES);
  north = await hosts.start('north', SITE_ROLES, 'north');
  await hosts.start('sender', ['submit']);
  await hosts.start('asker', ['poll']);
  pool = openTestPool({ connectionString: postgres.url, options: `-c search_path=${SEARCH_PATH}`, max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await hosts?.close();
  await service?.kill();
  await postgres?.stop();
  await program?.remove();
});

function charges(prefix: string, rows: number): string {
  return lines(upTo(rows).map((n) => achRow(n, { invoice: `${prefix}-${n}` })));
}

async function states(): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; state: string }>('SELECT name, state FROM file');
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

async function outputsOf(host: Host): Promise<string[]> {
  const names = await readdir(join(host.root, 'out'));
  return names.filter((name) => name.endsWith('.result.csv')).map((name) => name.replace(/(?:__|\.).*$/, ''));
}

/** Runs a command on a host; `env` may set another site. */
function command(host: Host, words: readonly string[], env: Record<string, string> = {}) {
  for (const [name, value] of Object.entries({ ...hosts.env, ...env })) vi.stubEnv(name, value);
  return runHere(['--dir', host.root, ...words]);
}

describe('one installation on several hosts', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('takes a file in and writes its outputs where it was dropped, and calls the service from elsewhere', async () => {
    await hosts.drop(home, 'dues', 'june.csv', charges('june', 3));
    await hosts.drop(north, 'dues', 'july.csv', charges('july', 2));
    const done = { 'june.csv': 'completed', 'july.csv': 'completed' };
    await expect.poll(states, { timeout: 120_000 }).toEqual(done);
    expect(await outputsOf(home)).toEqual(['june']);
    expect(await outputsOf(north)).toEqual(['july']);
    const booked = (await service.books()).map(({ invoice }) => invoice);
    expect(booked.toSorted()).toEqual(['july-1', 'july-2', 'june-1', 'june-2', 'june-3']);
    expect(await readdir(join(home.root, 'data'))).not.toContain('postgres');
  });

  it('goes on where it was when the host of the folders is killed', async () => {
    for (const n of upTo(4)) await hosts.drop(home, 'rent', `kill-${n}.csv`, charges(`kill-${n}`, 2));
    await home.killAndRestart();
    const done = Object.fromEntries(upTo(4).map((n) => [`kill-${n}.csv`, 'completed']));
    await expect.poll(states, { timeout: 120_000 }).toMatchObject(done);
    const booked = (await service.books()).filter(({ invoice }) => invoice.startsWith('kill-'));
    expect(new Set(booked.map(({ invoice }) => invoice)).size).toBe(8);
    expect(booked).toHaveLength(8);
  });

  it('says where the original is when a command needs it elsewhere', async () => {
    const wrong = await command(north, ['rebuild-outputs', 'june.csv'], { PAYDROP_SITE: 'north' });
    expect(wrong.status).not.toBe(0);
    expect(wrong.err).toContain('it belongs to site "main", and this is site "north"');
    const right = await command(home, ['rebuild-outputs', 'june.csv'], { PAYDROP_SITE: 'main' });
    expect(right).toMatchObject({ status: 0 });
  });

  it('refuses to watch folders at a site that has none', async () => {
    const { status, err } = await command(home, ['start'], { PAYDROP_SITE: 'south', PAYDROP_ROLES: 'watch' });
    expect(status).not.toBe(0);
    expect(err).toContain(
      'Cannot work at site "south": no folder belongs to it. Set PAYDROP_SITE to one of main, north',
    );
  });
});
