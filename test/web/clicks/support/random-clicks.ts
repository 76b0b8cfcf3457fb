import { ACTIONS } from '../../../../schemas/actions.ts';
import { seededRandom } from '../../../support/random.ts';
import {
  type Answer,
  type DashboardWorld,
  PASSWORD,
  TEST_PEOPLE,
  type TestBrowser,
  type TestPerson,
} from '../../support/dashboard-world.ts';
import { formsOf, linksOf, type PageForm } from '../../support/read-page.ts';

/** A user with a browser, and where they are. */
type Clicker = { readonly person: TestPerson; browser: TestBrowser; path: string; html: string };

/** How often each kind of answer came, every answer that was a fault of the dashboard, and the slowest one. */
export type Clicks = {
  readonly statuses: Record<number, number>;
  readonly faults: string[];
  readonly slowest: { readonly says: string; readonly ms: number };
};

/** Pages whose addresses an experienced user may type. */
const STARTS = [
  '/',
  '/files',
  '/approvals',
  '/accounts',
  '/profiles',
  '/schedules',
  '/report',
  '/audit',
  '/search?q=C-7',
  '/payments',
  '/me',
  '/queue',
  '/queue?list=again&advice=all',
  '/queue?list=finished',
];

/**
 * Clicks at random as several users at once. Follows links, sends forms as they are or with arbitrary input, and calls
 * the API directly. The same seed clicks the same.
 */
export async function clickAtRandom(
  world: DashboardWorld,
  { actions, seed }: { actions: number; seed: number },
): Promise<Clicks> {
  const random = openRandom(seed);
  const people = Object.keys(TEST_PEOPLE) as TestPerson[];
  const clickers: Clicker[] = [];
  for (const person of people) clickers.push({ person, browser: await world.as(person), path: '/', html: '' });
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  let slowest = { says: '', ms: 0 };
  const click = async (clicker: Clicker) => {
    const action = chooseAction(clicker, subjects, random);
    const begun = performance.now();
    const answer = await action.go();
    const ms = performance.now() - begun;
    if (ms > slowest.ms) slowest = { says: action.says, ms };
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status >= 500)
      faults.push(`${clicker.person}: ${action.says}: ${answer.status} ${answer.text.slice(0, 300)}`);
    clicker.html = answer.text;
    clicker.path = action.path;
    if (clicker.browser.cookie === '') clicker.browser = await world.as(clicker.person);
  };
  let subjects: string[] = [];
  for (let done = 0; done < actions; done += clickers.length) {
    if (done % 100 < clickers.length) subjects = await listSubjects(world);
    await Promise.all(clickers.map(click));
  }
  return { statuses, faults, slowest };
}

/** `path` is where the browser then is, for forms that name no address. */
type Action = { readonly says: string; readonly path: string; readonly go: () => Promise<Answer> };
type Random = ReturnType<typeof openRandom>;

function openRandom(seed: number) {
  const next = seededRandom(seed);
  return { next, pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]! };
}

function chooseAction({ browser, path, html }: Clicker, subjects: readonly string[], random: Random): Action {
  const links = linksOf(html).filter((link) => /^\/(?!assets|\/)/.test(link));
  // The head of every page has the same few links; users follow those of the page itself.
  const deeper = links.filter((link) => link.split('/').length > 2);
  const forms = formsOf(html).filter(({ action }) => !/logout|people|password|search/.test(action));
  const dice = random.next();
  const actions = links.filter((link) => link.includes('/do/'));
  if (forms.length > 0 && dice < 0.6) return sendForm(browser, { path, form: random.pick(forms) }, random);
  if (actions.length > 0 && dice < 0.7) return follow(browser, random.pick(actions));
  if (deeper.length > 0 && dice < 0.85) return follow(browser, random.pick(deeper));
  if (links.length > 0 && dice < 0.9) return follow(browser, random.pick(links));
  if (dice < 0.94) return follow(browser, random.pick(STARTS));
  if (dice < 0.97) return tryAction(browser, random.pick(subjects), random);
  return callApi(browser, random.pick(subjects), random);
}

function follow(browser: TestBrowser, path: string): Action {
  return { says: `GET ${path}`, path, go: () => browser.get(path) };
}

function sendForm(browser: TestBrowser, { path, form }: { path: string; form: PageForm }, random: Random): Action {
  const { action, method, fields } = form;
  const filled = Object.fromEntries(fields.map((field) => [field.name, fill(field, random)]));
  const target = action === '' ? path : action;
  if (method === 'get') return follow(browser, `${target.split('?')[0]}?${new URLSearchParams(filled)}`);
  return {
    says: `POST ${target} ${JSON.stringify(filled)}`,
    path: target,
    go: () => browser.post(target, filled, filled['_csrf']),
  };
}

/** Lists where actions are done, as a user knows from addresses. */
async function listSubjects({ app }: DashboardWorld): Promise<string[]> {
  const { rows } = await app.ledger.pool.query<{ path: string }>(
    `SELECT '/files/' || file_id AS path FROM file UNION ALL
     SELECT '/files/' || file_id || '/batches/' || batch_no FROM batch UNION ALL
     SELECT '/proposals/' || proposal_no FROM proposal UNION ALL
     SELECT '/queue/selections/' || run_no FROM reprocess_run`,
  );
  return ['/accounts/main', '/accounts/all', ...rows.map(({ path }) => path)];
}

/** Tries an action that no page offered, without seeing its plan first. */
function tryAction(browser: TestBrowser, subject: string, random: Random): Action {
  const path = `${subject}/do/${random.pick(Object.keys(ACTIONS))}`;
  const form = { reason: 'clicked at random', evidence: 'none', batchId: '1000001' };
  return { says: `POST ${path}`, path, go: () => browser.post(path, form) };
}

/** Same as a program would, asking for the plan or acting at once. */
function callApi(browser: TestBrowser, subject: string, random: Random): Action {
  const path = `/api/v1${subject}/${random.pick(Object.keys(ACTIONS))}${random.pick(['', '?plan=1'])}`;
  const send = async () => {
    const headers = {
      'x-csrf-token': await browser.csrf(),
      'content-type': 'application/json',
      accept: 'application/json',
    };
    const body = JSON.stringify({
      reason: 'clicked at random',
      evidence: 'none',
      batchId: '1000001',
      from: '1',
      to: '9',
    });
    return browser.send(path, { method: 'POST', headers, body });
  };
  return { says: `POST ${path}`, path: '/', go: send };
}

const IDEAS = [
  '',
  'because it is so',
  '1',
  '0',
  '-1',
  '1000001',
  '2026-06-15',
  'C-7',
  "'; DROP TABLE file; --",
  '<b>',
  '%00',
  'x'.repeat(3_000),
];

/** Returns what a page hides as it came; leaves, chooses or makes up the rest. */
function fill({ name, value, choices }: PageForm['fields'][number], random: Random): string {
  if (name === '_csrf' || name === 'bind') return value;
  if (name === 'password') return PASSWORD;
  if (choices.length > 0) return random.pick(choices);
  return name === 'reason' && random.next() < 0.8 ? 'clicked at random' : random.pick([value, ...IDEAS]);
}
