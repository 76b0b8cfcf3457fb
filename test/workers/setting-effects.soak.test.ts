import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../schemas/config.ts';
import { WEEKDAYS } from '../../schemas/config-parts.ts';
import { EVERY_ROLE, type Role } from '../../schemas/jobs.ts';
import { SETTING_EFFECTS, type SettingPath, WORK_STAGES, type WorkStage } from '../../schemas/setting-effects.ts';
import { openApp } from '../../src/app.ts';
import { loadSettings } from '../../src/config/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { startWorkers } from '../../workers/main.ts';
import { type CliWorld, openCliWorld } from '../cli/support/cli-world.ts';
import { putConfirmed } from '../ledger/support/put-version.ts';
import { forceSql } from '../support/force-sql.ts';
import { achRow, cardRow, codeRow, lines, upTo } from '../support/payment-rows.ts';

/** What schemas/setting-effects.ts says: a setting is changed while work has come to a stage, and paydrop begins again. */

let world: CliWorld;
let yaml: Config;
beforeEach(async () => {
  world = await openCliWorld({ folder: { sameTotals: 'off', unusualFactor: 0 } });
  yaml = JSON.parse(await readFile(join(world.root, 'paydrop.yaml'), 'utf8')) as Config;
});
afterEach(() => world.close());

/** Settings to put in the place of those before: of the account, of the folder of bank charges, and beside them. */
type Change = { readonly account?: object; readonly folder?: object; readonly settings?: object };

/** Changes the file and starts the app anew. Changes add up. */
async function change({ account, folder, settings }: Change): Promise<void> {
  yaml = { ...yaml, ...settings };
  const { main } = yaml.accounts;
  yaml = {
    ...yaml,
    accounts: { ...yaml.accounts, main: { ...main!, ...account } },
    folders: yaml.folders.map((one) => (one.path === 'drop/ach-charge' ? { ...one, ...folder } : one)),
  };
  await writeFile(join(world.root, 'paydrop.yaml'), JSON.stringify(yaml));
  await world.app.close();
  world.app = await openApp(loadSettings(world.root, world.env), { log: silentLog(), env: world.env });
}

const because = { actor: 'operator:ada', reason: 'looked at it' };
const june = (count = 3) => lines(upTo(count).map((n) => achRow(n)));
const drop = (content = june(), folder = 'ach-charge') => world.drop(folder, 'june.csv', content);
const sent = () => world.sandbox.books().length;
const state = async (name = 'june.csv') => (await world.states())[name];

/** Does the work of these roles until a query gives what is expected. */
async function work(roles: ReadonlySet<Role>, read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const workers = await startWorkers(world.app, roles);
  try {
    await expect.poll(read, { timeout: 60_000, interval: 20 }).toEqual(expected);
  } finally {
    await workers.stop();
  }
}

async function batches<Value>(column: string): Promise<Value[]> {
  const { rows } = await world.app.ledger.pool.query<{ value: Value }>(
    `SELECT ${column} AS value FROM batch ORDER BY batch_no`,
  );
  return rows.map(({ value }) => value);
}

/** Brings a file to a stage, by the settings as they are. */
const ARRANGE: Record<WorkStage, (content?: string, folder?: string) => Promise<void>> = {
  drops: drop,
  claimed: async (content, folder) => {
    await drop(content, folder);
    await work(new Set(['watch']), state, 'claimed');
  },
  held: async (content, folder) => {
    await world.drop(folder ?? 'ach-charge', 'june.csv.ctl', 'rows=99\n');
    await drop(content, folder);
    await work(EVERY_ROLE, state, 'held');
  },
  unsent: async (content, folder) => {
    await pauseAccount(world.app.ledger, 'main', because);
    await drop(content, folder);
    await work(EVERY_ROLE, state, 'accepted');
    await resumeAccount(world.app.ledger, 'main', because);
  },
  sent: async (content, folder) => {
    await drop(content, folder);
    await work(new Set(['watch', 'intake', 'submit']), () => batches('state'), ['submitted']);
  },
  doubtful: async (content, folder) => {
    world.sandbox.faults.plan({ kind: 'reset-after-request', operation: 'processACHEFTChargeBatch' });
    await drop(content, folder);
    await work(EVERY_ROLE, () => batches('state'), ['unknown']);
  },
  delivered: async (content, folder) => {
    await drop(content, folder);
    await world.finish();
  },
};

/** `follows`: whether work at this stage goes on by the new value, or by the one before. */
type Case = {
  readonly sets: readonly SettingPath[];
  readonly stage: WorkStage;
  readonly follows: 'new' | 'before';
  readonly run: () => Promise<void>;
};

/** A file that is judged by a setting: one that is claimed by the new value; one that was accepted keeps its verdict. */
function judged(
  sets: SettingPath,
  to: Change,
  verdict: string,
  { from = {}, row = achRow, folder = 'ach-charge' } = {},
): Case[] {
  const content = () => lines(upTo(3).map((n) => row(n)));
  return [
    {
      sets: [sets],
      stage: 'claimed',
      follows: 'new',
      run: async () => {
        await change(from);
        await ARRANGE.claimed(content(), folder);
        await change(to);
        await world.finish();
        expect(await state()).toBe(verdict);
      },
    },
    {
      sets: [sets],
      stage: 'unsent',
      follows: 'before',
      run: async () => {
        await change(from);
        await ARRANGE.unsent(content(), folder);
        await change(to);
        await world.finish();
        expect([await state(), sent()]).toEqual(['completed', 3]);
      },
    },
  ];
}

/** Form of the outputs: a claimed file keeps the one before. */
function formed(name: string, value: unknown, isNew: () => Promise<boolean>): Case[] {
  const sets = [`accounts.*.outputs.${name}` as SettingPath];
  const run = (stage: WorkStage, expected: boolean) => async () => {
    await ARRANGE[stage](lines([cardRow(1)]), 'card');
    await change({ account: { outputs: { ...yaml.accounts['main']!.outputs, [name]: value } } });
    await world.finish();
    expect(await isNew()).toBe(expected);
  };
  return [
    { sets, stage: 'claimed', follows: 'before', run: run('claimed', false) },
    { sets, stage: 'drops', follows: 'new', run: run('drops', true) },
  ];
}

const result = async () => Object.values(await world.outputs('result'))[0] ?? '';
const today = () => WEEKDAYS[(new Date().getUTCDay() + 6) % 7]!;

/** A window that is closed all day, by one of its settings. */
const CLOSED: Readonly<Record<string, () => object>> = {
  from: () => ({ from: '00:00', to: '00:01', days: [WEEKDAYS.find((day) => day !== today())!] }),
  to: () => ({ to: '00:01', days: [WEEKDAYS.find((day) => day !== today())!] }),
  days: () => ({ days: WEEKDAYS.filter((day) => day !== today()).slice(2, 3) }),
  holidays: () => ({ holidays: [-1, 0, 1].map((days) => dateAfter(days)) }),
};

function dateAfter(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

const windows = (name: 'from' | 'to' | 'days' | 'holidays'): Case => ({
  sets: [`accounts.*.window.${name}`],
  stage: 'unsent',
  follows: 'new',
  run: async () => {
    await ARRANGE.unsent();
    await change({ account: { window: CLOSED[name]!() } });
    await world.finish();
    expect([await state(), sent()]).toEqual(['accepted', 0]);
    await change({ account: { window: undefined } });
    await world.finish();
    expect([await state(), sent()]).toEqual(['completed', 3]);
  },
});

/** The time at which a batch is asked about was set before the change. */
const polled = (name: 'firstMs' | 'factor' | 'longestMs' | 'staleMs', value: number): Case => ({
  sets: [`accounts.*.poll.${name}`],
  stage: 'sent',
  follows: 'new',
  run: async () => {
    const { poll } = yaml.accounts['main']!;
    await change({ account: { poll: { ...poll, firstMs: 3_600_000, longestMs: 3_600_000 } } });
    await ARRANGE.sent();
    const before = await batches<Date>('next_poll_at');
    await change({ account: { poll: { ...poll, [name]: value } } });
    // What is due at once is done before the workers end.
    await work(EVERY_ROLE, () => batches('state'), ['submitted']);
    expect(await batches('next_poll_at')).toEqual(before);
    // The next one would be an hour later by the value before.
    if (name !== 'staleMs') world.sandbox.faults.plan({ kind: 'http-503', operation: 'getBatchProcessResultFile' });
    await forceSql(world.app, 'UPDATE batch SET next_poll_at = now()');
    await world.finish();
    expect(await state()).toBe('completed');
  },
});

const CHARGED = Array.from({ length: 3 }, () => 'processACHEFTChargeBatch');

const approved = async () => (await world.paydrop('approve', 'june.csv', '--reason', 'meant so')).status;
const NOT_RECEIVED = ['--not-received', '--evidence', 'Ann of the service, ticket 4711', '--reason', 'never came'];
const notReceived = () => world.paydrop('resolve', 'june.csv/1', ...NOT_RECEIVED);

const limits = (value: object): Change => ({ account: { limits: value } });
const ofFolder = (value: object): Change => ({ folder: { limits: value } });
const refund = { row: (n: number) => achRow(n, { amount: '-25.00' }), folder: 'ach-refund' };
const codes = { row: (n: number) => codeRow(n) };

const CASES: readonly Case[] = [
  ...judged('accounts.*.limits.rowAmount', limits({ rowAmount: 1 }), 'held'),
  ...judged('accounts.*.limits.fileRows', limits({ fileRows: 1 }), 'held'),
  ...judged('accounts.*.limits.fileTotal', limits({ fileTotal: 1 }), 'held'),
  ...judged('accounts.*.limits.dayTotal', limits({ dayTotal: 1 }), 'held'),
  ...judged('folders[].limits.rowAmount', ofFolder({ rowAmount: 1 }), 'held'),
  ...judged('folders[].limits.fileRows', ofFolder({ fileRows: 1 }), 'held'),
  ...judged('folders[].limits.fileTotal', ofFolder({ fileTotal: 1 }), 'held'),
  ...judged(
    'accounts.*.serviceLimits.lengths',
    { account: { serviceLimits: { lengths: { comment: 1 } } } },
    'rejected',
  ),
  ...judged('folders[].layout', { folder: { layout: 'ach' } }, 'rejected', codes),
  ...judged('folders[].maxBytes', { folder: { maxBytes: 1 } }, 'rejected'),
  ...formed('bom', 'always', async () => (await result()).startsWith('\ufeff')),
  ...formed('delimiter', 'semicolon', async () => /^[^\n]*;/.test(await result())),
  ...formed('decimal', 'comma', async () => (await result()).includes('25,00')),
  ...formed('columns', ['Outcome'], async () => !(await result()).includes('Batch Id')),
  ...formed('workbook', true, async () => Object.keys(await world.outputs('result-xlsx')).length === 1),
  ...(['from', 'to', 'days', 'holidays'] as const).map(windows),
  polled('firstMs', 10),
  polled('factor', 9),
  polled('longestMs', 20),
  polled('staleMs', 1),
  {
    sets: ['accounts.*.recheck.afterMs'],
    stage: 'delivered',
    follows: 'new',
    run: async () => {
      const next = async () => (await batches<Date | null>('next_recheck_at'))[0];
      await ARRANGE.delivered();
      const before = await next();
      expect(before).not.toBe(null);
      await change({ account: { recheck: { afterMs: [] } } });
      await world.finish();
      expect(await next()).toEqual(before);
      await forceSql(world.app, 'UPDATE batch SET next_recheck_at = now()');
      await work(EVERY_ROLE, next, null);
      await change({ account: { recheck: { afterMs: [10] } } });
      await world.finish();
      expect(await next()).toBe(null);
    },
  },
  {
    sets: ['accounts.*.resolveWaitMs'],
    stage: 'doubtful',
    follows: 'new',
    run: async () => {
      await ARRANGE.doubtful();
      expect((await notReceived()).status).toBe(4);
      await change({ account: { resolveWaitMs: 0 } });
      expect(await notReceived()).toMatchObject({ status: 0 });
    },
  },
  {
    sets: ['accounts.*.secondPerson.resolutions'],
    stage: 'doubtful',
    follows: 'new',
    run: async () => {
      await change({ account: { resolveWaitMs: 0 } });
      await ARRANGE.doubtful();
      await change({ account: { secondPerson: { resolutions: true } } });
      expect((await notReceived()).out).toContain('Proposed');
      expect(await batches('state')).toEqual(['unknown']);
    },
  },
  {
    sets: ['accounts.*.secondPerson.overrides'],
    stage: 'held',
    follows: 'new',
    run: async () => {
      await ARRANGE.held();
      await change({ account: { secondPerson: { overrides: true } } });
      expect([await approved(), await state()]).toEqual([3, 'held']);
    },
  },
  {
    sets: ['accounts.*.secondPerson.overrides'],
    stage: 'held',
    follows: 'new',
    run: async () => {
      await change({ account: { secondPerson: { overrides: true } } });
      await ARRANGE.held();
      await change({ account: { secondPerson: { overrides: false } } });
      expect([await approved(), await state()]).toEqual([0, 'accepted']);
    },
  },
  ...(['claimed', 'held'] as const).map(
    (stage): Case => ({
      sets: ['accounts.*.secondPerson.refunds'],
      stage,
      follows: 'new',
      run: async () => {
        await ARRANGE[stage](lines([refund.row(1)]), refund.folder);
        await change({ account: { secondPerson: { refunds: true } } });
        await world.finish();
        expect([await state(), await approved(), await state()]).toEqual(['held', 3, 'held']);
      },
    }),
  ),
  {
    sets: ['accounts.*.retention.days'],
    stage: 'delivered',
    follows: 'new',
    run: async () => {
      // A folder may not look back further than originals are kept.
      yaml = { ...yaml, folders: yaml.folders.map((one) => ({ ...one, duplicateDays: 1 })) };
      await ARRANGE.delivered();
      const age = "SET state_at = now() - interval '3 days', known_at = now() - interval '3 days'";
      await forceSql(world.app, `UPDATE file ${age}`);
      await forceSql(world.app, 'UPDATE batch SET next_recheck_at = NULL');
      const shredded = async () =>
        (await world.app.ledger.pool.query('SELECT shredded_at IS NOT NULL AS yes FROM file')).rows;
      for (const [days, yes] of [
        [4, false],
        [0, false],
        [2, true],
      ] as const) {
        await change({ account: { retention: { days } } });
        await work(EVERY_ROLE, async () => world.app.health.sweptAt !== undefined, true);
        if (yes) await work(EVERY_ROLE, shredded, [{ yes }]);
        else expect(await shredded()).toEqual([{ yes }]);
      }
    },
  },
  ...[
    ['folders[].complete.by', { by: 'marker', suffix: '.done' }],
    ['folders[].complete.suffix', { by: 'marker', suffix: '.ok' }],
    ['folders[].complete.quietMs', { by: 'quiet', quietMs: 3_600_000, probes: 2 }],
    ['folders[].complete.probes', { by: 'quiet', quietMs: 3_600_000, probes: 9 }],
    ['folders[].complete.movedInMs', { by: 'quiet', quietMs: 3_600_000, probes: 2, movedInMs: 3_600_000 }],
  ].flatMap(([sets, complete]): Case[] => [
    {
      sets: [sets as SettingPath],
      stage: 'drops',
      follows: 'new',
      run: async () => {
        await drop();
        await change({ folder: { complete } });
        await work(EVERY_ROLE, async () => world.app.health.sweptAt !== undefined, true);
        expect(await world.states()).toEqual({});
      },
    },
    {
      sets: [sets as SettingPath],
      stage: 'claimed',
      follows: 'before',
      run: async () => {
        await ARRANGE.claimed();
        await change({ folder: { complete } });
        await work(EVERY_ROLE, state, 'completed');
      },
    },
  ]),
  {
    sets: ['folders[].work'],
    stage: 'claimed',
    follows: 'new',
    run: async () => {
      await ARRANGE.claimed();
      const former = world.app.settings.folders[0]!.work;
      yaml = { ...yaml, folders: yaml.folders.map((one) => ({ ...one, work: 'elsewhere' })) };
      await change({});
      await world.finish();
      expect(await state()).toBe('completed');
      // Its claim was taken along, so no plain copy stays there.
      expect(await readdir(former)).toEqual([]);
    },
  },
  ...(['claimed', 'unsent'] as const).flatMap((stage): Case[] => [
    {
      sets: ['folders[].operation'],
      stage,
      follows: 'before',
      run: async () => {
        await ARRANGE[stage]();
        await change({ folder: { operation: 'ach-refund' } });
        await world.finish();
        expect(world.sandbox.books().map(({ operation }) => operation)).toEqual(CHARGED);
      },
    },
    {
      sets: ['folders[].account'],
      stage,
      follows: 'before',
      run: async () => {
        await ARRANGE[stage]();
        const other = { ...yaml.accounts['main']!, agentCode: 'OTHER' };
        await change({ folder: { account: 'other' }, settings: { accounts: { ...yaml.accounts, other } } });
        await world.finish();
        expect(world.sandbox.books().map(({ account }) => account)).toEqual(['TEST88', 'TEST88', 'TEST88']);
      },
    },
  ]),
  ...(['claimed', 'drops'] as const).map(
    (stage): Case => ({
      sets: ['folders[].profile'],
      stage,
      follows: stage === 'drops' ? 'new' : 'before',
      run: async () => {
        await putConfirmed(world.app.ledger, 'dues', undefined, 0);
        await ARRANGE[stage](
          `Number,Customer,Memo,Due\n${codeRow(1).replace(',25.00,', ',June dues,25.00\n').split('\n')[0]}\n`,
        );
        await change({ folder: { profile: 'dues', header: undefined, charset: undefined, operation: 'ach-charge' } });
        await world.finish();
        const { rows } = await world.app.ledger.pool.query('SELECT profile_version IS NULL AS without FROM file');
        expect(rows).toEqual([{ without: stage === 'claimed' }]);
      },
    }),
  ),
  ...(['claimed', 'drops'] as const).map(
    (stage): Case => ({
      sets: ['batch.maxRows'],
      stage,
      follows: stage === 'drops' ? 'new' : 'before',
      run: async () => {
        await ARRANGE[stage]();
        await change({ settings: { batch: { maxRows: 1 } } });
        await world.finish();
        expect((await batches('batch_no')).length).toBe(stage === 'drops' ? 3 : 1);
      },
    }),
  ),
  ...(['intake', 'submit', 'poll', 'deliver'] as const).map(
    (name): Case => ({
      sets: [`concurrency.${name}`],
      stage: 'unsent',
      follows: 'before',
      run: async () => {
        await change({ settings: { batch: { maxRows: 1 } } });
        await ARRANGE.unsent(june(6));
        await change({ settings: { concurrency: { ...yaml.concurrency, [name]: 9 } } });
        await world.finish();
        expect(sent()).toBe(6);
        const { rows } = await world.app.ledger.pool.query(
          `SELECT one.batch_no FROM attempt one JOIN attempt other
           ON other.started_at > one.started_at AND other.started_at < one.ended_at`,
        );
        expect(rows).toEqual([]);
      },
    }),
  ),
];

/** Settings that decide about money, or about what becomes of work under way. Those of the merchant: test/workers/merchants. */
const MUST_HAVE_CASES =
  /^(accounts\.\*\.(limits|window|secondPerson|outputs|retention|poll|recheck|resolveWaitMs|serviceLimits)|folders\[\]\.(complete|work|operation|account|layout|profile|limits)|batch|concurrency)\b/;

/** These say nothing of work: drafts and single calls. */
const WITHOUT_WORK: readonly SettingPath[] = [
  'accounts.*.secondPerson.profiles',
  'accounts.*.serviceLimits.amountDigits',
];

describe('the table of setting effects', () => {
  it('has a case for each setting that decides about money', () => {
    const tried = new Set<string>([...CASES.flatMap(({ sets }) => sets), ...WITHOUT_WORK]);
    const paths = Object.keys(SETTING_EFFECTS).filter((path) => MUST_HAVE_CASES.test(path));
    expect(paths.filter((path) => !tried.has(path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(30);
  });

  it('says of a stage that it follows the new value where the cases show it, and nothing where they show that it does not', () => {
    const wrong = CASES.flatMap(({ sets, stage, follows }) =>
      sets
        .filter((path) => (SETTING_EFFECTS[path][stage] !== undefined) !== (follows === 'new'))
        .map((path) => `${path} ${stage}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('a setting that is changed', () => {
  const named = CASES.map((one) => ({
    ...one,
    name: one.sets.join(', '),
    work: WORK_STAGES[one.stage].title.toLowerCase(),
  }));
  it.each(named)('$name: $work work follows the value $follows', async ({ run }) => run());
});
