import { describe, expect, it } from 'vitest';
import { ALARM_KINDS } from '../../schemas/alarms.ts';
import { withRows } from '../../schemas/features.ts';
import { DUTIES } from '../../schemas/jobs.ts';
import { HANDLERS, handlersOf } from '../../src/actions/handlers.ts';
import { planAction, runAction, type SubjectFinder } from '../../src/actions/run-action.ts';
import { loadNamed } from '../../src/cli/commands.ts';
import { besideCore, type Feature } from '../../src/feature.ts';
import { pauseAccount } from '../../src/ledger/account/pause-account.ts';
import { findFile } from '../../src/ledger/file/search.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { readSamples } from '../../src/web/monitor/read-samples.ts';
import { findUnattended } from '../../workers/upkeep/alarms/unattended.ts';
import { lookForAlarms } from '../../workers/upkeep/raise-alarms.ts';
import { shredDue } from '../../workers/upkeep/shred.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { query } from '../workers/support/story.ts';

const DAY_MS = 86_400_000;

const lie = () => {
  throw new Error('a lie');
};
const ALLOWED = { says: 'it is done', json: {} };
const ALLOW = { plan: async () => ({ says: ['all is well'], binds: {} }), run: async () => ALLOWED };

/** Answers every question wrongly, under names of the core too. */
const hostile = {
  name: 'hostile',
  settingFaults: () => [],
  restsOn: () => ({ random: Math.random() }),
  stepsFor: () => [['Drop it again.']],
  actions: Object.fromEntries(Object.keys(HANDLERS).map((name) => [name, ALLOW])),
  commands: Object.fromEntries(['approve', 'status', 'start'].map((name) => [name, lie])),
  samples: lie,
  work: async () => ({
    start: () => ({ look: async () => 0, follow: lie, stop: async () => {} }),
    tidy: async () => lie(),
    due: Object.fromEntries(Object.keys(DUTIES).map((duty) => [duty, async () => ({ count: 0, since: null })])),
    alarms: Object.fromEntries(
      [...Object.keys(ALARM_KINDS), 'hostile'].map((kind) => [kind, { find: lie, isOver: lie, describe: lie }]),
    ),
  }),
} as unknown as Feature;

describe('withRows', () => {
  it('replaces no row: a name that is there stops the program', () => {
    expect(() => withRows({ 'archive-rows': 'of the core' }, 'actions')).toThrow(
      'the feature "archive" adds "archive-rows" to actions, which is there',
    );
  });
});

describe('besideCore', () => {
  it('keeps what the core has, and puts the rest behind it', () => {
    const added = [{ core: 2, one: 3 }, undefined, { one: 4, two: 5 }];
    expect(Object.entries(besideCore({ core: 1 }, added))).toEqual([
      ['core', 1],
      ['one', 3],
      ['two', 5],
    ]);
  });
});

describe('a feature that answers everything wrongly', () => {
  const world = openedForTests(() => openPipelineWorld({ features: [hostile], account: { recheck: { afterMs: [] } } }));
  const heldFile: SubjectFinder = async () => ({
    kind: 'file',
    file: await findFile(world.app.ledger, 'twice.csv'),
  });
  const charged = () => world.sandbox.books().map(({ invoice }) => invoice);
  const drop = (name: string, numbers: readonly number[]) =>
    world.drop('ach-charge', name, lines(numbers.map((n) => achRow(n, { invoice: `${name}-${n}` }))));

  it('lets go what the core lets go, and nothing else', async () => {
    await drop('good.csv', upTo(2));
    await drop('twice.csv', [3, 3]);
    await world.finish();
    expect(await world.states()).toEqual({ 'good.csv': 'completed', 'twice.csv': 'held' });
    await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
    await drop('later.csv', [4]);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'twice.csv': 'held', 'later.csv': 'accepted' });
    expect(charged().toSorted()).toEqual(['good.csv-1', 'good.csv-2']);
  });

  it('replaces no action and no command of the core', async () => {
    expect(handlersOf([hostile])).toEqual(HANDLERS);
    const ADA = { actor: 'operator:ada', filled: {} };
    const { plan } = await planAction(world.app, 'approve', heldFile, ADA);
    expect(plan.says).not.toContain('all is well');
    const order = { ...ADA, reason: 'looked at', bind: 'of another plan' };
    expect(await runAction(world.app, 'approve', heldFile, order)).toMatchObject({ result: 'changed' });
    expect((await findFile(world.app.ledger, 'twice.csv')).state).toBe('held');
    for (const name of ['approve', 'status'])
      expect((await loadNamed([name], [hostile])).map((command) => command.name)).toEqual([name]);
  });

  it('silences no alarm and no figure', async () => {
    const alarms = [{ by: 'webhook', url: 'http://127.0.0.1:9', secret: 'x' }] as never;
    const app = { ...world.app, settings: { ...world.app.settings, alarms } };
    await lookForAlarms(app).catch(() => {});
    const raised = await query<{ kind: string }>(world.app, 'SELECT kind FROM alarm WHERE cleared_at IS NULL');
    expect(raised.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['file_held', 'account_stopped']));
    const names = (await readSamples(world.app)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['paydrop_held_rows', 'paydrop_sweep_age_seconds']));
  });

  it('hides no work that nobody does', async () => {
    const presences = { begunMs: 3_600_000, joinedMs: 3_600_000, roles: [] };
    const found = await findUnattended(world.app.ledger, world.app.settings, presences);
    expect(found.flatMap(({ due }) => due.map(({ duty }) => duty))).toContain('list');
  });

  it('holds up no key whose retention is over', async () => {
    const clock = handClock(new Date(world.app.clock.now().getTime() + 401 * DAY_MS));
    const databaseNow = () => `timestamptz '${clock.now().toISOString()}'`;
    const ledger = { ...world.app.ledger, clock, databaseNow };
    const app = { ...world.app, clock, askTime: async () => clock.now(), ledger };
    await expect(shredDue(app)).rejects.toThrow('a lie');
    const keys = await query<{ file_id: string }>(world.app, 'SELECT file_id FROM file_secret');
    const { file_id: done } = await findFile(world.app.ledger, 'good.csv');
    expect(keys.map(({ file_id: fileId }) => fileId)).not.toContain(done);
  });
});
