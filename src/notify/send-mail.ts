import { createTransport } from 'nodemailer';
import { isLoopback } from '../kernel/is-loopback.ts';
import type { Message } from './tell.ts';

type MailTarget = { smtpUrl: string; from: string; to: readonly string[] };

/** Longest wait for each step, in ms: name look-up and connection, greeting, and an answer. */
const STEP_MS = 10_000;

/** Sends a plain-text mail over its own connection. @throws what the server or the network reported */
export async function sendMail(target: MailTarget, message: Message): Promise<void> {
  const address = new URL(target.smtpUrl);
  const { password, hostname } = address;
  // Query parameters in the URL would override the options here.
  address.search = '';
  const transport = createTransport({
    url: address.href,
    // A password never crosses the network unencrypted, even if the server offers no TLS.
    requireTLS: password !== '' && !isLoopback(hostname),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // Text is never treated as the path or URL of an attachment.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: target.from,
      to: [...target.to],
      subject: message.title,
      text: message.text,
      // Auto-responders leave this mail alone.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } finally {
    transport.close();
  }
}
