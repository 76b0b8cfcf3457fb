import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { SHOWN, SHOWN_OUTCOMES, shownOfState } from '../../../schemas/shown.ts';
import type { ShownFile } from '../../explain/read-blocks.ts';
import type { RowPlace } from '../../ledger/row/read-payment.ts';
import { groupDigits, groupedCount } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import {
  isNear,
  ListContext,
  nameZone,
  PageTimeContext,
  sayDistance,
  sayFully,
  sayInZones,
  sayShortly,
} from './when.ts';

/** Shows money as 1,234.50, followed by the currency if known. */
export function Money({ cents, currency }: { cents: number; currency?: string | undefined }) {
  return (
    <span class="money">
      {groupDigits(formatCents(cents))}
      {currency && <small> {currency}</small>}
    </span>
  );
}

/** Shows a count; a noun agrees with it. */
export function Count({ of, noun }: { of: number; noun?: string }) {
  return <>{noun === undefined ? groupDigits(String(of)) : groupedCount(of, noun)}</>;
}

/**
 * Shows a moment in the zone of the person who looks: shortly in a list, otherwise in full. The exact moment in every
 * zone that matters is told on hover; the `dateTime` attribute is UTC.
 * @param timeZone of the account that it belongs to
 * @param isExact in full, in a list too
 * @param isWindow an hour that the account keeps, so its zone is told as well when it is another
 */
export function Moment({
  at,
  timeZone = 'UTC',
  isExact = false,
  isWindow = false,
}: {
  at: Date;
  timeZone?: string | undefined;
  isExact?: boolean;
  isWindow?: boolean;
}) {
  const page = useContext(PageTimeContext);
  const isShort = useContext(ListContext) && !isExact;
  if (page === undefined) return <time dateTime={at.toISOString()}>{formatInZone(at, timeZone)}</time>;
  const isElsewhere = isWindow && timeZone !== page.timeZone;
  const here = isShort ? sayShortly(at, page) : sayFully(at, page.timeZone);
  return (
    <time dateTime={at.toISOString()} title={sayInZones(at, [page.timeZone, timeZone])}>
      {isElsewhere ? `${sayShortly(at, { ...page, timeZone })} ${nameZone(timeZone)}, ${here} yours` : here}
      {isShort && isNear(at, page.now) && <span data-distance=""> · {sayDistance(at, page.now)}</span>}
    </time>
  );
}

const WRITTEN_MOMENT = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d [+-]\d\d:\d\d|T\d\d:\d\d:\d\d(?:\.\d+)?Z))/;

/** Finds commands in a text, which stand in quotes there. */
export const QUOTED_COMMAND = /"(paydrop [^"]+)"/;

/** Shows a command only to a reader who asks for it: most of them have no command line. */
export function HostCommand({ command }: { command: string }) {
  return (
    <details class="command">
      <summary>a command on the host</summary> <code>{command}</code>
    </details>
  );
}

/** Shows a sentence that commands share, with the moments in it as everywhere on the page, and folded commands. */
function Said({ text }: { text: string }) {
  if (useContext(PageTimeContext) === undefined) return <>{text}</>;
  return (
    <>
      {text
        .split(QUOTED_COMMAND)
        .map((words, index) =>
          index % 2 === 0 ? <WithMoments key={index} text={words} /> : <HostCommand key={index} command={words} />,
        )}
    </>
  );
}

function WithMoments({ text }: { text: string }) {
  const parts = text.split(WRITTEN_MOMENT);
  return (
    <>{parts.map((part, index) => (index % 2 === 0 ? part : <Moment key={index} at={new Date(part)} isExact />))}</>
  );
}

/** Shows a moment by how long ago it was, with the exact one on hover. */
export function Since({ at, children }: { at: Date; children: ComponentChildren }) {
  const timeZone = useContext(PageTimeContext)?.timeZone ?? 'UTC';
  return (
    <time dateTime={at.toISOString()} title={sayInZones(at, [timeZone])}>
      {children}
    </time>
  );
}

/** Shows any content as `Said` does when it is a mere sentence. */
export function said(content: ComponentChildren): ComponentChildren {
  return typeof content === 'string' ? <Said text={content} /> : content;
}

/** Shows a state that stands alone, such as a step of a history or a run, in its word. */
export function State({ state }: { state: string }) {
  const shown = shownOfState(state);
  return shown === undefined ? <span class="state quiet">{state}</span> : <StateBadge of={{ shown, blockedBy: [] }} />;
}

/** Shows how a file or batch stands. What blocks it is told on hover; its own page tells it in the text. */
export function StateBadge({ of: { shown, blockedBy } }: { of: ShownFile }) {
  const { word, tone, means } = SHOWN[shown];
  const title = shown === 'blocked' ? blockedBy.map(({ says }) => says).join('; ') : means;
  return (
    <span class={`state ${tone}`} data-state={shown} title={title}>
      {word}
    </span>
  );
}

/** Shows the outcome of a row. Its name in the output files is told on hover. */
export function OutcomeWord({ outcome }: { outcome: string }) {
  const { label, means } = OUTCOMES[outcome as Outcome];
  const { word, tone } = SHOWN_OUTCOMES[outcome as Outcome];
  return (
    <span class={`state ${tone}`} title={`${means}; ${label} in the output files`}>
      {word}
    </span>
  );
}

/** Leads from a row, wherever it is shown, to the page of its payment. */
export function PaymentLink({ fileId, line, children }: RowPlace & { children?: ComponentChildren }) {
  return <a href={`/payments/${fileId}/${line}`}>{children ?? line}</a>;
}

/** Shows rows and their money in a sentence: `1,200 rows, 30,000.00 USD`. */
export function Sum({
  of: { rows, cents },
  currency,
}: {
  of: { readonly rows: number; readonly cents: number };
  currency: string | undefined;
}) {
  return (
    <>
      <Count of={rows} noun="row" />, <Money cents={cents} currency={currency} />
    </>
  );
}
