import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALARM_KINDS } from '../../schemas/alarms.ts';
import { handClock } from '../../src/kernel/clock.ts';
import type { AlarmTarget } from '../../src/config/config.ts';
import { kindsOf, type Notice, targetKey, tell } from '../../src/notify/tell.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { closedUrl } from '../workers/support/step-world.ts';

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

const CLOCK = handClock('2026-06-15T10:00:00.000Z');
const NOTICE: Notice = {
  event: 'raised',
  kind: 'file_held',
  subject: 'f',
  account: 'main',
  text: 'File f waits.',
  figures: {},
  at: CLOCK.now(),
};

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
    expect(faults[3]).toBe('it could not be told (ECONNREFUSED)');
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
    const asked = ['rows_withheld', 'file_done'];
    expect(kindsOf(postTo())).toEqual(Object.keys(ALARM_KINDS).filter((kind) => !asked.includes(kind)));
  });
});
