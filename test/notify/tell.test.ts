import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALARM_KINDS, type AlarmKind } from '../../schemas/alarms.ts';
import { handClock } from '../../src/kernel/clock.ts';
import type { AlarmTarget } from '../../src/config/config.ts';
import {
  kindsOf,
  type Notice,
  sendWebhook,
  signWebhook,
  targetKey,
  tell,
  writeMessage,
} from '../../src/notify/tell.ts';
import { type MailServer, type Receiver, startMailServer, startReceiver } from '../support/receiver.ts';
import { closedUrl } from '../workers/support/step-world.ts';
import { sendMail } from '../../src/notify/send-mail.ts';

let mail: MailServer;
let hook: Receiver;
beforeEach(async () => {
  mail = await startMailServer();
  hook = await startReceiver();
});
afterEach(async () => {
  await mail.close();
  await hook.close();
});

const CLOCK = handClock('2026-06-15T10:00:00.900Z');

function mailTo(smtpUrl = mail.url): AlarmTarget {
  return { by: 'mail', smtpUrl, from: 'paydrop@example.test', to: ['ann@example.test'] };
}

function postTo(url = hook.url): AlarmTarget {
  return { by: 'webhook', url, secret: 'hunter2' };
}

describe('tell', () => {
  it('tells by mail and by webhook', async () => {
    expect(await tell(mailTo(), [NOTICE], CLOCK)).toBeUndefined();
    expect(await tell(postTo(), [NOTICE], CLOCK)).toBeUndefined();
    expect(mail.mails).toHaveLength(1);
    expect(hook.received).toHaveLength(1);
  });

  it('says why it could not, and never the address', async () => {
    const url = await closedUrl();
    const secret = (text: string) => text.replace('://', '://ada:hunter2@');
    mail.refuse('550 no ada:hunter2');
    hook.answer((response) => response.writeHead(503).end('hunter2'));
    const faults = await Promise.all([
      tell(mailTo(secret(url.replace('http', 'smtp'))), [NOTICE], CLOCK),
      tell(mailTo(), [NOTICE], CLOCK),
      tell(postTo(), [NOTICE], CLOCK),
      tell(postTo(url), [NOTICE], CLOCK),
      tell(postTo(secret(url)), [NOTICE], CLOCK),
    ]);
    expect(faults[2]).toBe('the receiver answered 503');
    expect(faults[3]).toBe('it could not be delivered (ECONNREFUSED)');
    for (const fault of faults) {
      expect(fault).toBeDefined();
      expect(fault).not.toMatch(/hunter2|127\.0\.0\.1/);
    }
  });
});

describe('targetKey', () => {
  it('is the same for the same place, whatever its kinds and key, and gives nothing away', () => {
    const key = targetKey(postTo('https://hooks.test/secret-path'));
    expect(targetKey({ by: 'webhook', url: 'https://hooks.test/secret-path', secret: 'new', kinds: ['silence'] })).toBe(
      key,
    );
    expect(key).toMatch(/^webhook-[0-9a-f]{12}$/);
    expect(targetKey(postTo('https://hooks.test/other'))).not.toBe(key);
    expect(targetKey(mailTo())).not.toBe(targetKey({ ...mailTo(), to: ['bob@example.test'] } as AlarmTarget));
  });
});

describe('kindsOf', () => {
  it('is what is listed, or all but what has to be asked for', () => {
    expect(kindsOf({ ...postTo(), kinds: ['file_done'] })).toEqual(['file_done']);
    const asked = ['rows_withheld', 'file_done', 'digest'];
    expect(kindsOf(postTo())).toEqual(Object.keys(ALARM_KINDS).filter((kind) => !asked.includes(kind)));
    expect(kindsOf({ ...mailTo(), kinds: ['late'], digest: '07:00' } as AlarmTarget)).toEqual(['late', 'digest']);
  });
});

const PEOPLE = { from: 'paydrop@example.test', to: ['ann@example.test', 'bob@example.test'] };
const MESSAGE = { title: '[paydrop] a file waits', text: 'File f: 2 rows.\n\n.hidden line', json: {} };

describe('sendMail', () => {
  it('sends plain text to everybody', async () => {
    await sendMail({ ...PEOPLE, smtpUrl: mail.url }, MESSAGE);
    expect(mail.mails).toMatchObject([PEOPLE]);
    expect(mail.mails[0]!.text).toMatch(/^Subject: \[paydrop\] a file waits$/m);
    expect(mail.mails[0]!.text).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(mail.mails[0]!.text).toContain('File f: 2 rows.');
    expect(mail.mails[0]!.text).toMatch(/^Content-Type: text\/plain/m);
  });

  it('fails when the server does not take it', async () => {
    mail.refuse('451 later');
    await expect(sendMail({ ...PEOPLE, smtpUrl: mail.url }, MESSAGE)).rejects.toThrow('451');
    expect(mail.mails).toEqual([]);
  });

  it('says a password to no server without TLS, but to one on this machine', async () => {
    const withPassword = (host: string) => mail.url.replace('127.0.0.1', `ann:hidden-word@${host}`);
    // The same server, at an address not recognized as this machine.
    const elsewhere = sendMail({ ...PEOPLE, smtpUrl: withPassword('[::ffff:127.0.0.1]') }, MESSAGE);
    await expect(elsewhere).rejects.toThrow(/TLS/i);
    expect(mail.mails).toEqual([]);
  });

  it('fails when there is no server', async () => {
    const smtpUrl = (await closedUrl()).replace('http', 'smtp');
    await expect(sendMail({ ...PEOPLE, smtpUrl }, MESSAGE)).rejects.toThrow('ECONNREFUSED');
  });
});

const POSTED = { title: '', text: '', json: { alarms: [{ kind: 'file_held', text: 'ä' }] } };
const SECRET = 'the key';

function post(answerMs?: number): Promise<void> {
  return sendWebhook({ url: `${hook.url}/hook?x=1`, secret: SECRET }, POSTED, CLOCK, answerMs);
}

describe('sendWebhook', () => {
  it('posts JSON that the receiver can prove to be ours', async () => {
    await post();
    const [{ path, headers, body }] = hook.received as [(typeof hook.received)[number]];
    expect(path).toBe('/hook?x=1');
    expect(JSON.parse(body.toString())).toEqual(POSTED.json);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'paydrop-timestamp': '1781517600' });
    const expected = createHmac('sha256', SECRET)
      .update(Buffer.concat([Buffer.from('1781517600.'), body]))
      .digest('hex');
    expect(headers['paydrop-signature']).toBe(`sha256=${expected}`);
    expect(JSON.stringify(headers) + body.toString()).not.toContain(SECRET);
  });

  it.each([201, 204])('takes %i for a receipt', async (status) => {
    hook.answer((response) => response.writeHead(status).end());
    await post();
  });

  it.each([301, 307, 400, 500])('does not take %i for a receipt', async (status) => {
    hook.answer((response) => response.writeHead(status, { location: `${hook.url}/elsewhere` }).end());
    await expect(post()).rejects.toThrow(`the receiver answered ${status}`);
    expect(hook.received).toHaveLength(1);
  });

  it('does not wait for a receiver that keeps silent', async () => {
    hook.answer(() => {});
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

const NOTICE: Notice = {
  event: 'raised',
  kind: 'batch_unknown',
  subject: 'f/1',
  account: 'main',
  text: 'Batch f/1: 2 rows, 50.00.',
  figures: { rows: 2, cents: 5_000 },
  at: new Date('2026-06-15T10:00:00.000Z'),
};

describe('writeMessage', () => {
  it.each(Object.keys(ALARM_KINDS) as AlarmKind[])('says of %s what it means and what to do', (kind) => {
    const { title, text } = writeMessage([{ ...NOTICE, kind }]);
    expect(title).toBe(`[paydrop] ${ALARM_KINDS[kind].means} (main)`);
    expect(text).toContain(`${NOTICE.text}\nWhat to do: ${ALARM_KINDS[kind].next}`);
  });

  it('says when it is over, and nothing to do then', () => {
    const { title, text } = writeMessage([{ ...NOTICE, event: 'cleared' }]);
    expect(title).toMatch(/^\[paydrop\] over: a batch is in doubt/);
    expect(text).toContain('OVER 2026-06-15T10:00:00.000Z: ');
    expect(text).toContain(`There is nothing to do any more. The alarm said: ${NOTICE.text}`);
    expect(text).not.toContain('What to do');
  });

  it('tells a storm in one message, with the number of what it leaves out', () => {
    const storm = Array.from({ length: 5_000 }, (_, n) => ({ ...NOTICE, subject: `f/${n}`, text: `Batch f/${n}.` }));
    const { title, text, json } = writeMessage([...storm, { ...NOTICE, kind: 'file_held', text: 'File f waits.' }]);
    expect(title).toBe('[paydrop] 5001 new, 0 over');
    expect(text.match(/^Batch f/gm)).toHaveLength(20);
    expect(text).toContain('4980 more: a batch is in doubt');
    expect(text).toContain('File f waits.');
    expect(json).toMatchObject({ more: [{ event: 'raised', kind: 'batch_unknown', count: 4_980 }] });
    expect((json as { alarms: unknown[] }).alarms).toHaveLength(21);
  });

  it('leads to the dashboard, where the configuration says its address', () => {
    expect(writeMessage([NOTICE], 'https://pay.example.com').text).toContain('at https://pay.example.com/queue\n');
    expect(writeMessage([NOTICE]).text).not.toContain('http');
  });

  it('puts many into one', () => {
    const { title, json } = writeMessage([NOTICE, NOTICE, { ...NOTICE, event: 'cleared', account: null }]);
    expect(title).toBe('[paydrop] 2 new, 1 over');
    expect(json).toMatchObject({
      alarms: [{ event: 'raised', figures: { cents: 5_000 }, at: '2026-06-15T10:00:00.000Z' }, {}, { account: null }],
    });
  });
});
