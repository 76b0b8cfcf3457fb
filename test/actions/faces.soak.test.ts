import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../schemas/actions.ts';
import type { HandledAction } from '../../src/actions/action.ts';
import { FEATURES } from '../../src/features.ts';
import { HANDLERS, handlersOf } from '../../src/actions/handlers.ts';
import { confirmProfileWith } from '../../src/actions/profile/confirm-profile.ts';
import { PROFILE_TEXT, putDraft } from '../ledger/support/put-version.ts';
import { pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { proposeApproval } from '../../src/ledger/file/release-held.ts';
import { selectPicked } from '../../src/ledger/reprocess/select-items.ts';
import { alike } from './support/alike.ts';
import { openCliWorld } from '../cli/support/cli-world.ts';
import { runHere } from '../cli/support/run-here.ts';
import { forceSql } from '../support/force-sql.ts';
import { cardRow, lines, MAGIC_CARD } from '../support/payment-rows.ts';
import { fileNamed } from '../web/support/action-page.ts';
import { type DashboardWorld, openDashboardWorld, type TestProgram } from '../web/support/dashboard-world.ts';
import { type DoubtWorld, openDoubtWorld } from '../web/support/doubt-world.ts';
import { dayReport } from '../workers/support/resolve-context.ts';

/** Every action has the same plan, JSON and exit status on the command line and by the API, tried on equal subjects. */

const because = { actor: 'operator:ada', reason: 'wait' };
const ACTION_NAMES = Object.keys(handlersOf(FEATURES)) as HandledAction[];
const tried = new Set<HandledAction>();

type Order = {
  /** What tells this subject from the other. */
  readonly name: string;
  readonly words: readonly string[];
  /** Address below `/api/v1`, without the action. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
};

let world: DashboardWorld;
let program: TestProgram;

async function open(made: DashboardWorld): Promise<void> {
  world = made;
  program = await made.program('admin', ACTION_NAMES);
}

/** Plans and does the action on one subject by a command and on the other by the API. */
async function expectSame(
  action: HandledAction,
  cli: Order,
  api: Order,
  undo: () => Promise<unknown> = async () => {},
): Promise<void> {
  const isAsked = ACTIONS[action].reason === 'asked';
  const reason = isAsked ? ['--reason', 'looked at'] : [];
  const plan = await paydrop(cli, ...reason, '--plan');
  const planned = await program.ask(`${api.path}/${action}?plan=1`, { ...api.body });
  expect([action, plan.err, planned.status]).toEqual([action, '', 200]);
  expect(alike(plan.out, cli)).toEqual(alike(JSON.stringify(planned.json), api));
  const ran = await paydrop(cli, ...reason);
  await undo();
  const done = await program.ask(`${api.path}/${action}`, { ...api.body, ...(isAsked && { reason: 'looked at' }) });
  expect([action, ran.err, done.status]).toEqual([action, '', 200]);
  expect(alike(ran.out, cli)).toEqual(alike(JSON.stringify(done.json.result), api));
  expect([action, ran.status]).toEqual([action, done.json.status ?? 0]);
  tried.add(action);
}

function paydrop({ words }: Order, ...more: readonly string[]) {
  return runHere(['--dir', world.root, ...words, ...more, '--json']);
}

const file =
  (command: readonly string[], body = {}) =>
  async (name: string): Promise<Order> => {
    const { file_id: fileId } = await fileNamed(world, `${name}.csv`);
    return { name, words: [command[0]!, `${name}.csv`, ...command.slice(1)], path: `/files/${fileId}`, body };
  };

const batch =
  (command: readonly string[], body = {}) =>
  async (name: string): Promise<Order> => {
    const { words, path } = await file(command)(name);
    return { name, words: [words[0]!, `${words[1]!}/1`, ...words.slice(2)], path: `${path}/batches/1`, body };
  };

const named =
  (path: string, command: readonly string[]) =>
  async (name: string): Promise<Order> => ({
    name,
    words: [...command, name],
    path: `/${path}/${name}`,
  });

async function same(
  action: HandledAction,
  names: readonly [string, string],
  order: (name: string) => Promise<Order>,
): Promise<void> {
  await expectSame(action, await order(names[0]), await order(names[1]));
}

/** Forces the state of a first batch, which only a fault of the service would cause. */
async function force(name: string, state: string): Promise<void> {
  const { file_id: fileId } = await fileNamed(world, `${name}.csv`);
  await forceSql(
    world.app,
    `UPDATE batch SET state = '${state}', reason = 'no agent' WHERE file_id = '${fileId}' AND batch_no = 1`,
  );
}

/** Lets a first batch wait as if a payment in it had been charged meanwhile. */
async function holdAsPaid(name: string): Promise<void> {
  const { file_id: fileId } = await fileNamed(world, `${name}.csv`);
  await forceSql(world.app, `UPDATE batch SET paid_since = now() WHERE file_id = '${fileId}' AND batch_no = 1`);
}

/** Lets the first rows of two files pass for one payment that the service has twice. */
async function payTwice(first: string, second: string): Promise<void> {
  for (const name of [first, second]) await force(name, 'submitted');
  const [one, two] = [await fileNamed(world, `${first}.csv`), await fileNamed(world, `${second}.csv`)];
  const [earlier, later] = one.file_no < two.file_no ? [one, two] : [two, one];
  await forceSql(
    world.app,
    `INSERT INTO double_charge (later_no, later_line, earlier_no, earlier_line, account, is_same, source, found_at)
     VALUES (${later.file_no}, 1, ${earlier.file_no}, 1, '${one.account}', true, 'asked again', now());
     UPDATE batch SET state_at = '2026-01-01Z' WHERE file_id IN ('${one.file_id}', '${two.file_id}')`,
  );
}

/** Two subjects of each; a digit tells them apart. */
const pairOf = (name: string) => [`${name}1`, `${name}2`] as const;

describe('actions on files, batches, accounts, proposals and schedules', () => {
  beforeAll(async () => {
    const schedule = { does: 'take', at: '23:59', timeZone: 'UTC' };
    const settings = { batch: { maxRows: 2 }, newcomerDays: 0, schedules: { morning: schedule, evening: schedule } };
    await open(await openDashboardWorld({ features: FEATURES, folder: { sameTotals: 'off' }, settings }, openCliWorld));
    await pauseAccount(world.app.ledger, 'main', because);
    const held = ['let', 'end', 'yes', 'no'].flatMap(pairOf);
    const free = ['file', 'part', 'again', 'away', 'free', 'seen', 'foreign', 'late', 'former'].flatMap(pairOf);
    for (const [index, name] of [...held, ...free].entries()) {
      if (held.includes(name)) await world.drop('card', `${name}.csv.ctl`, 'rows=99\n');
      const rows = [1, 2].map((n) => cardRow(10 * index + n, { invoice: `${name}-${n}` }));
      await world.drop('card', `${name}.csv`, lines(rows));
    }
    await world.finish();
  });
  afterAll(() => world.close());

  it('are the same about held files and proposals', async () => {
    await same('approve', pairOf('let'), file(['approve']));
    await same('decline', pairOf('end'), file(['decline']));
    const proposal = (command: string) => async (name: string) => {
      const { file_id: fileId } = await fileNamed(world, `${name}.csv`);
      const no = await proposeApproval(world.app.ledger, fileId, { actor: 'operator:bob', reason: 'looked at' });
      return { name, words: [command, String(no)], path: `/proposals/${no}` };
    };
    await same('confirm', pairOf('yes'), proposal('confirm'));
    await same('refuse', pairOf('no'), proposal('refuse'));
  });

  it('are the same about what was not sent, refused batches and strange results', async () => {
    await same('cancel', pairOf('file'), file(['cancel']));
    await same('cancel-batch', pairOf('part'), batch(['cancel']));
    for (const [name, state] of [...pairOf('again'), ...pairOf('away')].map((each) => [each, 'refused'] as const))
      await force(name, state);
    await same('retry', pairOf('again'), batch(['retry']));
    await same('withdraw', pairOf('away'), batch(['withdraw']));
    for (const name of pairOf('free')) await holdAsPaid(name);
    await same('release', pairOf('free'), batch(['release']));
    for (const name of pairOf('seen')) await payTwice(name, 'foreign1');
    await same('acknowledge-batch', pairOf('seen'), batch(['acknowledge']));
    for (const name of pairOf('seen')) await force(name, 'cancelled');
    for (const name of pairOf('foreign')) await force(name, 'exception');
    await same('disown', pairOf('foreign'), batch(['resolve', '--disown']));
    for (const name of pairOf('foreign')) await force(name, 'cancelled');
  });

  it('are the same about late bytes and former accounts', async () => {
    for (const name of pairOf('late'))
      await forceSql(
        world.app,
        `INSERT INTO late_arrival (file_id, kind, bytes, sha256, says, found_at)
         SELECT file_id, 'bytes', 9, 'x', '9 bytes were written', now() FROM file WHERE name = '${name}.csv'`,
      );
    await same('acknowledge', pairOf('late'), file(['acknowledge']));
    await forceSql(
      world.app,
      `INSERT INTO account SELECT 'main.1', merchant_no, 'CA', currency, since FROM account WHERE account = 'main'`,
    );
    for (const name of pairOf('former'))
      for (const table of ['file', 'batch'])
        await forceSql(
          world.app,
          `UPDATE ${table} SET account = 'main.1' WHERE file_id = (SELECT file_id FROM file WHERE name = '${name}.csv')`,
        );
    await same('move', pairOf('former'), file(['move']));
  });

  it('are the same about an account at a new address', async () => {
    const ask = (mark: string) =>
      forceSql(
        world.app,
        `INSERT INTO address_question (account, mark, merchant_no, server, address, is_sandbox, country, currency, asked_at)
         SELECT account, '${mark}', merchant_no, 'NA', 'https://one.test/', false, country, currency, '2026-06-15Z' FROM account
         WHERE account = 'main'`,
      );
    const [cli, api] = [await named('accounts', ['account', 'address'])('main'), await named('accounts', [])('main')];
    await ask('once');
    const moved = { ...cli, words: [...cli.words, '--moved'] };
    await expectSame('answer-address', moved, { ...api, body: { service: 'moved' } }, () => ask('again'));
  });

  it('are the same about accounts and schedules', async () => {
    await resumeAccount(world.app.ledger, 'main', because);
    // Both do it to the one account: what the first did is undone before the second.
    for (const [action, undo] of [
      ['pause', resumeAccount],
      ['resume', pauseAccount],
    ] as const) {
      const [cli, api] = [await named('accounts', ['account', action])('main'), await named('accounts', [])('main')];
      await expectSame(action, cli, api, () => undo(world.app.ledger, 'main', because));
    }
    const old = { name: 'main', words: ['archive', 'move', 'main', '--before', '2001-01-01'], path: '/accounts/main' };
    await expectSame('archive-rows', old, { ...old, body: { before: '2001-01-01' } });
    await same('run-now', ['morning', 'evening'], named('schedules', ['schedule', 'run']));
    await forceSql(
      world.app,
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at)
       SELECT name, '2026-06-15', 'missed', '2026-06-15Z', '2026-06-15Z' FROM schedule WHERE name IN ('morning', 'evening')`,
    );
    await same('acknowledge-run', ['morning', 'evening'], async (name) => ({
      name,
      words: ['schedule', 'acknowledge', name, '2026-06-15'],
      path: `/schedules/${name}/runs/2026-06-15`,
    }));
  });

  it('are the same about finished files', async () => {
    const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00', invoice: `done-${n}` });
    for (const [index, name] of pairOf('done').entries())
      await world.drop('card', `${name}.csv`, lines([cardRow(500 + 10 * index), declined(501 + 10 * index)]));
    await world.finish();
    await same('repoll', pairOf('done'), batch(['repoll']));
    await same('check-outputs', pairOf('done'), file(['rebuild-outputs']));
    const names = await readdir(world.settings.paths.out);
    for (const name of names.filter((each) => /^done\d.*\.result\.csv$/.test(each)))
      await rm(join(world.settings.paths.out, name));
    await same('rebuild-outputs', pairOf('done'), file(['rebuild-outputs', '--restore']));
    const runs = new Map<string, string>();
    for (const name of pairOf('done')) {
      const rows = [{ fileId: (await fileNamed(world, `${name}.csv`)).file_id, line: 2 }];
      runs.set(name, String(await selectPicked(world.app.ledger, { rows, batches: [], lost: [] }, because)));
    }
    const selection = (command: string) => async (name: string) => {
      const no = runs.get(name)!;
      return { name, words: ['reprocess', command, no], path: `/selections/${no}` };
    };
    await same('reprocess', pairOf('done'), selection('run'));
    await same('stop-run', pairOf('done'), selection('stop'));
    await same('resubmit', pairOf('done'), file(['resubmit']));
  });
});

describe('actions on profiles', () => {
  const confirmed = HANDLERS['confirm-profile'];
  const reading = { fits: true, rows: 24, cents: 135_500, amounts: [], skipped: [] } as const;
  beforeAll(async () => {
    Object.assign(HANDLERS, { 'confirm-profile': confirmProfileWith(async () => reading) });
    const folder = { account: 'main', operation: 'card' };
    const folders = [...pairOf('dues'), ...pairOf('gifts')].map((profile) => ({
      ...folder,
      path: `drop/${profile}`,
      profile,
    }));
    await open(await openDashboardWorld({ settings: { folders } }, openCliWorld));
    for (const name of ['dues1.yaml', 'sample1']) await writeFile(join(world.root, name), PROFILE_TEXT);
  });
  afterAll(async () => {
    Object.assign(HANDLERS, { 'confirm-profile': confirmed });
    await world.close();
  });

  it('are the same from the import to the end', async () => {
    const path = (name: string) => `/profiles/${name}`;
    const text = { name: 'dues.yaml', text: PROFILE_TEXT };
    await same('import-profile', pairOf('dues'), async (name) => ({
      name,
      words: ['profile', 'import', join(world.root, 'dues1.yaml'), '--name', name],
      path: path(name),
      body: { text },
    }));
    const sample = { name: 'sample', base64: Buffer.from(PROFILE_TEXT).toString('base64') };
    const figures = { rows: '24', total: '1355.00' };
    for (const name of pairOf('gifts')) await putDraft(world.app.ledger, name);
    await same('confirm-profile', pairOf('gifts'), async (name) => ({
      name,
      words: [
        'profile',
        'confirm',
        name,
        '--sample',
        join(world.root, 'sample1'),
        '--rows',
        '24',
        '--total',
        '1355.00',
      ],
      path: path(name),
      body: { sample, ...figures },
    }));
    await same('retire-profile', pairOf('gifts'), named('profiles', ['profile', 'retire']));
  });
});

describe('actions on batches in doubt', () => {
  let doubt: DoubtWorld;
  const lost = { operation: 'ach-charge', isBooked: false } as const;
  beforeAll(async () => {
    const stories = {
      found1: {},
      found2: {},
      gone1: lost,
      gone2: lost,
      shut1: {},
      shut2: {},
      told1: lost,
      told2: lost,
    };
    doubt = await openDoubtWorld(stories, openCliWorld);
    await open(doubt);
  });
  afterAll(() => doubt.close());

  it('are the same for each way out', async () => {
    const found = (command: string) => async (name: string) => {
      const batchId = doubt.idOf(name);
      const body = command === '--adopt' ? { batchId } : { from: batchId, to: batchId };
      const value = command === '--adopt' ? batchId : `${batchId}..${batchId}`;
      return batch(['resolve', command, value], body)(name);
    };
    await same('probe', pairOf('found'), found('--probe'));
    await same('adopt', pairOf('found'), found('--adopt'));
    for (const name of pairOf('gone')) await doubt.age(name, 'attempt', 25);
    const evidence = 'Ann of the service desk, ticket 4711';
    await same(
      'not-received',
      pairOf('gone'),
      batch(['resolve', '--not-received', '--evidence', evidence], { evidence }),
    );
    await same('close-in-doubt', pairOf('shut'), batch(['resolve', '--close-in-doubt']));
    await same('journal', pairOf('told'), async (name) => {
      const text = dayReport([{ at: new Date(), invoice: 'ELSEWHERE' }], name.toUpperCase());
      const report = { name: `${name}-report.csv`, text };
      await writeFile(join(world.root, report.name), text);
      return batch(['resolve', '--report', join(world.root, report.name)], { report })(name);
    });
  });

  it('were all tried', () => {
    expect([...tried].toSorted()).toEqual(ACTION_NAMES.toSorted());
  });
});
