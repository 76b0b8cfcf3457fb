import { connect } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../src/kernel/log.ts';
import { LOGIN, PATH, post, soapRequest } from './support/soap-request.ts';
import { useSandboxes } from './support/sandbox-world.ts';
import { readBody } from '../../src/sandbox/handle-request.ts';

const world = useSandboxes();
const CHARGE = soapRequest('ProcessCreditCard', { ...LOGIN, creditCardNum: '4222222222222220', total: '5.00' });

describe('handleRequest', () => {
  it('books a call once, though a fault that is not due has looked at it', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'booked-then-reset', after: 5 });
    sandbox.faults.plan({ kind: 'result-empty' });
    expect((await post(sandbox.url + PATH, CHARGE)).status).toBe(200);
    expect(sandbox.books()).toHaveLength(1);
  });

  it('logs which fault struck, and no number', async () => {
    const lines: string[] = [];
    const log = openLog({ destination: { write: (line: string) => void lines.push(line) } });
    const sandbox = await world.start({ log });
    sandbox.faults.plan({ kind: 'http-503' });
    sandbox.faults.plan({ kind: 'early-answer', operation: 'processCreditCard', after: 1 });
    await post(sandbox.url + PATH, CHARGE);
    await post(sandbox.url + PATH, CHARGE);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'fault struck');
    expect(told).toMatchObject([{ fault: 'http-503', operation: 'processCreditCard' }, { fault: 'early-answer' }]);
    expect(lines.join('')).not.toContain('4222222222222220');
  });

  it('lives on when a client goes away in the middle of a fault', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'slow-drip', delayMs: 1 });
    const socket = connect(sandbox.port, '127.0.0.1');
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: ${CHARGE.body.length}\r\n\r\n${CHARGE.body}`);
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect((await post(sandbox.url + PATH, CHARGE)).status).toBe(200);
  });
});

describe('readBody', () => {
  it('joins the pieces', async () => {
    expect(await readBody(pieces('ab', 'c'), 3)).toEqual(Buffer.from('abc'));
    expect(await readBody(pieces(), 3)).toEqual(Buffer.alloc(0));
  });

  it('is undefined above the limit, with everything read', async () => {
    const body = pieces('ab', 'cd', 'ef');
    expect(await readBody(body, 5)).toBeUndefined();
    expect(body.readableEnded).toBe(true);
  });

  it('stops reading at ten times the limit', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1, given++);
      })(),
    );
    expect(await readBody(endless, 2)).toBeUndefined();
    expect(given).toBeLessThan(100);
    expect(endless.destroyed).toBe(true);
  });

  it('fails when the connection breaks', async () => {
    const broken = new Readable({ read: () => undefined });
    const body = readBody(broken, 10);
    broken.push(Buffer.from('ab'));
    broken.destroy(new Error('aborted'));
    await expect(body).rejects.toThrow('aborted');
  });
});

function pieces(...texts: string[]): Readable {
  return Readable.from(texts.map((text) => Buffer.from(text)));
}
