import { createTransport } from 'nodemailer';
import { isLoopback } from '../kernel/is-loopback.ts';
import type { Message } from './write-message.ts';

export type MailTarget = { smtpUrl: string; from: string; to: readonly string[] };

/** Longest wait for each step, in ms: name and connection, greeting, and an answer. */
const STEP_MS = 10_000;

/** Sends a mail of plain text over a connection of its own. @throws what the server or the network said */
export async function sendMail(target: MailTarget, message: Message): Promise<void> {
  const address = new URL(target.smtpUrl);
  const { password, hostname } = address;
  // What stands behind a question mark would win over the options here.
  address.search = '';
  const transport = createTransport({
    url: address.href,
    // A password never crosses the network in plain, also where the server offers no TLS.
    requireTLS: password !== '' && !isLoopback(hostname),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // A text is never a path or an address of something to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: target.from,
      to: [...target.to],
      subject: message.title,
      text: message.text,
      // Programs that answer mails by themselves leave this one alone.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } finally {
    transport.close();
  }
}
