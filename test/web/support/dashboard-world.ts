import { openedForTests } from '../../support/opened-for-tests.ts';
import { scryptSync } from 'node:crypto';
import type { ActionName, PersonRole } from '../../../schemas/actions.ts';
import type { DashboardSettings } from '../../../src/config/config-dashboard.ts';
import { addApiToken } from '../../../src/ledger/person/api-tokens.ts';
import { invitePerson, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { hashSecretToken, newSecretToken } from '../../../src/crypto/secret-token.ts';
import { type DashboardRoute, openDashboard } from '../../../src/web/open-dashboard.tsx';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../support/pipeline-world.ts';

/** A pipeline with its dashboard open on a free port, and a user of each role. */
export type DashboardWorld = PipelineWorld & {
  readonly url: string;
  readonly routes: readonly DashboardRoute[];
  /** Returns a browser logged in as this person. */
  as(person: TestPerson): Promise<TestBrowser>;
  /** Returns a browser that is not logged in. */
  stranger(): TestBrowser;
  /** Returns a program with a token of this person, good for these actions. */
  program(person: TestPerson, actions: readonly ActionName[]): Promise<TestProgram>;
};

/** Calls the API as a program does. */
export type TestProgram = {
  readonly token: string;
  readonly tokenNo: number;
  /** Returns the API's answer to a path below `/api/v1`. A body makes it a POST. */
  ask(path: string, body?: unknown): Promise<ApiAnswer>;
};

/** Any JSON; tests look into it without declaring a type. */
export type Json = ReturnType<typeof JSON.parse>;

export type ApiAnswer = { readonly status: number; readonly headers: Headers; readonly json: Json };

/** Named after their roles; `other` is a second operator, `second` a second approver. */
export const TEST_PEOPLE = {
  viewer: 'viewer',
  operator: 'operator',
  other: 'operator',
  approver: 'approver',
  second: 'approver',
  admin: 'admin',
} as const satisfies Record<string, PersonRole>;
export type TestPerson = keyof typeof TEST_PEOPLE;

/** All of them use it. */
export const PASSWORD = 'four words nobody guesses';

/** Hashed as by `hashPassword`, at the least cost: a log-in takes the costs from the hash, and tests log in often. */
const PASSWORD_HASH = hashCheaply(PASSWORD);

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where a redirect leads; otherwise undefined. */
  readonly location: string | undefined;
};

/** Opens a dashboard before the tests of this file or group, and closes it after them. */
export function dashboardForTests(options: Parameters<typeof openDashboardWorld>[0] = {}): DashboardWorld {
  return openedForTests(() => openDashboardWorld(options));
}

/** Uses the dashboard as a browser does: keeps its cookie, and sends the token of its page with each form. */
export type TestBrowser = {
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a form. @param token by default, that of the person's pages */
  post(path: string, form?: Record<string, string>, token?: string): Promise<Answer>;
  /** Sends any request. */
  send(path: string, init: RequestInit): Promise<Answer>;
  /** Returns the token that this person's forms carry. */
  csrf(): Promise<string>;
};

/**
 * @param options.dashboard other settings of the dashboard; it listens on this host alone
 * @param options.people `nobody`: as at the first start
 * @param open opens the pipeline below, such as one with a command line
 */
export async function openDashboardWorld(
  options: WorldOptions & { dashboard?: Partial<DashboardSettings>; people?: 'nobody' } = {},
  open: (options: WorldOptions) => Promise<PipelineWorld> = openPipelineWorld,
): Promise<DashboardWorld> {
  const world = await open(options);
  if (options.people !== 'nobody') await addPeople(world);
  const settings: DashboardSettings = {
    ...world.settings.dashboard!,
    listen: { host: '127.0.0.1', port: 0 },
    ...options.dashboard,
  };
  const dashboard = await openDashboard(world.app, settings);
  const stranger = () => openBrowser(dashboard.url);
  return Object.assign(world, {
    url: dashboard.url,
    routes: dashboard.routes,
    stranger,
    program: (person: TestPerson, actions: readonly ActionName[]) => makeProgram(world, dashboard.url, person, actions),
    as: async (person: TestPerson) => {
      const browser = stranger();
      const { status, text } = await browser.post('/login', { name: person, password: PASSWORD }, '');
      if (status !== 303) throw new Error(`${person} cannot log in: ${status} ${text}`);
      return browser;
    },
    close: closeBoth(world, dashboard),
  });
}

function closeBoth(world: PipelineWorld, dashboard: { close(): Promise<void> }): () => Promise<void> {
  const closeWorld = world.close;
  return async () => {
    await dashboard.close();
    await closeWorld();
  };
}

async function addPeople({ app }: PipelineWorld): Promise<void> {
  for (const [name, role] of Object.entries(TEST_PEOPLE)) {
    const tokenHash = hashSecretToken(newSecretToken());
    const link = { tokenHash, expiresAt: new Date(app.clock.now().getTime() + 60_000) };
    await invitePerson(app.ledger, { name, role }, link, { actor: 'operator:test', reason: 'for the test' });
    await usePersonLink(app.ledger, tokenHash, { name, password: PASSWORD_HASH });
  }
}

function hashCheaply(password: string): string {
  const [salt, costs] = [Buffer.alloc(16), { N: 16, r: 1, p: 1 }];
  const key = scryptSync(password, salt, 32, costs);
  return ['scrypt', ...Object.values(costs), salt.toString('base64url'), key.toString('base64url')].join('$');
}

async function makeProgram(
  { app }: PipelineWorld,
  url: string,
  person: TestPerson,
  actions: readonly ActionName[],
): Promise<TestProgram> {
  const token = newSecretToken();
  const expiresAt = new Date(app.clock.now().getTime() + 3_600_000);
  const made = { person, name: 'test', actions, tokenHash: hashSecretToken(token), expiresAt };
  const because = { actor: `operator:${person}`, reason: 'for the test' };
  const tokenNo = await addApiToken(app.ledger, made, because);
  return { token, tokenNo, ask: (path, body) => askApi(url, token, path, body) };
}

/** Calls the API with any token. */
export async function askApi(url: string, token: string, path: string, body?: unknown): Promise<ApiAnswer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, json: await answer.json() };
}

/** Opens a browser that is not logged in. */
export function openBrowser(url: string): TestBrowser {
  /** The token that belongs to this session cookie. */
  let known = { cookie: '', token: '' };
  const browser: TestBrowser = {
    cookie: '',
    get: (path, headers = {}) => browser.send(path, { headers }),
    post: async (path, form = {}, token) => {
      const body = new URLSearchParams({ ...form, _csrf: token ?? (await browser.csrf()) });
      return browser.send(path, { method: 'POST', body });
    },
    send: async (path, init) => {
      const headers = { accept: 'text/html', ...(browser.cookie && { cookie: browser.cookie }), ...headersOf(init) };
      const answer = await fetch(url + path, { redirect: 'manual', ...init, headers });
      const [cookie] = answer.headers.getSetCookie();
      if (cookie !== undefined)
        browser.cookie = /Max-Age=0|Expires=Thu, 01 Jan 1970/.test(cookie) ? '' : cookie.split(';')[0]!;
      const location = answer.headers.get('location') ?? undefined;
      return { status: answer.status, headers: answer.headers, text: await answer.text(), location };
    },
    csrf: async () => {
      if (known.token !== '' && known.cookie === browser.cookie) return known.token;
      const { text } = await browser.get('/me');
      known = { cookie: browser.cookie, token: /<meta name="csrf" content="([^"]+)"/.exec(text)?.[1] ?? '' };
      return known.token;
    },
  };
  return browser;
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}
