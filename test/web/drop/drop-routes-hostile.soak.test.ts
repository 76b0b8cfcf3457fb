import { request } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { sendFile } from '../support/send-file.ts';

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

it('no answer, log or address of all this held a card number', () => {
  expect(JSON.stringify(complaints)).not.toContain(CARD);
});
