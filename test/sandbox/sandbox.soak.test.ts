import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { FIXED_SEED, seededRandom } from '../support/random.ts';
import { LOGIN, openSocket, PATH, post, soapRequest, STYLES, toBase64, watchEnd } from './support/soap-request.ts';
import { killRepeatedly, useSandboxes } from './support/sandbox-world.ts';
import type { HandlerContext } from '../../src/sandbox/handlers/handler.ts';
import { HANDLERS } from '../../src/sandbox/handlers/handlers.ts';
import { runSchedules } from '../../src/sandbox/time/run-schedules.ts';
import { makeCall, makeContext } from './support/make-context.ts';

const world = useSandboxes();

/** start-sandbox.test.ts kills twice. */
describe('a sandbox killed with SIGKILL many times', () => {
  it('has booked all of a batch or nothing, at whatever moment it died', async () => {
    await killRepeatedly(world, [0, 4, 11, 23, ...Array.from({ length: 26 }, (_, round) => 2 * round)]);
  }, 300_000);
});

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

/** Damages a document a few times: cuts, repeats or swaps a part, puts in something else, or breaks its bytes. */
function mutate(document: string, random: () => number): Buffer {
  const below = (count: number) => Math.floor(random() * count);
  let body = document;
  for (let round = below(4); round >= 0; round -= 1) {
    const [from, to] = [below(body.length), below(body.length)].sort((one, other) => one - other) as [number, number];
    const [before, part, after] = [body.slice(0, from), body.slice(from, to), body.slice(to)];
    const tags = body.match(/<[^>]*>/g) ?? [''];
    const ways = [
      () => before + after,
      () => before + part.repeat(1 + below(20)) + after,
      () => after + part + before,
      () => before + (PIECES[below(PIECES.length)] ?? '') + part + after,
      () => before + (tags[below(tags.length)] ?? '') + part + after,
      () => body.replace(tags[below(tags.length)] ?? '', () => tags[below(tags.length)] ?? ''),
    ];
    body = (ways[below(ways.length)] ?? ways[0]!)();
  }
  const bytes = Buffer.from(body, (['utf8', 'utf8', 'latin1', 'utf16le'] as const)[below(4)]);
  for (let flips = below(3); flips > 0 && bytes.length > 0; flips -= 1) bytes[below(bytes.length)] = below(256);
  return bytes;
}

it('answers 10,000 damaged envelopes, each in less than a second', async () => {
  const random = seededRandom(FIXED_SEED);
  const { url } = await world.start();
  const statuses = new Map<number, number>();
  let slowestMs = 0;
  for (let index = 0; index < 10_000; index += 1) {
    const body = mutate(MODELS[index % MODELS.length] ?? '', random);
    const headers = { 'Content-Type': index % 2 === 0 ? 'text/xml; charset=utf-8' : 'application/soap+xml' };
    const begun = performance.now();
    const answer = await fetch(url + PATH, { method: 'POST', headers, body });
    expect(await answer.text()).toMatch(/^<\?xml[^]*Envelope>$/);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  expect([...statuses.keys()].sort()).toEqual([200, 500]);
  for (const count of statuses.values()) expect(count).toBeGreaterThan(500);
  expect(slowestMs).toBeLessThan(1000);
  expect((await post(url + PATH, CALL)).status).toBe(200);
}, 300_000);

describe('a crowd', () => {
  const HEAD = `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n`;

  /** Makes good calls until the promise resolves, and returns the slowest. */
  async function slowestBeside(url: string, busy: Promise<unknown>): Promise<number> {
    let isBusy = true;
    let slowestMs = 0;
    void busy.finally(() => {
      isBusy = false;
    });
    for (let calls = 0; isBusy || calls < 20; calls += 1) {
      const begun = performance.now();
      expect((await post(url + PATH, CALL)).text).toContain('<BATCHID>7</BATCHID>');
      slowestMs = Math.max(slowestMs, performance.now() - begun);
    }
    return slowestMs;
  }

  /** Sends a call in pieces of one byte, each a moment after the one before. */
  async function sendSlowly(port: number): Promise<string> {
    const socket = await openSocket(port);
    socket.setNoDelay();
    const bytes = `${HEAD}Connection: close\r\nContent-Length: ${CALL.body.length}\r\n\r\n${CALL.body}`;
    const answer = text(socket);
    for (let at = 0; at < bytes.length; at += 40) {
      await new Promise((sent) => void socket.write(bytes.slice(at, at + 40), sent));
    }
    return answer;
  }

  it('of 1,000 connections and 200 slow senders lets a good call pass at once', async () => {
    const { url, port } = await world.start();
    await post(url + PATH, CALL);
    const crowd: Socket[] = [];
    for (let count = 0; count < 1000; count += 1) crowd.push(connect(port, '127.0.0.1').on('error', () => undefined));
    const slow = Promise.all(Array.from({ length: 200 }, () => sendSlowly(port)));
    const slowestMs = await slowestBeside(url, slow);
    for (const answer of await slow) expect(answer).toContain('<BATCHID>7</BATCHID>');
    for (const socket of crowd) socket.destroy();
    console.log(`slowest call beside a crowd: ${slowestMs.toFixed(0)} ms`);
  });

  it('of 200,000 unknown elements holds nobody up', async () => {
    const { url } = await world.start();
    const body = CALL.body.replace('<batchId>', `${'<x/>'.repeat(200_000)}<batchId>`);
    const bodies = [body, body.replaceAll('<x/>', '<!---->'), body.replaceAll('<x/>', '<x>&amp;</x>')];
    for (const each of bodies) {
      await post(url + PATH, CALL);
      const slowestMs = await slowestBeside(url, post(url + PATH, { ...CALL, body: each }));
      console.log(`slowest call beside ${each.length} bytes: ${slowestMs.toFixed(0)} ms`);
    }
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
