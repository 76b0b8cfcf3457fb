import { ALARM_KINDS, type AlarmKind } from '../../schemas/alarms.ts';
import { groupBy } from '../kernel/group-by.ts';

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
export function writeMessage(notices: readonly Notice[]): Message {
  const alike = [...groupBy(notices, ({ event, kind }) => `${event} ${kind}`).values()];
  const shown = new Set(alike.flatMap((group) => group.slice(0, SHOWN)));
  const leftOut = alike.filter((group) => group.length > SHOWN);
  return {
    title: titleOf(notices),
    text: [
      ...notices.filter((notice) => shown.has(notice)).map(paragraphOf),
      ...leftOut.map((group) => `${group.length - SHOWN} more: ${ALARM_KINDS[group[0]!.kind].means}`),
      'Sent by paydrop. Nothing of a payment stands in this message.',
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
  if (notice.event === 'cleared') return `OVER ${when}: ${headingOf(notice)}\n${notice.text}`;
  return `${when}: ${headingOf(notice)}\n${notice.text}\nWhat to do: ${ALARM_KINDS[notice.kind].next}`;
}
