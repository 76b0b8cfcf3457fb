import { createServer, request as ask, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { BodyRefusal, drainBody, readBody, tooLarge } from '../../../src/web/drop/take-upload.ts';
import { CARD } from '../../support/payment-rows.ts';
import { findNameFault, describeWaiting } from '../../../src/web/drop/drop-routes.ts';
import { noteUpload } from '../../../src/ledger/file/note-upload.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const ROOM = { maxBytes: 100, idleMs: 20_000 };

describe('readBody', () => {
  it('gives the bytes as they come, up to the last that is allowed', async () => {
    const pieces = [Buffer.alloc(60, 'a'), Buffer.alloc(40, 'b')];
    expect(await buffer(readBody(Readable.from(pieces), ROOM))).toEqual(Buffer.concat(pieces));
    expect(await buffer(readBody(Readable.from([]), ROOM))).toHaveLength(0);
  });

  it('ends at one byte more, reads no further and leaves the source open', async () => {
    let given = 0;
    const source = Readable.from(
      (function* () {
        for (;;) {
          given += 1;
          yield Buffer.alloc(101);
        }
      })(),
      { objectMode: false, highWaterMark: 1 },
    );
    await expect(buffer(readBody(source, ROOM))).rejects.toMatchObject({ statusCode: 413, code: 'FILE_TOO_LARGE' });
    expect(given).toBeLessThan(5);
    expect(source.destroyed).toBe(false);
    source.destroy();
  });

  it('gives up a source from which nothing comes', async () => {
    const source = new PassThrough();
    source.write('begun');
    const reading = buffer(readBody(source, { ...ROOM, idleMs: 5 }));
    await expect(reading).rejects.toMatchObject({ statusCode: 408, code: 'STALLED' });
  });

  it('gives up a source that sends a byte now and then, which would keep a turn for hours', async () => {
    const source = new PassThrough();
    const drip = setInterval(() => source.write('x'), 5);
    const slowest = { graceMs: 60, bytesPerMs: 16 };
    const reading = buffer(readBody(source, { maxBytes: 1_000_000, idleMs: 20_000, slowest }));
    await expect(reading).rejects.toMatchObject({ statusCode: 408, code: 'TOO_SLOW' });
    clearInterval(drip);
  });

  it('gives a source time by what it has sent', async () => {
    const source = new PassThrough();
    source.write(Buffer.alloc(100_000));
    setTimeout(() => source.end('end'), 30);
    const slowest = { graceMs: 1, bytesPerMs: 1 };
    expect(await buffer(readBody(source, { maxBytes: 1_000_000, slowest }))).toHaveLength(100_003);
  });

  it('does not count the time in which nobody takes anything', async () => {
    const body = readBody(Readable.from([Buffer.from('a'), Buffer.from('b')]), { ...ROOM, idleMs: 5 });
    await body.next();
    const start = performance.now();
    while (performance.now() - start < 30);
    expect(await body.next()).toEqual({ done: false, value: Buffer.from('b') });
  });

  it('says in its own words that a connection broke off', async () => {
    const source = new PassThrough();
    source.destroy(new Error('ECONNRESET of somebody'));
    const reading = buffer(readBody(source, ROOM));
    await expect(reading).rejects.toThrow(BodyRefusal);
    await expect(reading).rejects.toMatchObject({
      statusCode: 400,
      message: expect.not.stringContaining('ECONNRESET'),
    });
  });
});

it('tooLarge names the limit', () => {
  expect(tooLarge(1_073_741_824).message).toContain('at most 1,073,741,824 bytes');
});

describe('drainBody', () => {
  /** Sends 4 MB to a server that takes 100 bytes. @returns the status, and whether all could be sent */
  async function send(longestMs?: number, isEndless = false): Promise<{ status: number | undefined; isSent: boolean }> {
    let answered: Promise<IncomingMessage>;
    const server = createServer((request, reply) => {
      // A connection that ends before the answer is read loses the answer.
      reply.once(
        'finish',
        () => void (isEndless ? answered : Promise.resolve()).then(() => drainBody(request, longestMs)),
      );
      buffer(readBody(request, ROOM)).catch(({ statusCode }) => reply.writeHead(statusCode).end('too large'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sent = ask({ port, host: '127.0.0.1', method: 'POST' });
    answered = new Promise((resolve) => sent.once('response', resolve));
    const over = new Promise<boolean>((resolve) => {
      sent.once('error', () => resolve(false));
      sent.once('close', () => resolve(true));
    });
    for (let piece = 0; piece < 64; piece += 1) sent.write(Buffer.alloc(65_536));
    const { statusCode } = (await answered).resume();
    if (!isEndless) sent.end();
    const isSent = await over;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return { status: statusCode, isSent };
  }

  it('lets a browser send to the end, so that it reads the answer', async () => {
    expect(await send()).toEqual({ status: 413, isSent: true });
  });

  it('ends the connection of one that goes on too long', async () => {
    expect(await send(5, true)).toMatchObject({ status: 413 });
  });
});

const QUIET = { complete: { by: 'quiet', quietMs: 1, probes: 1 } } as const;
const MARKER = { complete: { by: 'marker', suffix: '.done' } } as const;

it.each([
  'june.csv',
  'June dues (2).CSV',
  'junë €.csv',
  'june-20260615123045.csv',
  'june.csv.pgp',
  'no ending',
  'june.ctl.csv',
  'a..b.csv',
  `${'x'.repeat(196)}.csv`,
])('findNameFault has nothing against %s', (name) => {
  expect(findNameFault(name, QUIET)).toBeUndefined();
  expect(findNameFault(name, MARKER)).toBeUndefined();
});

it.each([
  ['', 'no name'],
  ['..', 'path'],
  ['/etc/passwd', 'path'],
  ['../june.csv', 'path'],
  ['drop/june.csv', 'path'],
  ['C:\\june.csv', 'path'],
  ['june\0.csv', 'invisible or invalid'],
  ['june\n.csv', 'invisible or invalid'],
  ['june\u202evsc.exe', 'invisible or invalid'],
  ['june\ud800.csv', 'invisible or invalid'],
  ['.', 'begins with a dot'],
  ['.june.csv', 'begins with a dot'],
  ['~$june.csv', 'still being written'],
  ['june.csv~', 'still being written'],
  ['june.csv.part', 'still being written'],
  ['june.TMP', 'still being written'],
  ['june.csv.ctl', 'control files'],
  ['june.csv.done', 'marker files'],
  [`${'é'.repeat(100)}.`, 'longer than 200 bytes'],
  [`${CARD}.csv`, 'card number'],
  ['4222-2222-2222-2220 june.csv', 'card number'],
])('findNameFault says of %j: %s', (name, words) => {
  expect(findNameFault(name, MARKER)).toContain(words);
});

const world = openedForTests(openTestLedger);

it('describeWaiting names who dropped the same bytes, until they are taken', async () => {
  const { ledger } = world;
  const app = { ledger, account: () => ({ timeZone: 'America/Toronto' }) } as unknown as Parameters<
    typeof describeWaiting
  >[0];
  const upload = { account: 'main', folder: 'drop', name: 'a.csv', sha256: 'ab', bytes: 1, actor: 'operator:ada' };
  const uploadNo = await noteUpload(ledger, upload);
  const ask = (account: string, sha256: string) => describeWaiting(app, { account }, sha256);
  expect(await ask('main', 'ab')).toBe(
    'ada dropped the same bytes as "a.csv" at 2026-06-15 06:00:00 -04:00, and they are not taken yet. One of the two will be refused.',
  );
  expect(await ask('main', 'cd')).toBeNull();
  expect(await ask('other', 'ab')).toBeNull();
  const file = await world.claimed();
  await ledger.pool.query('UPDATE upload SET file_id = $2 WHERE upload_no = $1', [uploadNo, file.file_id]);
  expect(await ask('main', 'ab')).toBeNull();
});
