import { fastify, type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ActionName, ACTIONS, mayDo, PERSON_ROLES, type PersonRole } from '../../../schemas/actions.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import type { ApiActions } from '../../../src/web/api/actions-api.ts';
import type { HandledAction } from '../../../src/actions/action.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld, type TestPerson } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import rateLimit from '@fastify/rate-limit';
import { guardRoutes } from '../../../src/web/access/guard.ts';
import { answerErrors } from '../../../src/web/answer-errors.tsx';
import { openApi } from '../../../src/web/api/open-api.tsx';
import type { WebContext } from '../../../src/web/web-context.ts';

const world = openedForTests(() =>
  openDashboardWorld({ settings: { schedules: { nightly: { does: 'take', at: '23:59' } } } }),
);
let api: FastifyInstance;
let fileId: string;
beforeAll(async () => {
  await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
  await world.finish();
  const { ledger } = world.app;
  const { rows } = await ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file');
  fileId = rows[0]!.file_id;
  api = await openTestApi(world, actions);
});
afterAll(() => api.close());
beforeEach(() => {
  done.length = 0;
});

/** Actions that were requested; none is carried out. */
const done: { name: string; params: unknown; order: Order }[] = [];

type Order = Parameters<ApiActions['run']>[3];

const HANDLED = (Object.keys(ACTIONS) as ActionName[]).filter(
  (name): name is HandledAction => ACTIONS[name].to !== 'dashboard',
);

const QUESTIONS: ReturnType<ApiActions['handlers']> = {
  adopt: { picks: [{ name: 'batchId', label: 'Batch id', kind: 'text', isRequired: true }] },
  'not-received': {
    asks: [
      { name: 'how', label: 'How', kind: 'choice', choices: [{ value: 'phone', label: 'By phone' }] },
      { name: 'evidence', label: 'Evidence', hint: 'What they said', kind: 'long' },
    ],
  },
  journal: { picks: [{ name: 'report', label: 'The report', kind: 'file', isRequired: true }] },
  'confirm-profile': { picks: [{ name: 'sample', label: 'A sample', kind: 'file', isBinary: true }] },
};

/** Every action; each only records its request. */
const actions: ApiActions = {
  handlers: () => ({ ...Object.fromEntries(HANDLED.map((name) => [name, {}])), ...QUESTIONS }),
  plan: async (_, name, params, { actor, filled }) => ({
    plan: {
      says: [`${name} for ${actor}`],
      facts: [
        ['Batch id', filled['batchId'] ?? ''],
        ['Total', { cents: 2_500, currency: 'USD' }],
        ['What there is none of', ''],
        ['Since', { at: new Date('2026-06-15T10:00:00Z') }],
      ],
      listing: { label: 'Rows', titles: ['Line'], rows: [['1']], more: JSON.stringify(params) },
      isProposal: name === 'adopt',
    },
    bind: 'mark',
  }),
  run: async (_, name, params, order) => {
    if (order.reason === 'refuse this') throw new PipelineError('MOVE_REFUSED', name, 'it has changed');
    if (order.bind !== undefined && order.bind !== 'mark') return { result: 'changed' };
    done.push({ name, params, order });
    return { result: 'done', done: { says: 'Done.', details: ['It took no time.'], json: { state: 'new' } } };
  },
};

function pathOf(name: HandledAction): string {
  const places = {
    file: `/files/${fileId}`,
    batch: `/files/${fileId}/batches/1`,
    account: '/accounts/main',
    proposal: '/proposals/7',
    schedule: '/schedules/nightly',
    run: '/schedules/nightly/runs/2026-06-15',
    selection: '/selections/7',
    profile: '/profiles/dues',
  };
  return `/api/v1${places[ACTIONS[name].to]}/${name}`;
}

const BODY = { reason: 'it is right', batchId: '77', report: { name: 'r.csv', text: 'a,b' }, how: 'phone' };

async function post(url: string, headers: Record<string, string>, payload: object | undefined = BODY) {
  const { statusCode, json } = await api.inject({
    method: 'POST',
    url,
    headers: { host: new URL(world.url).host, ...headers },
    payload,
  });
  return { status: statusCode, json: json() };
}

async function program(person: TestPerson, actions: readonly ActionName[]) {
  return { authorization: `Bearer ${(await world.program(person, actions)).token}` };
}

describe('actionsApi, by role and token', () => {
  const may = (name: ActionName) => (Object.keys(PERSON_ROLES) as PersonRole[]).find((role) => mayDo(role, name))!;

  it('does each action with a token that is good for it, and with none that is good for everything else', async () => {
    for (const name of HANDLED) {
      expect([name, (await post(pathOf(name), await program(may(name), [name]))).status]).toEqual([name, 200]);
      const others = (Object.keys(ACTIONS) as ActionName[]).filter((other) => other !== name);
      expect([name, (await post(pathOf(name), await program(may(name), others))).status]).toEqual([name, 403]);
    }
    expect(done.map(({ name }) => name)).toEqual(HANDLED);
  });

  it('does for a user what the role allows, and no more', async () => {
    const browser = await world.as('operator');
    const headers = { cookie: browser.cookie, 'x-csrf-token': await browser.csrf() };
    for (const name of ['retry', 'approve'] as const)
      expect([name, (await post(pathOf(name), headers)).status]).toEqual([name, mayDo('operator', name) ? 200 : 403]);
  });

  it('does nothing for nobody, nor for a log-in that a strange page rides', async () => {
    const { cookie } = await world.as('operator');
    expect((await post(pathOf('repoll'), {})).status).toBe(401);
    expect((await post(pathOf('repoll'), { cookie })).status).toBe(403);
    expect((await post(pathOf('repoll'), { cookie, 'x-csrf-token': 'x' })).status).toBe(403);
    expect(done).toEqual([]);
  });
});

describe('actionsApi', () => {
  const operator = () => program('operator', HANDLED);

  it.each<[HandledAction, TestPerson, object]>([
    ['cancel', 'operator', { fileId: '' }],
    ['retry', 'operator', { fileId: '', batchNo: '1' }],
    ['pause', 'operator', { name: 'main' }],
    ['confirm', 'approver', { no: '7' }],
    ['run-now', 'operator', { name: 'nightly' }],
    ['acknowledge-run', 'operator', { name: 'nightly', day: '2026-06-15' }],
  ])('hands on for %s who does it, to what and why', async (name, person, params) => {
    const { status, json } = await post(pathOf(name), await program(person, [name]));
    expect([status, json]).toEqual([200, { says: 'Done.', details: ['It took no time.'], result: { state: 'new' } }]);
    const named = { ...params, ...('fileId' in params && { fileId }) };
    const reason = ACTIONS[name].reason === 'asked' ? { reason: 'it is right' } : {};
    expect(done).toEqual([{ name, params: named, order: { actor: `operator:${person}`, filled: {}, ...reason } }]);
  });

  it('takes a file that is no text as base64', async () => {
    const bytes = Buffer.from([0xfc, 0x00, 0x41]);
    const sample = { name: 'june.csv', base64: bytes.toString('base64') };
    const body = { sample, reason: 'it is right' };
    const approver = await program('approver', ['confirm-profile']);
    expect((await post(pathOf('confirm-profile'), approver, body)).status).toBe(200);
    expect(done.at(-1)!.order).toMatchObject({ file: { name: 'june.csv', bytes } });
  });

  it('only says what would happen when it is asked to plan', async () => {
    const { status, json } = await post(`${pathOf('adopt')}?plan=1`, await operator(), { batchId: ' 77 ' });
    expect([status, json]).toEqual([
      200,
      {
        says: ['adopt for operator:operator'],
        facts: [
          { name: 'Batch id', value: '77' },
          { name: 'Total', value: { cents: 2_500, currency: 'USD' } },
          { name: 'Since', value: { at: '2026-06-15T10:00:00.000Z' } },
        ],
        listing: { label: 'Rows', titles: ['Line'], rows: [['1']] },
        isProposal: true,
        bind: 'mark',
      },
    ]);
    expect(done).toEqual([]);
  });

  it('does just what was planned, or nothing', async () => {
    const { status, json } = await post(pathOf('cancel'), await operator(), { reason: 'x', bind: 'another' });
    expect([status, json]).toMatchObject([409, { error: { code: 'PLAN_CHANGED' } }]);
    expect(done).toEqual([]);
    expect((await post(pathOf('cancel'), await operator(), { reason: 'x', bind: 'mark' })).status).toBe(200);
    expect(done).toMatchObject([{ order: { bind: 'mark' } }]);
  });

  it('hands on what is asked and nothing else, a file as its bytes', async () => {
    const text = `a,b\n${'x'.repeat(1024 * 1024)}`;
    await post(pathOf('not-received'), await operator(), {
      reason: 'y',
      how: 'phone',
      evidence: ' a note ',
      more: 'no',
    });
    await post(pathOf('journal'), await operator(), { reason: 'y', report: { name: 'r.csv', text } });
    expect(done.map(({ order: { filled } }) => filled)).toEqual([{ how: 'phone', evidence: 'a note' }, {}]);
    const { name, bytes } = done[1]!.order.file!;
    // `toEqual` compares element by element, which takes seconds for a megabyte.
    expect([name, Buffer.from(text).equals(bytes)]).toEqual(['r.csv', true]);
  });

  it('does with nothing sent at all what asks for nothing', async () => {
    const headers = { host: 'localhost', ...(await operator()) };
    expect((await api.inject({ method: 'POST', url: pathOf('repoll'), headers })).statusCode).toBe(200);
    expect(done).toMatchObject([{ name: 'repoll', order: { filled: {} } }]);
  });

  it.each<[string, HandledAction, object, string]>([
    ['an answer that is no choice', 'not-received', { reason: 'x', how: 'guess' }, 'body how'],
    ['an answer that is no text', 'adopt', { reason: 'x', batchId: { a: 1 } }, 'body batchId'],
    ['a file that is only a name', 'journal', { reason: 'x', report: 'r.csv' }, 'body report'],
    ['a reason without end', 'cancel', { reason: 'x'.repeat(2_001) }, 'body reason'],
  ])('refuses %s, and does not say it back', async (_, name, body, says) => {
    const { status, json } = await post(pathOf(name), await operator(), body);
    expect([status, json.error.says]).toEqual([400, expect.stringContaining(says)]);
    expect(json.error.says).not.toMatch(/guess|r\.csv|xxx/);
    expect(done).toEqual([]);
  });

  it('refuses more than a file may have', async () => {
    const report = { name: 'r.csv', text: 'x'.repeat(8 * 1024 * 1024) };
    expect((await post(pathOf('journal'), await operator(), { reason: 'x', report })).status).toBe(413);
    expect((await post(pathOf('cancel'), await operator(), { reason: 'x', report })).status).toBe(413);
  });

  it('tells what the ledger refuses, in the shape of every error', async () => {
    const { status, json } = await post(pathOf('cancel'), await operator(), { reason: 'refuse this' });
    expect(status).toBe(409);
    expect(json).toEqual({ error: { code: 'MOVE_REFUSED', says: expect.stringContaining('it has changed') } });
  });

  it('has no address for what has no handler', async () => {
    const bare = await openTestApi(world, { ...actions, handlers: () => ({}) });
    const headers = { host: 'localhost', ...(await program('operator', ['look', 'cancel'])) };
    const { statusCode } = await bare.inject({ method: 'POST', url: pathOf('cancel'), headers, payload: BODY });
    expect(statusCode).toBe(404);
    await bare.close();
  });

  it('stands in the document, each action with what it asks', async () => {
    const { json } = await api.inject({
      url: '/api/v1/openapi.json',
      headers: { host: 'localhost', ...(await program('viewer', ['look'])) },
    });
    const { paths } = json();
    const asked =
      paths['/api/v1/files/{fileId}/batches/{batchNo}/not-received'].post.requestBody.content['application/json'];
    expect(Object.keys(asked.schema.properties)).toEqual(['reason', 'bind', 'how', 'evidence']);
    // A selection is made by a POST of its own.
    const posts = Object.keys(paths).filter((path) => paths[path].post && !path.endsWith('/selections'));
    expect(posts.map((path) => path.split('/').at(-1)).toSorted()).toEqual([...HANDLED].toSorted());
  });
});

/** Opens a dashboard's API with the test's actions, behind the same guard, without a network. */
async function openTestApi({ app, settings }: DashboardWorld, actions: ApiActions): Promise<FastifyInstance> {
  const dashboard: WebContext = { app, settings: settings.dashboard!, drops: { refresh: async () => {} } };
  const server = fastify();
  await server.register(cookie);
  await server.register(formbody);
  await server.register(rateLimit, { global: false });
  guardRoutes(server, dashboard);
  answerErrors(server, dashboard);
  await server.register(async (scope) => openApi(actions)(scope, dashboard));
  await server.ready();
  return server;
}
