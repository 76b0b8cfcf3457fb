import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FIXED_SEED, seededRandom } from '../support/random.ts';
import { LOGIN, openSocket, PATH, post, soapRequest, STYLES, toBase64, watchEnd } from './support/soap-request.ts';
import { killRepeatedly, startChild, useSandboxes } from './support/sandbox-world.ts';
import type { HandlerContext } from '../../src/sandbox/handlers/handler.ts';
import { HANDLERS } from '../../src/sandbox/handlers/handlers.ts';
import { runSchedules } from '../../src/sandbox/time/run-schedules.ts';
import { startPaydrop } from '../cli/support/run-child.ts';
import { callSandbox, makeCall, makeContext } from './support/make-context.ts';
import { ALL_CODES, testCodes } from './support/test-codes.ts';

const world = useSandboxes();

/** start-sandbox.test.ts kills twice. */
describe('a sandbox killed with SIGKILL many times', () => {
  it('has booked all of a batch or nothing, at whatever moment it died', async () => {
    await killRepeatedly(world, [0, 4, 11, 23, ...Array.from({ length: 26 }, (_, round) => 2 * round)]);
  }, 300_000);
});

/** batch/judge-row.test.ts tries some. */
testCodes(ALL_CODES);

const CUSTOMER = {
  customerCode: 'C1',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/49',
  mop: 'VISA',
  recurring: 'true',
  amount: '5.00',
  beginDate: '2026-06-15T00:00:00Z',
  endDate: '9999-12-31T00:00:00Z',
  scheduleType: 'Weekly',
  scheduleDate: '5',
};

it('goes through many years, and through a clock at the end of time in pieces', async () => {
  const lines: string[] = [];
  const warn = (_: object, message: string) => void lines.push(message);
  const { context, clock } = await makeContext();
  const log = { ...context.log, warn } as unknown as HandlerContext['log'];
  await HANDLERS.createCreditCardCustomerCode?.answer(makeCall('createCreditCardCustomerCode', CUSTOMER), context);
  clock.set('2126-06-15T10:00:00Z');
  await runSchedules({ ...context, log });
  expect(context.books.rows()).toHaveLength(5218);
  expect(lines).toEqual([]);
  clock.set('9998-01-01T00:00:00Z');
  await runSchedules({ ...context, log });
  expect(context.books.rows()).toHaveLength(5218 + 20_000);
  expect(lines).toEqual(['more recurring payments are due; they follow with the next call']);
});

const CALL = soapRequest('GetBatchProcessResultFile', { ...LOGIN, batchId: '7' }, 'soap 1.1');

/** Requests of every kind, to be damaged. */
const MODELS = STYLES.flatMap((style) => [
  soapRequest('GetBatchProcessResultFile', { ...LOGIN, batchId: '7' }, style).body,
  soapRequest('ProcessCreditCard', { ...LOGIN, ...CUSTOMER, total: '5.00', lastName: 'O&#39;Hara' }, style).body,
  soapRequest('CreateCreditCardCustomerCode', { ...LOGIN, ...CUSTOMER, comment: '<![CDATA[a < b]]>' }, style).body,
  soapRequest('ProcessACHEFTChargeBatch', { ...LOGIN, batchFile: toBase64('1,Ada,Byron') }, style).body,
]);
const PIECES = [
  '<',
  '>',
  '&',
  '"',
  '\0',
  ']]>',
  '<!--',
  '<![CDATA[',
  '<!DOCTYPE a>',
  '&#x0;',
  '&a;',
  '\uFEFF',
  'é',
  '<?x',
];

/** Damages a document once or a few times: cuts, repeats or swaps a part, puts in something else, or breaks its bytes. */
function mutate(document: string, random: () => number): Buffer {
  const below = (count: number) => Math.floor(random() * count);
  const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] ?? items[0]!;
  let body = document;
  for (let round = random() < 0.5 ? 1 : below(4); round > 0; round -= 1) {
    const from = below(body.length);
    const to = from + below(random() < 0.8 ? 12 : body.length - from);
    const [before, part, after] = [body.slice(0, from), body.slice(from, to), body.slice(to)];
    const tags = body.match(/<[^>]*>/g) ?? [''];
    const texts = body.match(/>[^<]+</g) ?? [''];
    body = oneOf([
      () => before + after,
      () => before + part.repeat(1 + below(20)) + after,
      () => after + part + before,
      () => before + oneOf(PIECES) + part + after,
      () => before + oneOf(tags) + part + after,
      () => body.replace(oneOf(tags), () => oneOf(tags)),
      () => body.replace(oneOf(texts), () => `>${oneOf(PIECES)}<`),
      () => body.replace(oneOf(texts), () => oneOf(texts)),
    ])();
  }
  const bytes = Buffer.from(body, oneOf(['utf8', 'utf8', 'utf8', 'utf8', 'latin1', 'utf16le']));
  for (let flips = random() < 0.8 ? 0 : 1 + below(3); flips > 0 && bytes.length > 0; flips -= 1) {
    bytes[below(bytes.length)] = below(256);
  }
  return bytes;
}

it('answers 10,000 damaged envelopes, each in less than a second', async () => {
  const random = seededRandom(FIXED_SEED);
  const { url } = await world.start();
  const statuses = new Map<number, number>();
  let slowestMs = 0;
  for (let index = 0; index < 10_000; index += 1) {
    const body = Uint8Array.from(mutate(MODELS[index % MODELS.length] ?? '', random));
    const headers = { 'Content-Type': index % 2 === 0 ? 'text/xml; charset=utf-8' : 'application/soap+xml' };
    const send = async () => {
      const begun = performance.now();
      const answer = await fetch(url + PATH, { method: 'POST', headers, body });
      expect(await answer.text()).toMatch(/^<\?xml[^]*Envelope>$/);
      return { status: answer.status, ms: performance.now() - begun };
    };
    const { status, ms: firstMs } = await send();
    let ms = firstMs;
    // A busy machine may hold up one answer, but not the same one three times.
    for (let again = 0; again < 2 && ms >= 1000; again += 1) ms = Math.min(ms, (await send()).ms);
    slowestMs = Math.max(slowestMs, ms);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses.keys()].sort()).toEqual([200, 500]);
  for (const count of statuses.values()) expect(count).toBeGreaterThan(500);
  expect(slowestMs).toBeLessThan(1000);
  expect((await post(url + PATH, CALL)).status).toBe(200);
}, 900_000);

describe('a crowd', () => {
  const GROUPS = 30;
  const HEAD = `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n`;

  /**
   * Makes good calls until the promise resolves.
   * @returns within how many ms that share of them was answered
   */
  async function waitBeside(url: string, busy: Promise<unknown>, share: number): Promise<number> {
    let isBusy = true;
    const waits: number[] = [];
    void busy.finally(() => {
      isBusy = false;
    });
    for (let calls = 0; isBusy || calls < 20; calls += 1) {
      const begun = performance.now();
      expect((await post(url + PATH, CALL)).text).toContain('<BATCHID>7</BATCHID>');
      waits.push(performance.now() - begun);
    }
    waits.sort((one, other) => one - other);
    return waits[Math.ceil(waits.length * share) - 1] ?? Number.NaN;
  }

  /**
   * Expects 100 ms, or on a busy machine a few times what a call takes there alone. Whatever else the machine does may
   * hold up one try, but not all; what holds up the sandbox does.
   */
  async function expectNoDelay(url: string, attempt: () => Promise<number>): Promise<void> {
    const limitMs = Math.max(100, 10 * (await waitBeside(url, Promise.resolve(), 1)));
    const waits: number[] = [];
    while (waits.length < 5 && !(Math.min(...waits) < limitMs)) waits.push(await attempt());
    expect(Math.min(...waits)).toBeLessThan(limitMs);
  }

  /** Opens 1,000 connections, then lets 200 more send a call in small pieces, and says how many were answered. */
  const CROWD = `
    const { connect } = require('node:net');
    const [port, bytes] = process.argv.slice(1);
    const open = (done) => connect(port, '127.0.0.1', done).on('error', () => undefined);
    let waiting = 1000;
    for (let count = waiting; count > 0; count -= 1) open(() => (waiting -= 1) === 0 && begin());
    let answered = 0;
    let left = 200;
    function begin() {
      console.log('ready');
      for (let count = left; count > 0; count -= 1) setTimeout(send, count * 10);
    }
    function send() {
      const socket = open();
      let text = '';
      let at = 0;
      const timer = setInterval(() => {
        if (at >= bytes.length) clearInterval(timer);
        else socket.write(bytes.slice(at, (at += 20)));
      }, 40);
      socket.on('data', (chunk) => (text += chunk)).on('close', () => {
        if (text.includes('<BATCHID>7</BATCHID>')) answered += 1;
        if ((left -= 1) === 0) process.exit(console.log(answered) ?? 0);
      });
    }`;

  it('of 1,000 connections and 200 slow senders lets half of the good calls pass in 100 ms', async () => {
    const { url } = await startChild(await world.folder());
    const bytes = `${HEAD}Connection: close\r\nContent-Length: ${CALL.body.length}\r\n\r\n${CALL.body}`;
    await expectNoDelay(url, async () => {
      const crowd = spawn(process.execPath, ['-e', CROWD, new URL(url).port, bytes], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void crowd.kill());
      await once(crowd.stdout, 'data');
      const answered = text(crowd.stdout);
      const waitMs = await waitBeside(url, answered, 0.5);
      expect(await answered).toBe('200\n');
      return waitMs;
    });
  });

  it('that says nothing is not sent away all at once', async () => {
    const { port } = await world.start();
    const turns = new Set<number>();
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const left: Promise<unknown>[] = [];
    const watch = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket };
      left.push(new Promise<void>((resolve) => void socket.once('close', () => resolve(void turns.add(turn)))));
    };
    subscribe('net.server.socket', watch);
    for (let group = 0; group < GROUPS; group += 1) {
      await Promise.all(Array.from({ length: 10 }, () => openSocket(port)));
      await wait(100);
    }
    unsubscribe('net.server.socket', watch);
    await Promise.all(left);
    isOver = true;
    expect(left).toHaveLength(GROUPS * 10);
    // A look each second would need 3 or 4 turns. A busy machine may let some of these groups go together.
    expect(turns.size).toBeGreaterThan(GROUPS / 3);
  });

  it.each(['<x/>', '<!---->', '<x>&amp;</x>', '<x a="&amp;">'])('of 200,000 times %s holds nobody up', async (part) => {
    const { url } = await world.start();
    const body = CALL.body.replace('<batchId>', () => `${part.repeat(200_000)}<batchId>`);
    await expectNoDelay(url, () => waitBeside(url, post(url + PATH, { ...CALL, body }), 1));
  });

  it('that says nothing is sent away: after 10 s without a head, after a minute without a body', async () => {
    const { port } = await world.start();
    const ends = ['', HEAD, `${HEAD}Content-Length: 100\r\n\r\n<a`].map(async (bytes) => {
      const begun = performance.now();
      const socket = await openSocket(port);
      const end = watchEnd(socket);
      if (bytes !== '') socket.write(bytes);
      return { ...(await end), seconds: (performance.now() - begun) / 1000 };
    });
    const [silent, half, bodiless] = await Promise.all(ends);
    for (const end of [silent, half]) expect(end?.seconds).toBeLessThan(20);
    expect(half?.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodiless?.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodiless?.seconds).toBeGreaterThan(50);
    expect(bodiless?.seconds).toBeLessThan(90);
  });
});

const CARD_CHARGE = { creditCardNum: '4222222222222220', creditCardExpiry: '12/49', total: '5.00' };

describe('paydrop sandbox', () => {
  it('records to a new file, and replays it: status 1 when a call is missing', async () => {
    const file = join(await world.folder(), 'calls.jsonl');
    const run = async (...words: string[]) => {
      const child = await startPaydrop(['sandbox', '--port', '0', ...words]);
      await child.says('listens on');
      return { child, url: /http:\S+/.exec(child.err())?.[0] ?? '' };
    };
    const first = await run('--record', file);
    await callSandbox(first, 'ProcessCreditCard', CARD_CHARGE);
    first.child.process.kill('SIGTERM');
    expect(await first.child.ended).toEqual({ status: 0, signal: null });
    expect(await readFile(file, 'utf8')).toMatch(/^\{"at":"[^\n]*\}\n$/);
    const second = await run('--replay', file);
    second.child.process.kill('SIGTERM');
    expect(await second.child.ended).toEqual({ status: 1, signal: null });
    expect(second.child.err()).toContain('\nCall 1, processCreditCard, did not come.\n');
    const again = await startPaydrop(['sandbox', '--port', '0', '--record', file]);
    expect((await again.ended).status).toBe(1);
    expect(again.err()).toMatch(/^Cannot record to ".*calls\.jsonl": .*exists/);
  });
});
