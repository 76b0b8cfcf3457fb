import { request } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { dashboardForTests, type DashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { sendFile } from '../support/send-file.ts';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { reachableBytes } from '../../csv/reachable-bytes.ts';
import { checkUpload } from '../../../src/web/drop/check-upload.ts';

const world = dashboardForTests({ folder: { maxBytes: 1_000_000 } });
let operator: TestBrowser;
const complaints: string[] = [];
beforeAll(async () => {
  operator = await world.as('operator');
  const { log } = world.app;
  log.error = (...words: unknown[]) => void complaints.push(JSON.stringify(words));
});

const inFolder = () => readdir(join(world.root, 'drop', 'card'));
const uploads = async () => (await world.app.ledger.pool.query('SELECT name FROM upload')).rows;

/** A ZIP entry of one file: the content `times` times over, compressed only once. */
function zip(name: string, content: Uint8Array, times = 1): Buffer<ArrayBuffer> {
  const part = deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([...Array.from({ length: times - 1 }, () => part), deflateRawSync(content)]);
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(packed.length, 18);
  head.writeUInt32LE(times * content.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), packed]);
}

/** An archive whose only entry is a link out of the folder. */
function tarOfLink(): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(1_536);
  head.write('june.csv', 0);
  head.write('0000777\0', 100);
  head.write('2', 156);
  head.write('/etc/passwd', 157);
  head.write('ustar\x0000', 257);
  return head;
}

const ARCHIVES: [string, string, () => Buffer<ArrayBuffer>][] = [
  ['a ZIP archive', 'june.csv', () => zip('june.csv', Buffer.from(lines([cardRow(1)])))],
  ['a ZIP archive', 'bomb.csv', () => zip('bomb.csv', Buffer.alloc(1_000_000), 200)],
  ['a ZIP archive', 'up.csv', () => zip('../../up.csv', Buffer.from(lines([cardRow(1)])))],
  ['a gzip archive', 'june.csv.gz', () => Buffer.from(gzipSync(lines([cardRow(1)])))],
  ['a tar archive', 'june.tar', tarOfLink],
];

describe('archives', () => {
  it.each(ARCHIVES)('%s as %s is refused as what it is, and nothing of it is unpacked', async (is, name, make) => {
    const content = make();
    const { status, json } = await sendFile(operator, 'check', { name, content });
    expect([status, json.verdict]).toEqual([200, 'reject']);
    expect(json.says).toContain(`The file is not CSV: ${is}`);
    expect(json.sha256).toBe(sha256Of(content));
    expect(await inFolder()).toEqual([]);
  });

  it('that are dropped all the same are refused by the intake, and lie nowhere but in the archive', async () => {
    const outside = async () => (await readdir(world.root)).toSorted();
    // The workers create their folders when they start.
    await world.finish();
    const before = await outside();
    const [, name, make] = ARCHIVES[2]!;
    expect((await sendFile(operator, 'submit', { name, content: make() })).status).toBe(200);
    await world.finish();
    expect(await world.states()).toEqual({ [name]: 'rejected' });
    expect(await inFolder()).toEqual([]);
    expect(await outside()).toEqual(before);
  });
});

describe('files that are too large', () => {
  it.each(['check', 'submit'] as const)('are refused with an answer that can be read (%s)', async (action) => {
    const content = Buffer.alloc(1_000_001, lines([cardRow(1)]));
    const told = await sendFile(operator, action, { content });
    expect([told.status, told.json.error?.code]).toEqual([413, 'FILE_TOO_LARGE']);
    expect(told.json.error?.says).toContain('at most 1,000,000 bytes');
    const piece = content.subarray(0, 300_001);
    // The length of a stream is not known in advance.
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let count = 0; count < 4; count += 1) controller.enqueue(piece);
        controller.close();
      },
    });
    const streamed = await sendFile(operator, action, { content: stream, sha256: sha256Of(content) });
    expect([streamed.status, streamed.json.error?.code]).toEqual([413, 'FILE_TOO_LARGE']);
    expect(await inFolder()).toEqual([]);
  });

  it('and one of just the limit is not', async () => {
    const row = lines([cardRow(1)]);
    const content = row.repeat(Math.ceil(1_000_000 / row.length)).slice(0, 1_000_000);
    expect((await sendFile(operator, 'check', { content })).json).toMatchObject({ bytes: 1_000_000 });
  });
});

const GIGABYTE = 1_073_741_824;

/** Room for buffers in transit and for what the dashboard keeps of the request. */
const ON_ITS_WAY = 8_000_000;

const PIECE = Buffer.from(lines(upTo(2_000).map((n) => cardRow(n))));
const LOOKS = 4;

/** Collects twice, because memory found by one collection may only be freed when the next begins. */
async function heldBytes(): Promise<number> {
  reachableBytes();
  await nextRound();
  return reachableBytes();
}

/**
 * Sends pieces without announcing how many, whatever the answer: a Node client would stop once the answer arrives.
 * @returns the answer, the bytes sent, and how many more are held at most than after a quarter of them
 */
async function sendEndless(world: DashboardWorld, action: string, bytes: number) {
  const browser = await world.as('operator');
  const query = new URLSearchParams({ folder: 'drop/card', name: 'large.csv', sha256: '0'.repeat(64) });
  const head = [
    `POST /drop/${action}?${query} HTTP/1.1`,
    `host: ${new URL(world.url).host}`,
    `cookie: ${browser.cookie}`,
    `x-csrf-token: ${await browser.csrf()}`,
    'content-type: application/octet-stream',
    'transfer-encoding: chunked',
  ];
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
  let said = '';
  socket.on('data', (piece) => (said += String(piece)));
  const send = async (piece: string | Buffer) => socket.write(piece) || (await once(socket, 'drain'));
  await send(`${head.join('\r\n')}\r\n\r\n`);
  const looks: number[] = [];
  let given = 0;
  while (given < bytes) {
    given += PIECE.length;
    for (const piece of [`${PIECE.length.toString(16)}\r\n`, PIECE, '\r\n']) await send(piece);
    if (given >= ((looks.length + 1) * bytes) / LOOKS) looks.push(await heldBytes());
  }
  const [early = 0, ...later] = looks;
  socket.end('0\r\n\r\n');
  await once(socket, 'close');
  return { said, given, growth: Math.max(...later) - early };
}

describe('a file of a gigabyte', () => {
  it.each(['check', 'submit'])(
    'is refused at the limit of the folder, and nothing of it is kept (%s)',
    async (action) => {
      const { said, given, growth } = await sendEndless(world, action, GIGABYTE);
      expect(given).toBeGreaterThanOrEqual(GIGABYTE);
      expect(said).toMatch(/^HTTP\/1\.1 413 /);
      expect(said).toContain('at most 1,000,000 bytes');
      expect(growth).toBeLessThan(ON_ITS_WAY);
      expect(await readdir(join(world.root, 'drop', 'card'))).toEqual([]);
    },
  );
});

describe('uploads that break off', () => {
  /** Sends part of a file and hangs up. */
  async function cutOff(action: string): Promise<void> {
    const headers = {
      cookie: operator.cookie,
      'content-type': 'application/octet-stream',
      'x-csrf-token': await operator.csrf(),
      'content-length': '900000',
    };
    const query = new URLSearchParams({ folder: 'drop/card', name: 'cut.csv', sha256: '0'.repeat(64) });
    const sent = request(`${world.url}/drop/${action}?${query}`, { method: 'POST', headers });
    sent.on('error', () => {});
    sent.write(lines(upTo(2_000).map((n) => cardRow(n))));
    if (action === 'submit') await expect.poll(inFolder).toEqual([expect.stringMatching(/^\.cut\.csv\..*\.tmp$/)]);
    const closed = new Promise((resolve) => sent.once('close', resolve));
    sent.destroy();
    await closed;
  }

  it.each(['check', 'submit'])('leave nothing behind and nothing to worry about (%s)', async (action) => {
    const before = await uploads();
    await cutOff(action);
    await expect.poll(inFolder).toEqual([]);
    expect(await uploads()).toEqual(before);
    expect(complaints).toEqual([]);
    expect((await operator.get('/me')).status).toBe(200);
  });
});

describe('two drops of one name at the same moment', () => {
  it('give it to exactly one, and the other is told', async () => {
    const contents = [1, 2, 3, 4].map((n) => lines(upTo(500).map((row) => cardRow(row + n * 1_000))));
    const before = await uploads();
    const said = await Promise.all(
      contents.map((content) => sendFile(operator, 'submit', { name: 'race.csv', content })),
    );
    expect(said.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await inFolder()).toEqual(['race.csv']);
    // The losers of the race recorded no upload.
    expect(await uploads()).toEqual([...before, { name: 'race.csv' }]);
  });
});

const ROWS = 200_000;
const CONTENT = lines(upTo(ROWS).map((n) => cardRow(n)));

/** As large as the pieces in which a request arrives. */
const PIECE_BYTES = 65_536;

/** More would mean thousands of rows without a pause. */
const MOST_PIECES = 4;

describe('a check of 200,000 rows', () => {
  const world = dashboardForTests();

  // Requests page after page while a file is checked, and expects an answer to each.
  it('keeps nobody waiting', async () => {
    const browser = await world.as('viewer');
    let isChecking = true;
    const answers: number[] = [];
    const others = (async () => {
      while (isChecking) answers.push((await browser.get('/me')).status);
    })();
    const { json } = await sendFile(browser, 'check', { content: CONTENT });
    isChecking = false;
    await others;
    expect(json).toMatchObject({ verdict: 'accept', rows: { records: ROWS } });
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(answers.length).toBeGreaterThan(5);
  });

  // Checks a file that is all at hand, so only the check itself yields, and counts the pieces it takes before that.
  it('lets the others have their turn after a few pieces', async () => {
    const content = Buffer.from(CONTENT);
    let isChecking = true;
    let taken = 0;
    let mostTaken = 0;
    const nextTurn = () => {
      taken = 0;
      if (isChecking) setImmediate(nextTurn);
    };
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < content.length; at += PIECE_BYTES) {
        taken += 1;
        mostTaken = Math.max(mostTaken, taken);
        yield content.subarray(at, at + PIECE_BYTES);
      }
    }
    setImmediate(nextTurn);
    const looked = await checkUpload(world.app, world.app.folder('drop/card')!, { name: 'june.csv', source: source() });
    isChecking = false;
    expect(looked).toMatchObject({ check: { records: ROWS } });
    expect(content.length).toBeGreaterThan(3 * MOST_PIECES * PIECE_BYTES);
    expect(mostTaken).toBeLessThanOrEqual(MOST_PIECES);
  });
});

it('no answer, log or address of all this held a card number', () => {
  expect(JSON.stringify(complaints)).not.toContain(CARD);
});
