import { createHash } from 'node:crypto';
import { type AlarmKind, USUAL_ALARM_KINDS } from '../../schemas/alarms.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AlarmTarget } from '../config/config.ts';
import { systemCode } from '../kernel/errors.ts';
import { sendWebhook } from './send-webhook.ts';
import { type Notice, writeMessage } from './write-message.ts';

/**
 * Sends notices to a target.
 * @returns why that failed, without the target's address; undefined on success
 */
export async function tell(target: AlarmTarget, notices: readonly Notice[], clock: Clock): Promise<string | undefined> {
  const message = writeMessage(notices);
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
  return target.kinds ?? USUAL_ALARM_KINDS;
}

/** Leaves out messages of a mail server or the network, which may repeat an address with its password. */
function faultOf(error: unknown): string {
  if (error instanceof Error && /^the receiver answered \d{3}$/.test(error.message)) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const code = systemCode(error) ?? systemCode(error instanceof Error ? error.cause : undefined);
  return `it could not be told (${code && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unforeseen error'})`;
}
