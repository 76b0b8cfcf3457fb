import { describe, it, expect } from 'vitest';
import { dashboardForTests, type DashboardWorld } from '../support/dashboard-world.ts';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { reachableBytes } from '../../csv/reachable-bytes.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { checkUpload } from '../../../src/web/drop/check-upload.ts';
import { sendFile } from '../support/send-file.ts';

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
  const world = dashboardForTests({ folder: { maxBytes: 1_000_000 } });

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
