// A role that no living process has is reported by every face, with real processes that are killed.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EVERY_ROLE, type Role } from '../../schemas/jobs.ts';
import { SILENT_MS } from '../../src/ledger/process/read-presence.ts';
import { buildProgram, type Program } from '../support/build-program.ts';
import { type Daemon, findFreePort } from '../support/daemon.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScriptedService } from '../support/scripted-service.ts';
import { type CrashSite, openCrashSite } from './support/crash-site.ts';

const service = openedForTests(startScriptedService);
const receiver = openedForTests(startReceiver);

const SITE_ROLES: readonly Role[] = ['watch', 'intake', 'deliver', 'schedule'];

/** `says` is what no process does once this one is killed. */
type Plan = { roles: readonly Role[]; site?: string; says: string };

const LAYOUTS: Record<string, readonly Plan[]> = {
  'all in one': [{ roles: [...EVERY_ROLE], says: 'No process at site main takes drops' }],
  'three processes': [
    { roles: SITE_ROLES, says: 'No process at site main takes drops' },
    { roles: ['submit', 'poll'], says: 'No process sends batches' },
    { roles: ['web'], says: 'No process serves the dashboard' },
  ],
  'two sites': [
    { roles: ['watch', 'intake', 'deliver', 'schedule', 'submit'], says: 'No process sends batches' },
    { roles: [...SITE_ROLES, 'poll', 'web'], site: 'west', says: 'No process at site west takes drops' },
  ],
};

type Running = { daemon: Daemon; plan: Plan; monitor: string };

let program: Program;
let dashboard: string;
let site: CrashSite;
beforeAll(async () => {
  program = await buildProgram();
  dashboard = `127.0.0.1:${await findFreePort()}`;
});
afterAll(() => program?.remove());
beforeEach(async () => {
  receiver.received.length = 0;
  const folder = { account: 'main', operation: 'ach-charge', complete: { by: 'quiet', quietMs: 50, probes: 2 } };
  site = await openCrashSite({
    accounts: ['main'],
    serviceUrl: service.url,
    env: { PAYDROP_DASHBOARD: dashboard },
    settings: {
      folders: [
        { ...folder, path: 'drop/main/ach-charge' },
        { ...folder, path: 'drop/west', site: 'west', operation: 'card' },
      ],
      alarms: [{ by: 'webhook', url: receiver.url, secret: 'x'.repeat(40), kinds: ['silence'] }],
    },
  });
  await mkdir(join(site.root, 'drop/west'), { recursive: true });
});
afterEach(() => site?.close());

async function start(plan: Plan): Promise<Running> {
  const monitor = `127.0.0.1:${await findFreePort()}`;
  const words = ['start', '--roles', plan.roles.join(','), '--site', plan.site ?? 'main'];
  const daemon = site.start({ words, env: { PAYDROP_MONITOR: monitor } });
  await daemon.said(/paydrop is running/);
  return { daemon, plan, monitor };
}

/** Runs a command to its end. */
async function run(...words: string[]): Promise<{ status: number; text: string }> {
  const env = { ...process.env, DATABASE_URL: site.databaseUrl, PAYDROP_DASHBOARD: dashboard };
  return promisify(execFile)(process.execPath, [program.main, '--dir', site.root, ...words], { env }).then(
    ({ stdout }) => ({ status: 0, text: stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ status: code, text: stdout }),
  );
}

/** Returns the exit status of `status --check` and whether it says this. */
async function check(says: string): Promise<[number, boolean]> {
  const { status, text } = await run('status', '--check');
  return [status, text.includes(says)];
}

/** Returns the highest figure that a living process shows for a role. */
async function unattended(living: readonly Running[], role: Role): Promise<number> {
  const pages = await Promise.all(
    living.map(({ monitor }) => fetch(`http://${monitor}/metrics`).then((it) => it.text())),
  );
  const found = pages.join('\n').matchAll(/paydrop_role_unattended_seconds\{role="(\w+)"[^}]*\} (\S+)/g);
  return Math.max(-1, ...[...found].map(([, name, value]) => (name === role ? Number(value) : -1)));
}

/** Lets two minutes pass for a process that was killed; those that live sign again within seconds. */
async function ageSigns({ daemon }: Running): Promise<void> {
  await site.query(
    `UPDATE process SET started_at = started_at - $2 * interval '1 ms', seen_at = seen_at - $2 * interval '1 ms'
     WHERE process_id LIKE '%-' || $1 || '-%'`,
    [daemon.pid, SILENT_MS],
  );
}

/** Gives each role something to do: a batch that waits again, a result to ask for. */
async function putWork(roles: readonly Role[]): Promise<void> {
  const set = roles.includes('submit') ? `state = 'ready', batch_id = NULL` : `next_poll_at = clock_timestamp()`;
  await site.query(
    `BEGIN; SET LOCAL session_replication_role = replica; UPDATE batch SET ${set} WHERE state = 'submitted'; COMMIT`,
  );
}

/** What the process of each place does is missed alike, so one of each layout is killed. */
const KILLED: Record<string, number> = { 'all in one': 0, 'three processes': 1, 'two sites': 1 };

const cases = Object.entries(LAYOUTS).map(([layout, plans]) => {
  const at = KILLED[layout]!;
  return { layout, plans, plan: plans[at]!, at };
});

it.each(cases)('$layout: every face says so when the process of $plan.roles is killed', async ({ plans, plan, at }) => {
  const processes: Running[] = [];
  for (const one of plans) processes.push(await start(one));
  await site.dropCharges('main', 'june.csv', 2);
  await expect.poll(() => site.batches('main').then(([batch]) => batch?.state)).toBe('submitted');
  expect(await check(plan.says)).toEqual([0, false]);
  const killed = processes[at]!;
  const living = processes.toSpliced(at, 1);
  await killed.daemon.kill();
  await putWork(plan.roles);
  expect(await check(plan.says)).toEqual([0, false]);
  await ageSigns(killed);
  expect(await check(plan.says)).toEqual([5, true]);
  expect(await check(`paydrop start --roles ${plan.roles[0]}`)).toEqual([5, true]);
  const doctor = await run('doctor');
  expect(doctor.text).toContain(plan.says);
  expect(doctor.text).not.toContain('All is well');
  if (plan.roles.includes('submit')) expect((await run('why', 'june.csv')).text).toContain('No process sends batches');
  if (living.length > 0) await expect.poll(() => unattended(living, plan.roles[0]!)).toBeGreaterThanOrEqual(120);
  // Commands only read: however many run, none of them stands for the role.
  expect(await check(plan.says)).toEqual([5, true]);
  await start(plan);
  await expect.poll(() => check(plan.says)).toEqual([expect.any(Number), false]);
});

describe('by the clock', () => {
  it('an alarm goes out two minutes after the death, from a process that does other work', async () => {
    const taker = await start({ roles: [...SITE_ROLES], says: '' });
    const fetcher = await start({ roles: ['poll'], says: '' });
    await start({ roles: SITE_ROLES, site: 'west', says: '' });
    // No process sends: that is missed, too.
    await site.dropCharges('main', 'june.csv', 2);
    await expect.poll(() => site.batches('main').then(([batch]) => batch?.state)).toBe('ready');
    await taker.daemon.kill();
    const diedAt = performance.now();
    await writeFile(join(site.root, 'drop/main/ach-charge/july.csv'), 'a,b\n');
    await setTimeout(45_000);
    const subjects = () =>
      receiver.received.flatMap(({ body }) => {
        const { alarms } = JSON.parse(body.toString()) as { alarms: { kind: string; subject: string }[] };
        return alarms.map(({ kind, subject }) => `${kind} ${subject}`);
      });
    // Those of the role submit count from the start of the first process.
    expect(await check('No process at site main takes drops')).toEqual([expect.any(Number), false]);
    expect(subjects()).not.toContain('silence role:watch at main');
    await expect.poll(subjects).toEqual(expect.arrayContaining(['silence role:watch at main', 'silence role:submit']));
    // Its last sign of life may be five seconds older than its death.
    expect(performance.now() - diedAt).toBeGreaterThan(SILENT_MS - 10_000);
    expect(await check('No process at site main takes drops')).toEqual([5, true]);
    expect(await check('none with the role submit was ever started; 1 batch waits to be sent')).toEqual([5, true]);
    expect((await run('why', 'july.csv')).text).toContain('No process at site main takes drops');
    expect((await run('why', 'june.csv')).text).toContain('No process sends batches');
    expect(await unattended([fetcher], 'watch')).toBeGreaterThanOrEqual(120);
  });
});
