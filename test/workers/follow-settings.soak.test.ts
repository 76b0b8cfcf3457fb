import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../schemas/config.ts';
import { EVERY_ROLE, type Role } from '../../schemas/jobs.ts';
import { openApp } from '../../src/app.ts';
import { loadSettings } from '../../src/config/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { listRunningProcesses } from '../../src/ledger/process/running-processes.ts';
import { followSettings } from '../../workers/follow-settings.ts';
import { startWorkers, type Workers } from '../../workers/main.ts';
import { type CliWorld, openCliWorld } from '../cli/support/cli-world.ts';
import { achRow, lines } from '../support/payment-rows.ts';

/** A paydrop.yaml that is changed while processes run: what they take up, what waits for a restart, and who says so. */

let world: CliWorld;
let yaml: Config;
beforeEach(async () => {
  world = await openCliWorld({ settings: { rescanMs: 60 } });
  yaml = JSON.parse(await readFile(join(world.root, 'paydrop.yaml'), 'utf8')) as Config;
});
afterEach(() => world.close());

/** Reads the file as a process does that starts now. */
async function restart(roles: ReadonlySet<Role> = EVERY_ROLE): Promise<Workers> {
  await world.app.close();
  world.app = await openApp(loadSettings(world.root, world.env), { log: silentLog(), env: world.env });
  const workers = await startWorkers(world.app, roles);
  onTestFinished(() => workers.stop());
  return workers;
}

const write = (config: object | string) =>
  writeFile(join(world.root, 'paydrop.yaml'), typeof config === 'string' ? config : JSON.stringify(config));

const [card, charge] = ['card', 'ach-charge'].map((name) => `drop/${name}`);
const only = (...paths: (string | undefined)[]) => yaml.folders.filter(({ path }) => paths.includes(path));
const watched = () => expect.poll(() => world.app.settings.folders.map(({ id }) => id), { timeout: 20_000 });
const process = async () => (await listRunningProcesses(world.app.ledger))[0]!;
const state = (name: string) => expect.poll(async () => (await world.states())[name], { timeout: 60_000 });

/** Asks the commands that a person would ask. */
async function asked() {
  const [status, doctor, init] = [
    await world.paydrop('status'),
    await world.paydrop('doctor'),
    await world.paydrop('init', world.root),
  ];
  return [status.out, doctor.out.replaceAll(/\n.*fix: /g, '. '), init.out];
}

describe('a running process', () => {
  it('watches a new folder, and no longer one that left', async () => {
    await write({ ...yaml, folders: only(card) });
    await restart();
    await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
    await write({ ...yaml, folders: only(card, charge) });
    await state('june.csv').toBe('completed');
    for (const out of await asked()) expect(out).not.toContain('still use');

    await write({ ...yaml, folders: only(card) });
    await watched().toEqual([card]);
    await world.drop('ach-charge', 'july.csv', lines([achRow(2)]));
    await world.drop('card', 'odd.csv', 'x');
    await state('odd.csv').toBe('rejected');
    expect(await world.states()).not.toHaveProperty('july.csv');
  });

  it('goes on with what it claimed in a folder that left', async () => {
    const taking = await restart(new Set(['watch', 'deliver'] as const));
    await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
    await state('june.csv').toBe('claimed');
    await write({ ...yaml, folders: only(card) });
    await watched().toEqual([card]);
    await taking.stop();
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv': 'completed' });
    expect(world.sandbox.books()).toHaveLength(1);
  });

  it.each<[string, () => object, string]>([
    ['an account', () => ({ accounts: { main: { ...yaml.accounts['main'], agentCode: 'OTHER' } } }), 'accounts'],
    ['a limit', () => ({ accounts: { main: { ...yaml.accounts['main'], limits: { rowAmount: 1 } } } }), 'accounts'],
    [
      'who pays for a folder',
      () => ({ folders: yaml.folders.map((one) => ({ ...one, operation: 'ach-refund' })) }),
      'folders',
    ],
    ['the size of batches', () => ({ batch: { maxRows: 1 } }), 'batch'],
  ])('leaves %s to a restart, and every command says so until then', async (_what, change, section) => {
    const workers = await restart();
    const { accounts, batch, folders } = world.app.settings;
    await write({ ...yaml, ...change() });
    await expect.poll(async () => (await process()).waits, { timeout: 20_000 }).toEqual([section]);
    expect(world.app.settings).toMatchObject({ accounts, batch, folders });
    const stale = new RegExp(
      `The configuration was changed at [-0-9TZ:]+; running processes still use the one of [-0-9TZ:]+: ${section}.*\\s*Restart paydrop\\.`,
    );
    for (const out of await asked()) expect(out).toMatch(stale);
    expect(world.app.health.settingsNotice).toBe(`restart paydrop to use the changed ${section}`);
    expect((await world.paydrop('status', '--check')).status).toBe(3);

    await workers.stop();
    await restart();
    for (const out of await asked()) expect(out).not.toContain('still use');
  });

  it('changes nothing for a file with faults, and says why until it is fixed', async () => {
    await restart();
    const before = world.app.settings.folders;
    await write(JSON.stringify({ ...yaml, folders: only(card) }).replace('"account"', '"acount"'));
    await expect.poll(async () => (await process()).fault, { timeout: 20_000 }).toContain('acount');
    expect(world.app.settings.folders).toBe(before);
    expect(world.app.health.settingsNotice).toContain('has a fault');
    await write({ ...yaml, folders: only(card) });
    await watched().toEqual([card]);
    await expect.poll(async () => (await process()).fault, { timeout: 20_000 }).toBe(null);
    expect(world.app.health.settingsNotice).toBe(undefined);
  });

  /** Follows the file of a process without workers, which looks at it only when it is told to. */
  async function followByHand() {
    await write({ ...yaml, rescanMs: 600_000 });
    await world.app.close();
    world.app = await openApp(loadSettings(world.root, world.env), { log: silentLog(), env: world.env });
    const followed = await followSettings(world.app, EVERY_ROLE, true, async () => {});
    onTestFinished(() => followed.stop());
    return followed;
  }

  it('does not read a file that is still being written', async () => {
    const followed = await followByHand();
    await write(JSON.stringify(yaml).slice(0, 99));
    await followed.look();
    expect((await process()).fault).toBe(null);
    await write({ ...yaml, rescanMs: 600_000, folders: only(card) });
    await followed.look();
    expect(world.app.settings.folders).toHaveLength(3);
    await followed.look();
    expect(world.app.settings.folders).toHaveLength(1);
    expect((await process()).fault).toBe(null);
  });

  it('is compared with the file by a command before it has looked at it', async () => {
    await followByHand();
    const accounts = { main: { ...yaml.accounts['main'], resolveWaitMs: 5 } };
    await write({ ...yaml, rescanMs: 600_000, accounts, folders: only(card) });
    expect((await process()).waits).toEqual([]);
    const { out } = await world.paydrop('status');
    expect(out).toMatch(/still use the one of [^ ]*: accounts.*\n {2}Restart paydrop\./);
    expect(out).toMatch(/still use the one of [^ ]*: folders: a change of them is taken up within seconds/);
  });

  it('waits for a folder that is not there yet, and takes it up when it is made', async () => {
    await write({ ...yaml, folders: only(card) });
    await restart();
    const folders = [...only(card), { path: 'drop/new', account: 'main', operation: 'card' }];
    await write({ ...yaml, folders });
    await expect.poll(async () => (await process()).fault, { timeout: 20_000 }).toContain('drop/new');
    const { out } = await world.paydrop('status');
    expect(out).toMatch(/Running processes still use the one of .*drop\/new/);
    await mkdir(join(world.root, 'drop/new'));
    await watched().toEqual([card, 'drop/new']);
    const { out: doctor } = await world.paydrop('doctor');
    expect(doctor).toContain('the running process uses it as it is');
  });

  it('takes up alarms', async () => {
    await restart();
    await write({ ...yaml, alarms: [{ by: 'webhook', url: 'http://127.0.0.1:9', secret: 'SECRET' }] });
    await expect.poll(() => world.app.settings.alarms.length, { timeout: 20_000 }).toBe(1);
    expect(JSON.stringify(await process())).not.toContain('SECRET');
  });

  it('is no longer listed when it has stopped', async () => {
    const workers = await restart();
    expect(await listRunningProcesses(world.app.ledger)).toMatchObject([{ site: 'main', waits: [], fault: null }]);
    await workers.stop();
    expect(await listRunningProcesses(world.app.ledger)).toEqual([]);
  });

  it('explains a drop in a folder that running processes do not know', async () => {
    await write({ ...yaml, folders: only(card) });
    await restart();
    const third = { ...yaml.accounts['main'], agentCode: 'THIRD' };
    const folders = [...only(card), { ...only(charge)[0], account: 'third' }];
    await write({ ...yaml, accounts: { ...yaml.accounts, third }, folders });
    await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
    const { out } = await world.paydrop('show', 'june.csv');
    expect(out).toContain('It lies in folder drop/ach-charge.');
    expect(out).toContain('Restart paydrop.');
  });
});
