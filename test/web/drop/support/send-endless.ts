import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { reachableBytes } from '../../../csv/reachable-bytes.ts';
import { cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld } from '../../support/dashboard-world.ts';

const MOST_BYTES = 1_000_000;

export const openSmallDashboard = () => openDashboardWorld({ folder: { maxBytes: MOST_BYTES } });

/** Room for buffers in transit and for what the dashboard keeps of the request. */
const ON_ITS_WAY = 8_000_000;

/** Sends this many bytes to the small dashboard: far more than it may hold, so that keeping them shows. */
export async function expectRefusal(world: DashboardWorld, action: string, bytes: number): Promise<void> {
  const { said, given, growth } = await sendEndless(world, action, bytes);
  expect(given).toBeGreaterThanOrEqual(bytes);
  expect(said).toMatch(/^HTTP\/1\.1 413 /);
  expect(said).toContain('at most 1,000,000 bytes');
  expect(growth).toBeLessThan(ON_ITS_WAY);
  expect(await readdir(join(world.root, 'drop', 'card'))).toEqual([]);
}

const PIECE = Buffer.from(lines(upTo(2_000).map((n) => cardRow(n))));
const LOOKS = 4;

/** Collects twice, because memory found by one collection may only be freed when the next begins. */
async function heldBytes(): Promise<number> {
  reachableBytes();
  await setImmediate();
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
