import { createHash, createHmac } from 'node:crypto';
import { ALARM_KINDS, type AlarmKind, USUAL_ALARM_KINDS } from '../../schemas/alarms.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AlarmTarget } from '../config/config.ts';
import { systemCode } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group-by.ts';

/** Who gets notices: a target of the configuration, or a user who has confirmed an address. */
export type Recipient = AlarmTarget & {
  readonly person?: string;
  /** Notices of other accounts are not sent; empty or left out for all. */
  readonly accounts?: readonly string[];
};

/**
 * Sends notices to a target.
 * @param dashboardUrl address of the dashboard, if the configuration has it
 * @returns why that failed, without the target's address; undefined on success
 */
export async function tell(
  target: AlarmTarget,
  notices: readonly Notice[],
  clock: Clock,
  dashboardUrl?: string,
): Promise<string | undefined> {
  return deliver(target, writeMessage(notices, dashboardUrl), clock);
}

/** Sends any message to a target, and returns as `tell` does. */
export async function deliver(target: AlarmTarget, message: Message, clock: Clock): Promise<string | undefined> {
  try {
    if (target.by === 'webhook') await sendWebhook(target, message, clock);
    else await (await import('./send-mail.ts')).sendMail(target, message);
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

/** Returns a key for the target that survives restarts and reveals nothing. */
export function targetKey(target: AlarmTarget): string {
  const place = target.by === 'mail' ? [target.smtpUrl, target.from, ...target.to] : [target.url];
  const hash = createHash('sha256')
    .update(JSON.stringify([target.by, ...place]))
    .digest('hex');
  return `${target.by}-${hash.slice(0, 12)}`;
}

export function kindsOf(target: AlarmTarget): readonly AlarmKind[] {
  const kinds = target.kinds ?? USUAL_ALARM_KINDS;
  return digestOf(target) === undefined ? kinds : [...kinds, 'digest'];
}

/** Returns the time of the target's daily mail, such as `07:00`. */
export function digestOf(target: AlarmTarget): string | undefined {
  return target.by === 'mail' ? target.digest : undefined;
}

/** Leaves out messages of a mail server or the network, which may repeat an address with its password. */
function faultOf(error: unknown): string {
  if (error instanceof Error && /^the receiver answered \d{3}$/.test(error.message)) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const code = systemCode(error) ?? systemCode(error instanceof Error ? error.cause : undefined);
  return `it could not be delivered (${code && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unforeseen error'})`;
}

type WebhookTarget = { url: string; secret: string };

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

/** One event in a message. */
export type Notice = {
  event: 'raised' | 'cleared';
  kind: AlarmKind;
  subject: string;
  account: string | null;
  text: string;
  figures: object;
  at: Date;
};

export type Message = { title: string; text: string; json: object };

/** Notices of one kind shown in full; users stop reading after that. */
const SHOWN = 20;

/** Writes one message for all notices, however many: a thousand held files make one mail with their number. */
export function writeMessage(notices: readonly Notice[], dashboardUrl?: string): Message {
  const alike = [...groupBy(notices, ({ event, kind }) => `${event} ${kind}`).values()];
  const shown = new Set(alike.flatMap((group) => group.slice(0, SHOWN)));
  const leftOut = alike.filter((group) => group.length > SHOWN);
  return {
    title: titleOf(notices),
    text: [
      ...notices.filter((notice) => shown.has(notice)).map(paragraphOf),
      ...leftOut.map((group) => `${group.length - SHOWN} more: ${ALARM_KINDS[group[0]!.kind].means}`),
      ...(dashboardUrl === undefined ? [] : [`What needs you is at ${dashboardUrl}/queue`]),
      'Sent by paydrop. This message contains no payment data.',
    ].join('\n\n'),
    json: {
      alarms: notices
        .filter((notice) => shown.has(notice))
        .map(({ at, ...notice }) => ({ ...notice, at: at.toISOString() })),
      ...(leftOut.length > 0 && {
        more: leftOut.map((group) => ({
          event: group[0]!.event,
          kind: group[0]!.kind,
          count: group.length - SHOWN,
        })),
      }),
    },
  };
}

function titleOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (notices.length === 1 && first) return `[paydrop] ${first.event === 'cleared' ? 'over: ' : ''}${headingOf(first)}`;
  const raised = notices.filter(({ event }) => event === 'raised').length;
  return `[paydrop] ${raised} new, ${notices.length - raised} over`;
}

function headingOf({ kind, account }: Notice): string {
  return `${ALARM_KINDS[kind].means}${account ? ` (${account})` : ''}`;
}

function paragraphOf(notice: Notice): string {
  const when = notice.at.toISOString();
  if (notice.event === 'cleared')
    return `OVER ${when}: ${headingOf(notice)}\nThere is nothing to do any more. The alarm said: ${notice.text}`;
  return `${when}: ${headingOf(notice)}\n${notice.text}\nWhat to do: ${ALARM_KINDS[notice.kind].next}`;
}
