import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  drawNumber,
  type FaultPlan,
  type FaultPlanner,
  type Occasion,
  planFaults,
} from '../../../src/sandbox/faults/plan-faults.ts';
import { playSteps, type Step } from '../../../src/sandbox/faults/play-steps.ts';
import { openSocket, watchEnd } from '../support/soap-request.ts';
import { httpBytes } from '../../../src/sandbox/faults/acts/cut-answers.ts';

const CHARGE: Occasion = { strikes: ['request', 'answer'], operation: 'processCreditCard' };
const FETCH: Occasion = { ...CHARGE, operation: 'getBatchProcessResultFile', has: (need) => need === 'result-file' };

describe('planFaults', () => {
  it('strikes once, any operation, from the first call on', () => {
    const { faults } = make();
    expect(faults.plan({ kind: 'no-answer' })).toEqual({
      kind: 'no-answer',
      operation: '*',
      times: 1,
      after: 0,
      chance: 1,
      seed: 1,
      delayMs: undefined,
      seen: 0,
      fired: 0,
    });
    expect(struckBy(faults, 3)).toEqual(['no-answer', undefined, undefined]);
    expect(faults.list()).toMatchObject([{ kind: 'no-answer', seen: 1, fired: 1 }]);
  });

  it.each<[string, FaultPlan, string]>([
    ['so many times', { kind: 'no-answer', times: 2 }, 'xx....'],
    ['always', { kind: 'no-answer', times: 'always' }, 'xxxxxx'],
    ['after others', { kind: 'no-answer', times: 2, after: 3 }, '...xx.'],
    ['never by chance', { kind: 'no-answer', times: 'always', chance: 0 }, '......'],
    ['of an operation', { kind: 'no-answer', operation: 'processCreditCard' }, 'x.....'],
    ['of another operation', { kind: 'no-answer', operation: 'processACHEFT', times: 'always' }, '......'],
    ['of another moment', { kind: 'reset-after-headers', times: 'always' }, '......'],
    ['without what it needs', { kind: 'result-row-missing', times: 'always' }, '......'],
  ])('strikes %s', (_what, plan, pattern) => {
    const { faults } = make();
    faults.plan(plan);
    expect(patternOf(faults, 6)).toBe(pattern);
  });

  it('draws by the seed, the same each time', () => {
    const patterns = [1, 1, 2].map((seed) => {
      const { faults } = make();
      faults.plan({ kind: 'no-answer', times: 'always', chance: 0.5, seed });
      return patternOf(faults, 40);
    });
    expect(patterns[0]).toBe(patterns[1]);
    expect(patterns[0]).not.toBe(patterns[2]);
    expect(patterns[0]).toMatch(/x.*\./);
  });

  it('lets the one that was planned first strike first', () => {
    const { faults } = make();
    faults.plan({ kind: 'http-500' });
    faults.plan({ kind: 'booked-then-reset' });
    faults.plan({ kind: 'http-503' });
    expect(struckBy(faults, 4)).toEqual(['http-500', 'booked-then-reset', 'http-503', undefined]);
  });

  it('asks for what a kind needs', () => {
    const { faults } = make();
    faults.plan({ kind: 'result-row-missing', times: 'always' });
    faults.plan({ kind: 'repeated-batch-id', times: 'always' });
    expect(faults.take(FETCH)?.kind).toBe('result-row-missing');
    expect(faults.take({ ...FETCH, has: (need) => need === 'earlier-batch' })?.kind).toBe('repeated-batch-id');
    expect(faults.take({ ...FETCH, has: () => false })).toBeUndefined();
    expect(faults.take(CHARGE)).toBeUndefined();
  });

  it('fills in the delay of the kind', () => {
    const { faults } = make();
    expect(faults.plan({ kind: 'late-answer' }).delayMs).toBe(5000);
    expect(faults.plan({ kind: 'late-answer', delayMs: 3 }).delayMs).toBe(3);
    expect(faults.take(CHARGE)?.delayMs).toBe(5000);
  });

  it('keeps rejections apart from faults that strike a call, and counts them as it counts those', () => {
    const { faults } = make();
    faults.plan({ kind: 'reject', code: 14, operation: 'processCreditCard', after: 1, times: 2 });
    faults.plan({ kind: 'reject', code: 7, operation: 'recurring' });
    expect(faults.take(CHARGE)).toBeUndefined();
    const taken = Array.from({ length: 4 }, () => faults.takeRejection('processCreditCard'));
    expect(taken).toEqual([undefined, 'REJECT: 14', 'REJECT: 14', undefined]);
    expect(faults.takeRejection('processACHEFT')).toBeUndefined();
    expect(faults.takeRejection('recurring')).toBe('REJECT: 7');
    expect(faults.list()).toMatchObject([
      { kind: 'reject', code: 14, seen: 3, fired: 2 },
      { kind: 'reject', code: 7, seen: 1, fired: 1 },
    ]);
  });

  it('shuts the door at once, and opens it when it forgets', async () => {
    const { faults, door } = make();
    expect(faults.plan({ kind: 'connection-refused' })).toMatchObject({ fired: 1, delayMs: 1000 });
    faults.plan({ kind: 'connection-refused', times: 3, delayMs: 20 });
    faults.plan({ kind: 'connection-refused', times: 'always' });
    expect(door).toEqual(['shut 1000', 'shut 60', 'shut undefined']);
    await faults.clear();
    expect(door.at(-1)).toBe('open');
    expect(faults.list()).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ kind: 'no-such' }, 'there is no kind "no-such"'],
    [{ kind: 'toString' }, 'there is no kind "toString"'],
    [{ kind: 'no-answer', times: 0 }, 'times must be a number from 1, or "always"'],
    [{ kind: 'no-answer', chance: 2, after: -1 }, 'after must not be negative; chance must be 0 to 1'],
    [undefined, 'must be an object'],
    [{ kind: 'connection-dropped', operation: 'processACHEFT' }, 'strikes before the operation is known'],
    [{ kind: 'reset-at-first-byte', operation: 'processACHEFT' }, 'strikes before the operation is known'],
    [{ kind: 'connection-refused', operation: 'processACHEFT' }, 'strikes before the operation is known'],
    [{ kind: 'connection-refused', after: 1 }, 'strikes at once, so it takes neither after nor chance'],
    [{ kind: 'connection-refused', chance: 0.5 }, 'strikes at once, so it takes neither after nor chance'],
    [{ kind: 'no-answer', delayMs: 5 }, 'no-answer does not wait, so it takes no delayMs'],
    [{ kind: 'no-answer', code: 14 }, 'only reject takes a code'],
    [{ kind: 'no-answer', operation: 'recurring' }, 'so only reject strikes it'],
    [{ kind: 'reject' }, 'reject takes a rejection code, such as "code": 14'],
    [{ kind: 'reject', code: 13 }, 'code must be a listed rejection code'],
    [{ kind: 'reject', code: '14' }, 'code must be a number'],
    [{ kind: 'reject', code: 14, delayMs: 5 }, 'reject does not wait, so it takes no delayMs'],
  ])('refuses %j: %s', (plan, reason) => {
    const { faults, door } = make();
    expect(() => faults.plan(plan as FaultPlan)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => faults.plan(plan as FaultPlan)).toThrow(reason);
    expect(faults.list()).toEqual([]);
    expect(door).toEqual([]);
  });
});

function make(): { faults: FaultPlanner; door: string[] } {
  const door: string[] = [];
  const faults = planFaults({
    shut: (forMs) => door.push(`shut ${forMs}`),
    open: async () => void door.push('open'),
  });
  return { faults, door };
}

function struckBy(faults: FaultPlanner, calls: number): (string | undefined)[] {
  return Array.from({ length: calls }, () => faults.take(CHARGE)?.kind);
}

function patternOf(faults: FaultPlanner, calls: number): string {
  return struckBy(faults, calls)
    .map((kind) => (kind ? 'x' : '.'))
    .join('');
}

describe('drawNumber', () => {
  it('draws the same for the same seed and place, and another otherwise', () => {
    expect(drawNumber(7, 1)).toBe(drawNumber(7, 1));
    expect(drawNumber(7, 1)).not.toBe(drawNumber(7, 2));
    expect(drawNumber(7, 1)).not.toBe(drawNumber(8, 1));
    // Seed and place are separate.
    expect(drawNumber(1, 12)).not.toBe(drawNumber(11, 2));
  });

  it('draws from 0 to below 1, evenly', () => {
    const drawn = Array.from({ length: 4000 }, (_, n) => drawNumber(1, n));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    for (const from of [0, 0.25, 0.5, 0.75]) {
      const share = drawn.filter((number) => number >= from && number < from + 0.25).length / drawn.length;
      expect(share).toBeGreaterThan(0.22);
      expect(share).toBeLessThan(0.28);
    }
  });
});

describe('playSteps', () => {
  it('writes, waits, drips and finishes', async () => {
    const { end } = await play([
      { do: 'write', bytes: 'a' },
      { do: 'wait', ms: 1 },
      { do: 'drip', bytes: Buffer.from('bcd'), everyMs: 1 },
      { do: 'finish' },
    ]);
    expect(await end).toEqual({ text: 'abcd', error: undefined });
  });

  it('resets', async () => {
    const { end } = await play([{ do: 'reset' }]);
    expect(await end).toEqual({ text: '', error: 'ECONNRESET' });
  });

  it('leaves the connection open when it hangs', async () => {
    const { played, client, end } = await play([{ do: 'write', bytes: 'a' }, { do: 'hang' }]);
    await once(client, 'data');
    await played;
    expect(client.destroyed).toBe(false);
    client.destroy();
    expect((await end).text).toBe('a');
  });

  it('writes no more than there is room for, however much there is to write', async () => {
    const megabyte: Step = { do: 'write', bytes: Buffer.alloc(1024 * 1024) };
    const { client, server, end } = await play([...Array.from({ length: 40 }, () => megabyte), { do: 'finish' }], true);
    await once(client, 'readable');
    expect(server.writableLength).toBeLessThanOrEqual(1024 * 1024);
    client.resume();
    expect((await end).text).toHaveLength(40 * 1024 * 1024);
  });

  it.each<[string, Step]>([
    ['in a wait', { do: 'wait', ms: 60_000 }],
    ['in a drip', { do: 'drip', bytes: Buffer.alloc(100), everyMs: 60_000 }],
    ['in a write', { do: 'write', bytes: Buffer.alloc(64 * 1024 * 1024) }],
  ])('ends when the other side leaves %s', async (_where, step) => {
    const { played, client } = await play([step, { do: 'finish' }], true);
    client.resetAndDestroy();
    await expect(played).resolves.toBeUndefined();
  });
});

async function play(steps: readonly Step[], isPaused = false) {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const accepted = once(listener, 'connection');
  const client = await openSocket((listener.address() as AddressInfo).port);
  const [server] = (await accepted) as [Socket];
  listener.close();
  const end = watchEnd(client);
  if (isPaused) client.pause();
  return { client, server, end, played: playSteps(server, steps) };
}

const REPLY = { status: 200, contentType: 'text/xml', body: 'é', headers: { 'X-Own': '1' } };

describe('httpBytes', () => {
  it('writes the answer as it would be sent, and closes after it', () => {
    const { head, body, whole } = httpBytes(REPLY);
    expect(head.toString().split('\r\n')).toEqual([
      'HTTP/1.1 200 OK',
      'Cache-Control: private, max-age=0',
      'Content-Type: text/xml',
      'X-AspNet-Version: 4.0.30319',
      'X-Powered-By: ASP.NET',
      'X-Paydrop-Sandbox: 1',
      'X-Own: 1',
      'Content-Length: 2',
      'Connection: close',
      '',
      '',
    ]);
    expect(body.toString()).toBe('é');
    expect(whole).toEqual(Buffer.concat([head, body]));
  });

  it('changes headers and leaves them out', () => {
    const head = httpBytes(REPLY, { 'Content-Length': '9', 'X-Own': undefined }).head.toString();
    expect(head).toContain('Content-Length: 9\r\n');
    expect(head).not.toContain('X-Own');
  });
});
