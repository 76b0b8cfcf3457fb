import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendMail } from '../../src/notify/send-mail.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { closedUrl } from '../workers/support/step-world.ts';

let server: MailServer;
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.close());

const PEOPLE = { from: 'paydrop@example.test', to: ['ann@example.test', 'bob@example.test'] };
const MESSAGE = { title: '[paydrop] a file waits', text: 'File f: 2 rows.\n\n.hidden line', json: {} };

describe('sendMail', () => {
  it('sends plain text to everybody', async () => {
    await sendMail({ ...PEOPLE, smtpUrl: server.url }, MESSAGE);
    expect(server.mails).toMatchObject([PEOPLE]);
    expect(server.mails[0]!.text).toMatch(/^Subject: \[paydrop\] a file waits$/m);
    expect(server.mails[0]!.text).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(server.mails[0]!.text).toContain('File f: 2 rows.');
    expect(server.mails[0]!.text).toMatch(/^Content-Type: text\/plain/m);
  });

  it('fails when the server does not take it', async () => {
    server.refuse('451 later');
    await expect(sendMail({ ...PEOPLE, smtpUrl: server.url }, MESSAGE)).rejects.toThrow('451');
    expect(server.mails).toEqual([]);
  });

  it('says a password to no server without TLS, but to one on this machine', async () => {
    const withPassword = (host: string) => server.url.replace('127.0.0.1', `ann:hidden-word@${host}`);
    // The same server, at an address not recognized as this machine.
    const elsewhere = sendMail({ ...PEOPLE, smtpUrl: withPassword('[::ffff:127.0.0.1]') }, MESSAGE);
    await expect(elsewhere).rejects.toThrow(/TLS/i);
    expect(server.mails).toEqual([]);
  });

  it('fails when there is no server', async () => {
    const smtpUrl = (await closedUrl()).replace('http', 'smtp');
    await expect(sendMail({ ...PEOPLE, smtpUrl }, MESSAGE)).rejects.toThrow('ECONNREFUSED');
  });
});
