import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DeskWorld, openDeskWorld } from '../support/desk-world.ts';

let world: DeskWorld;
beforeAll(async () => {
  world = await openDeskWorld({ folder: { maxBytes: 5_000_000 } });
});
afterAll(() => world.close());

const GIGABYTE = 1_073_741_824;
const PIECE = Buffer.from(lines(upTo(8_000).map((n) => cardRow(n))));

/**
 * Sends pieces without saying how many there will be, whatever the desk says meanwhile: a client of Node would stop when
 * the answer is there. @returns the answer, bytes sent, and how far memory rose
 */
async function sendGenerated(deed: string, bytes: number) {
  const browser = await world.as('operator');
  const query = new URLSearchParams({ folder: 'drop/card', name: 'large.csv', sha256: '0'.repeat(64) });
  const head = [
    `POST /drop/${deed}?${query} HTTP/1.1`,
    'host: 127.0.0.1',
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
  const before = used();
  let [given, largest] = [0, before];
  while (given < bytes) {
    given += PIECE.length;
    for (const piece of [`${PIECE.length.toString(16)}\r\n`, PIECE, '\r\n']) await send(piece);
    largest = Math.max(largest, used());
  }
  socket.end('0\r\n\r\n');
  await once(socket, 'close');
  return { said, given, growth: largest - before };
}

function used(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

describe('a file of a gigabyte', () => {
  it.each(['check', 'submit'])('is refused at the limit of the folder, and memory stays flat (%s)', async (deed) => {
    const { said, given, growth } = await sendGenerated(deed, GIGABYTE);
    expect(given).toBeGreaterThanOrEqual(GIGABYTE);
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
    expect(said).toContain('at most 5,000,000 bytes');
    // Kept, it would be a thousand megabytes. Rubbish that waits for collection is in the figure.
    expect(growth).toBeLessThan(200_000_000);
    expect(await readdir(join(world.root, 'drop', 'card'))).toEqual([]);
  });
});
