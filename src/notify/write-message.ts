import { ALARM_KINDS, type AlarmKind } from '../../schemas/alarms.ts';

/** What somebody is told in one message. */
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

/** One message for all that happened, so that a thousand held files are one mail. */
export function writeMessage(notices: readonly Notice[]): Message {
  return {
    title: titleOf(notices),
    text: [...notices.map(paragraphOf), 'Sent by paydrop. Nothing of a payment stands in this message.'].join('\n\n'),
    json: { alarms: notices.map(({ at, ...notice }) => ({ ...notice, at: at.toISOString() })) },
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
  if (notice.event === 'cleared') return `OVER ${when}: ${headingOf(notice)}\n${notice.text}`;
  return `${when}: ${headingOf(notice)}\n${notice.text}\nWhat to do: ${ALARM_KINDS[notice.kind].next}`;
}
