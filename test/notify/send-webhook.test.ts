import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { sendWebhook, signWebhook } from '../../src/notify/tell.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const CLOCK = handClock('2026-06-15T10:00:00.900Z');
const MESSAGE = { title: '', text: '', json: { alarms: [{ kind: 'file_held', text: 'ä' }] } };
const SECRET = 'the key';

function post(answerMs?: number): Promise<void> {
  return sendWebhook({ url: `${receiver.url}/hook?x=1`, secret: SECRET }, MESSAGE, CLOCK, answerMs);
}

describe('sendWebhook', () => {
  it('posts JSON that the receiver can prove to be ours', async () => {
    await post();
    const [{ path, headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(path).toBe('/hook?x=1');
    expect(JSON.parse(body.toString())).toEqual(MESSAGE.json);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'paydrop-timestamp': '1781517600' });
    const expected = createHmac('sha256', SECRET)
      .update(Buffer.concat([Buffer.from('1781517600.'), body]))
      .digest('hex');
    expect(headers['paydrop-signature']).toBe(`sha256=${expected}`);
    expect(JSON.stringify(headers) + body.toString()).not.toContain(SECRET);
  });

  it.each([201, 204])('takes %i for a receipt', async (status) => {
    receiver.answer((response) => response.writeHead(status).end());
    await post();
  });

  it.each([301, 307, 400, 500])('does not take %i for a receipt', async (status) => {
    receiver.answer((response) => response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end());
    await expect(post()).rejects.toThrow(`the receiver answered ${status}`);
    expect(receiver.received).toHaveLength(1);
  });

  it('does not wait for a receiver that keeps silent', async () => {
    receiver.answer(() => {});
    await expect(post(50)).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('signWebhook', () => {
  it('depends on key, time and body', () => {
    const signed = [
      signWebhook('a', '1', 'x'),
      signWebhook('b', '1', 'x'),
      signWebhook('a', '2', 'x'),
      signWebhook('a', '1', 'y'),
    ];
    expect(new Set(signed).size).toBe(4);
    expect(signed[0]).toMatch(/^sha256=[0-9a-f]{64}$/);
  });
});
