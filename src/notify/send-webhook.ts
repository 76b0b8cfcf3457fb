import { createHmac } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Message } from './write-message.ts';

export type WebhookTarget = { url: string; secret: string };

/** Longest wait for the whole answer, in ms. */
const ANSWER_MS = 10_000;

/**
 * Posts JSON. `paydrop-timestamp` is the time in seconds since 1970. `paydrop-signature` is `sha256=` and the
 * hexadecimal HMAC-SHA-256 of the timestamp, a period and the body. The receiver computes the same signature, compares
 * it and rejects old requests. Any 2xx status is a receipt. Redirects are not followed, because they would give the
 * message to another party.
 * @throws when there is no receipt; the error names neither address nor secret
 */
export async function sendWebhook(
  { url, secret }: WebhookTarget,
  message: Message,
  clock: Clock,
  answerMs = ANSWER_MS,
): Promise<void> {
  const body = JSON.stringify(message.json);
  const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
    headers: {
      'content-type': 'application/json',
      'paydrop-timestamp': timestamp,
      'paydrop-signature': signWebhook(secret, timestamp, body),
    },
    body,
  });
  // The response body does not matter and may be endless.
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}

export function signWebhook(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
