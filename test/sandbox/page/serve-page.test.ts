import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { servePage } from '../../../src/sandbox/page/serve-page.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { callSandbox, CUSTOMER_PATH, NOW } from '../support/make-context.ts';
import { ACCOUNT, rowsOf, useSandboxes } from '../support/sandbox-world.ts';
import { submitBatch } from '../support/soap-request.ts';
import { systemClock } from '../../../src/kernel/clock.ts';

const world = useSandboxes();
const CARD = '4222222222222220';
const CHARGE = {
  creditCardNum: CARD,
  creditCardExpiry: '12/49',
  cvv2: '987',
  total: '5.00',
  invoiceNum: '&lt;b&gt;"7"',
};
const BANK = { accountNum: ACCOUNT, accountType: 'CHECKING', firstName: 'Ada', lastName: 'Byron', total: '5.00' };
const BATCH = 'ProcessACHEFTChargeBatch';

async function busySandbox(): Promise<Sandbox> {
  const sandbox = await world.start({ now: NOW, control: true });
  await callSandbox(sandbox, 'ProcessCreditCard', { ...CHARGE, comment: `card ${CARD}`, cardcode: '987' });
  await callSandbox(
    sandbox,
    'CreateACHEFTCustomerCode',
    { accountNum: ACCOUNT, firstName: 'Ada' },
    { path: CUSTOMER_PATH },
  );
  await submitBatch(sandbox.url, BATCH, `${rowsOf('B', 60)}\n${ACCOUNT},lost`);
  return sandbox;
}

async function see({ url }: Sandbox, query: string, init: RequestInit = {}) {
  const response = await fetch(`${url}/?${query}`, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the page', () => {
  it.each([
    ['view=payments', '62 payments.'],
    ['view=customers', '1 customer.'],
    ['view=batches', '1 batch.'],
    ['view=days', '2017-06-15'],
    ['view=calls', '3 calls.'],
    ['view=control', 'Plan this fault'],
  ])('of %s holds %s, and neither a number nor a secret', async (query, words) => {
    const { status, text } = await see(await busySandbox(), query);
    expect(status).toBe(200);
    expect(text).toContain(words);
    for (const secret of [CARD, ACCOUNT, '987', '<b>']) expect(text).not.toContain(secret);
  });

  it('has pages, newest first', async () => {
    const sandbox = await busySandbox();
    const first = (await see(sandbox, '')).text;
    expect(first).toContain('page 1 of 2');
    expect(first).toContain('>B-59<');
    expect(first).not.toContain('>B-0<');
    const second = (await see(sandbox, 'page=2')).text;
    expect(second).toContain('>B-0<');
    expect(second).toContain('&lt;b&gt;&quot;7&quot;');
  });

  it.each([
    ['q=b-17', '1 payment.'],
    ['q=A6000001', '1 payment.'],
    ['q=a0000001', '1 payment.'],
    ['q=2220', '1 payment.'],
    ['q=nothing', 'No payments.'],
    ['batch=1000001', '61 payments.'],
    ['day=2017-06-14', 'No payments.'],
  ])('finds by %s: %s', async (query, words) => {
    expect((await see(await busySandbox(), query)).text).toContain(`<p>${words}</p>`);
  });

  it('shows a call beside its answer, masked, and what struck it', async () => {
    const sandbox = await busySandbox();
    sandbox.faults.plan({ kind: 'http-503' });
    await callSandbox(sandbox, 'ProcessCreditCard', CHARGE);
    const { text } = await see(sandbox, 'view=calls');
    expect(text).toContain('struck by http-503');
    expect(text).toContain('creditCardNum: 4***********2220');
    expect(text).toContain('cvv2: ***');
    expect(text).toContain('comment: card ************2220');
    expect(text).toContain('&lt;AUTHORIZATIONRESULT&gt; OK: 678594:');
    expect(text).not.toContain('password:');
  });

  it('shows a call that a fault struck before its body was read', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'early-answer' });
    await callSandbox(sandbox, 'ProcessCreditCard', CHARGE);
    const { text } = await see(sandbox, 'view=calls');
    expect(text).toMatch(/<strong>processCreditCard<\/strong>\s+struck by early-answer/);
    expect(text).toContain('POST /NetGate/ProcessLinkv2.asmx\nThe fault struck before the body was read.');
  });

  it('allows no script, no style but its own, no frame and no resource', async () => {
    const { headers, text } = await see(await world.start(), '');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|<link|<img|https?:\/\/|\son\w+=|style="/);
  });

  it.each([
    ['another machine', { from: '192.168.1.7' }],
    ['another name', { headers: { host: 'evil.test:8899' } }],
    ['a name that begins like one of this machine', { headers: { host: '127.0.0.1.evil.test' } }],
    ['no name', { headers: {} }],
  ])('is refused to %s, in a sentence', async (_who, changed) => {
    const { status, body } = await servePage({ ...REQUEST, ...changed }, PAGE);
    expect(status).toBe(403);
    expect(body).toMatch(/<p>This page is shown [^<]+ only[^<]*\.<\/p>/);
    expect(body).not.toContain('<table');
  });

  it.each([
    ['localhost:8899', 200],
    ['192.168.1.5:8899', 200],
    ['[fd00::5]:8899', 200],
    ['books.test', 200],
    ['evil.test:8899', 403],
    ['192.168.1.5.evil.test', 403],
    ['', 403],
  ])('for all is shown to other machines as "%s": %i', async (host, expected) => {
    const call = { ...REQUEST, from: '172.17.0.1', headers: { host } };
    expect((await servePage(call, { ...PAGE, isForAll: true })).status).toBe(expected);
  });

  it.each(['localhost:8899', '127.0.0.1', '[::1]:8899', 'Books.test'])('is shown as %s', async (host) => {
    expect((await servePage({ ...REQUEST, headers: { host } }, PAGE)).status).toBe(200);
  });
});

describe('the forms of the page', () => {
  it('move the clock, plan faults, remove them and start over', async () => {
    const sandbox = await busySandbox();
    expect((await send(sandbox, 'form=clock&set=2020-01-01T00:00:00Z')).headers.get('location')).toBe('/?view=control');
    await send(sandbox, 'form=clock&advanceMs=3600000&set=');
    expect(sandbox.clock.now().toISOString()).toMatch(/^2020-01-01T01:00/);
    await send(sandbox, 'form=plan&kind=http-503&operation=*&times=2&after=&chance=&code=&seed=&delayMs=');
    await send(sandbox, 'form=plan&kind=reject&code=14&times=always&operation=processACHEFT');
    expect(sandbox.faults.list()).toMatchObject([
      { kind: 'http-503', times: 2 },
      { kind: 'reject', code: 14, times: 'always', operation: 'processACHEFT' },
    ]);
    expect((await see(sandbox, 'view=control')).text).toContain('2 planned faults.');
    await send(sandbox, 'form=clear');
    expect(sandbox.faults.list()).toEqual([]);
    await send(sandbox, 'form=reset');
    expect(sandbox.books()).toEqual([]);
  });

  it('settle, reject and return one bank payment, or all when no id is given', async () => {
    const sandbox = await world.start({ control: true });
    for (const invoiceNum of ['B-1', 'B-2']) {
      await callSandbox(sandbox, 'ProcessACHEFT', { ...BANK, invoiceNum });
    }
    expect(await stagesOf(sandbox)).toEqual(['to be sent', 'to be sent']);
    expect(await sayAfter(sandbox, 'form=settle&transactionId=A6000001')).toBe('1 bank payment was settled.');
    const refused = await send(sandbox, 'form=reject&transactionId=A6000001&code=40');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('A6000001 is accepted since')]);
    expect(await sandbox.bank.return({ all: true })).toEqual(['A6000001']);
    expect(await stagesOf(sandbox)).toEqual(['to be sent', 'returned, code 63']);
    expect(await sayAfter(sandbox, 'form=reject&transactionId=&code=40')).toBe('1 bank payment was rejected.');
    expect(await stagesOf(sandbox)).toEqual(['rejected, code 40', 'returned, code 63']);
    expect(await sayAfter(sandbox, 'form=reject')).toBe('No bank payment was rejected: none is in progress.');
    const none = 'No bank payment was returned: none was accepted in the last seven days.';
    expect(await sayAfter(sandbox, 'form=return')).toBe(none);
    await expect(sandbox.bank.settle({ transactionId: 'A6000002' })).rejects.toThrow('A6000002 is rejected');
  });

  it('say nothing of what an address makes up', async () => {
    const sandbox = await world.start({ control: true });
    for (const done of ['settle+x', 'settle', 'toString+1', '<b>+1', 'settle+99999999']) {
      expect((await see(sandbox, `view=control&done=${done}`)).text).not.toContain('role="status"');
    }
  });

  it('settle all bank payments of a batch, and the list shows the stage of each', async () => {
    const sandbox = await world.start({ now: NOW, control: true });
    await submitBatch(sandbox.url, BATCH, `${rowsOf('B', 3)}\nlost,row`);
    await callSandbox(sandbox, 'ProcessCreditCard', CHARGE);
    sandbox.clock.advance(26 * 3_600_000);
    expect(await stagesOf(sandbox)).toEqual(['', '', 'pending', 'pending', 'pending']);
    expect(await sayAfter(sandbox, 'form=settle')).toBe('3 bank payments were settled.');
    expect(await stagesOf(sandbox)).toEqual(['', '', 'accepted', 'accepted', 'accepted']);
  });

  it('say what is wrong with a plan, and change nothing', async () => {
    const sandbox = await busySandbox();
    const refused = await send(sandbox, 'form=plan&kind=http-503&times=many');
    expect([refused.status, sandbox.faults.list()]).toEqual([400, []]);
    expect(refused.text).toContain('times must be a number from 1');
    expect((await send(sandbox, 'form=toString')).status).toBe(400);
  });

  it('are not there while the control API is off', async () => {
    const sandbox = await world.start({ now: NOW });
    expect((await see(sandbox, 'view=control')).text).not.toContain('<form');
    expect((await send(sandbox, 'form=clock&advanceMs=3600000')).status).toBe(404);
    expect(sandbox.clock.now().toISOString()).toMatch(/^2017-06-15T10:1/);
  });

  it.each([
    ['another site', ['Origin: https://evil.test']],
    ['another port', ['Origin: http://127.0.0.1:1']],
    ['a page without an origin', ['Origin: null']],
    ['another site, as the browser says', ['Sec-Fetch-Site: cross-site']],
    ['a subdomain', ['Sec-Fetch-Site: same-site', 'Origin: http://HOST']],
    ['a program that names no page', []],
  ])('are not taken from %s', async (_who, lines) => {
    const sandbox = await world.start({ control: true, now: NOW });
    const answer = await rawForm(
      sandbox,
      lines.map((line) => line.replace('HOST', `127.0.0.1:${sandbox.port}`)),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(sandbox.clock.now().toISOString()).toMatch(/^2017-06-15T10:1/);
  });

  it('are not taken under a foreign name, though page and form have the same', async () => {
    const sandbox = await world.start({ control: true, now: NOW });
    const answer = await rawForm(sandbox, ['Origin: http://evil.test'], 'evil.test');
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(await rawForm(sandbox, ['Sec-Fetch-Site: same-origin'])).toMatch(/^HTTP\/1\.1 303 /);
  });
});

const REQUEST = {
  method: 'GET',
  path: '/',
  query: new URLSearchParams('view=calls'),
  headers: { host: 'localhost' },
  body: Buffer.alloc(0),
  from: '::ffff:127.0.0.1',
};

const PAGE = {
  context: { books: { shownRows: () => [] }, clock: systemClock } as never,
  calls: { list: () => [] },
  controls: undefined,
  names: ['books.test'],
  isForAll: false,
};

function send(sandbox: Sandbox, body: string) {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: sandbox.url };
  return see(sandbox, '', { method: 'POST', headers, body });
}

/** Returns what the page says after a form. */
async function sayAfter(sandbox: Sandbox, body: string): Promise<string | undefined> {
  const { status, headers } = await send(sandbox, body);
  expect(status).toBe(303);
  const { text } = await see(sandbox, (headers.get('location') ?? '').replace('/?', ''));
  return /<p role="status"><strong>([^<]*)</.exec(text)?.[1];
}

/** Returns the last column of the payments, newest first. */
async function stagesOf(sandbox: Sandbox): Promise<(string | undefined)[]> {
  return [...(await see(sandbox, '')).text.matchAll(/<td>([^<]*)<\/td><\/tr>/g)].map(([, stage]) => stage);
}

/** Sends the form that moves the clock, with exactly these headers. */
function rawForm({ port }: Sandbox, lines: readonly string[], host = `127.0.0.1:${port}`): Promise<string> {
  const body = 'form=clock&advanceMs=86400000';
  const socket = connect(port, '127.0.0.1');
  const head = [`Host: ${host}`, 'Connection: close', `Content-Length: ${body.length}`, ...lines];
  socket.write(`POST / HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  return textOf(socket);
}
