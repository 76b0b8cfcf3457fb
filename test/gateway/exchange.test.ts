import { afterEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../schemas/operations.ts';
import type { TranscriptEntry } from '../../src/gateway/exchange.ts';
import { ALL_OPERATIONS, callOn } from './support/call.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { closeServers, script } from './support/submit.ts';

afterEach(closeServers);

describe('exchange', () => {
  it.each(ALL_OPERATIONS)('repeats %s only if it reads', async (operation) => {
    const waits: number[] = [];
    const server = await script({ onRequest: (socket) => socket.destroy() });
    const answer = await callOn(server.url, operation, {
      world: {
        wait: async (ms) => {
          waits.push(ms);
        },
      },
    });
    const isRead = OPERATIONS[operation].effect === 'read';
    expect(answer.kind).toBe(isRead ? 'failed' : 'unknown');
    expect(server.requests).toHaveLength(isRead ? 3 : 1);
    expect(waits).toEqual(isRead ? [200, 400] : []);
  });

  it('stops repeating at the first answer, whatever it says', async () => {
    let calls = 0;
    const server = await script({
      onRequest: (socket) => {
        calls += 1;
        if (calls === 1) socket.destroy();
        else socket.end(httpAnswer(503, 'busy'));
      },
    });
    const answer = await callOn(server.url, 'getCustomerCodeDetail');
    expect(answer).toEqual({ kind: 'failed', errors: 'the service answered HTTP 503' });
    expect(server.requests).toHaveLength(2);
  });

  it('asks once for what is too large', async () => {
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(200, 'x'.repeat(1001))) });
    const answer = await callOn(server.url, 'getCustomerCodeDetail', { settings: { maxAnswerBytes: 1000 } });
    expect(answer).toEqual({ kind: 'failed', errors: 'the answer is larger than 1000 bytes' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['getCustomerCodeDetail', 'processCreditCard'] as const)(
    'tells that nothing of %s left, once, and does not try again',
    async (operation) => {
      const server = await script({ onConnect: (socket) => socket.end() });
      const entries: TranscriptEntry[] = [];
      const transcript = (entry: TranscriptEntry) => entries.push(entry);
      expect(await callOn(server.url, operation, { settings: { transcript } })).toMatchObject({ kind: 'not_sent' });
      expect(server.connections).toHaveLength(1);
      expect(entries).toEqual([]);
    },
  );

  it('says failed, not not_sent, of a read whose later attempts find nobody', async () => {
    const server = await script({ onRequest: (socket) => socket.destroy() });
    let waits = 0;
    const wait = async () => {
      waits += 1;
      if (waits === 1) await closeServers();
    };
    const answer = await callOn(server.url, 'getCustomerCodeDetail', { world: { wait } });
    expect(answer).toMatchObject({ kind: 'failed' });
    expect(waits).toBe(2);
  });

  it('tells the transcript each step, and bears its errors', async () => {
    const entries: TranscriptEntry[] = [];
    const transcript = (entry: TranscriptEntry) => {
      entries.push(entry);
      throw new Error('the listener broke');
    };
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(500, '<IATSRESPONSE>no')) });
    const answer = await callOn(server.url, 'processCreditCard', { settings: { transcript } });
    expect(answer).toEqual({ kind: 'unknown', why: 'the service answered HTTP 500' });
    expect(entries).toEqual([
      {
        operation: 'processCreditCard',
        attempt: 1,
        direction: 'request',
        xml: expect.stringContaining('<creditCardNum>[removed]</creditCardNum>'),
      },
      {
        operation: 'processCreditCard',
        attempt: 1,
        direction: 'answer',
        httpStatus: 500,
        why: '',
        xml: '<IATSRESPONSE>no',
      },
    ]);
  });
});
