import { saidCode } from '../../../schemas/errors.ts';
import { type Outcome } from '../../../schemas/lifecycle.ts';
import { saidOutcome } from '../../../schemas/shown.ts';
import { byNumber, counted } from '../../../src/kernel/counted.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { AlarmCause, AlarmFigures } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { ALARM_KINDS, isCoreAlarm } from '../../../schemas/alarms.ts';
import type { FeatureAlarms } from '../../feature-work.ts';
import { isPlaceKey } from './unattended.ts';
import { sayWithheld } from '../../../src/reconcile/say-withheld.ts';

/** Returns the sentence of an alarm: counts, totals and the command that shows more, but no name and no row data. */
export function describeAlarm(
  { kind, subject, account, figures: found }: AlarmCause,
  currency?: string,
  alarms: FeatureAlarms = {},
): string {
  const { means } = ALARM_KINDS[kind];
  const ofFeature = alarms[kind];
  if (!isCoreAlarm(kind)) return ofFeature?.describe(subject, found) ?? `${means}: ${subject}`;
  const figures = { ...found, currency };
  const { batches = 0 } = figures;
  switch (kind) {
    case 'batch_unknown':
      return `Batch ${subject}: ${sumOf(figures)} in doubt. Its account is stopped. "paydrop resolve ${subject}" shows the options. Never drop its file again.`;
    case 'paid_meanwhile':
      return `Batch ${subject}: ${sumOf(figures)}. It is not sent. "paydrop why ${subject}" shows both payments; then "paydrop cancel ${subject} --reason …" or "paydrop release ${subject} --reason …".`;
    case 'perhaps_twice':
      return `Batch ${subject}: ${sumOf(figures)} perhaps paid twice. "paydrop why ${subject}" shows both payments. Refund one, then "paydrop acknowledge ${subject} --reason …".`;
    case 'rows_undecided':
      return `Batch ${subject}: ${sumOf(figures)} undecided: the service did not say whether it charged them. "paydrop resolve ${subject}" shows the options. Never send them again before it is known.`;
    case 'exception':
      return `Batch ${subject}: ${sumOf(figures)}. "paydrop exceptions ${subject}" shows both sides.`;
    case 'result_overdue':
      return `Batch ${subject}: ${sumOf(figures)}. paydrop keeps asking; ask the service. "paydrop why ${subject}" shows its history.`;
    case 'file_held':
      return `File ${subject}: ${sumOf(figures)}${codeOf(figures)}. ${figures.rows ? `"paydrop approve ${subject} --reason …" or ` : ''}"paydrop decline ${subject} --reason …".`;
    case 'came_late':
      return `File ${subject}: ${sumOf(figures)}. After it was taken: ${figures.says ?? 'something came'}. Its unsent batches wait. "paydrop acknowledge ${subject} --reason …" lets them go; "paydrop cancel ${subject} --reason …" stops them.`;
    case 'file_refused':
      return `File ${subject}${codeOf(figures)}. "paydrop show ${subject}" says why.`;
    case 'rows_withheld':
      return `File ${subject}: ${withheldOf(figures)}. The other rows continue. "paydrop why ${subject}" shows more.`;
    case 'file_done':
      return `File ${subject}: ${sumOf(figures)}; ${outcomesOf(figures)}.`;
    case 'profile_changed':
      return describeProfile(figures);
    case 'account_stopped':
      return `${account ? `Account ${account}` : 'All accounts'}: ${batchesOf(figures)} ${byNumber(batches, 'waits', 'wait')}. "paydrop account list" shows why and what to do.`;
    case 'silence':
      if (isPlaceKey(subject)) return describeFailing(figures);
      return subject.startsWith('polls:')
        ? `Account ${account ?? subject.slice('polls:'.length)}: the service has ${batchesOf(figures)}, and the request for the result is overdue or gets no answer. Run "paydrop doctor" to find the cause.`
        : `Folder ${subject} was not scanned for ${minutesOf(figures)}.`;
    case 'not_reached':
      return `Account ${subject}: ${batchesOf(figures)} ${byNumber(batches, 'waits and is', 'wait and are')} retried. Nothing was sent.`;
    case 'failing':
      return describeFailing(figures);
    case 'late':
      return describeLate(subject);
    case 'digest':
      return figures.says ?? 'Nothing needs attention.';
    case 'trouble':
      return `${subject}: no answer, or a refusal, for ${minutesOf(figures)}. Nothing is lost, but work is stopped.${figures.says ? ` ${figures.says}` : ''}`;
  }
}

function describeFailing({ count = 1, says = 'Some work makes no progress', next }: AlarmFigures): string {
  const others = count > 1 ? [`${count - 1} more of this kind ${byNumber(count - 1, 'is', 'are')} affected.`] : [];
  return [`${says.replace(/\.$/, '')}.`, ...others, ...(next ? [next] : [])].join(' ');
}

function describeProfile({ profile = '', version = 1, replaces, folders = [] }: AlarmFigures): string {
  const place = `${byNumber(folders.length, 'folder', 'folders')} ${folders.join(', ')}`;
  const first = `Version ${version} of profile ${profile} reads the files of ${place}`;
  return replaces
    ? `${first} in place of version ${replaces}. "paydrop profile diff ${profile} ${replaces} ${version}" shows what changed, "paydrop profile show ${profile}" who confirmed it.`
    : `${first}. "paydrop profile show ${profile}" shows it and who confirmed it.`;
}

function describeLate(subject: string): string {
  const [, folder, what = subject] = /^(expect:)?(.*)$/.exec(subject.replace(/ (?=\S+$)/, ' on ')) ?? [];
  return folder
    ? `No file arrived in time in folder ${what}. Ask the sender; never drop an old file in its place.`
    : `The run of schedule ${what} was missed or failed. "paydrop schedule list --all" shows why.`;
}

function withheldOf({ rows = 0, cents = 0, unreadable = 0 }: AlarmFigures): string {
  return sayWithheld({ rows, cents, unreadable });
}

/** The figures of an alarm, with the currency of its account if it is of one. */
type Figures = AlarmFigures & { readonly currency: string | undefined };

function sumOf({ rows = 0, cents = 0, currency }: Pick<Figures, 'rows' | 'cents' | 'currency'>): string {
  return `${counted(rows, 'row')}, ${formatCents(cents)}${currency === undefined ? '' : ` ${currency}`}`;
}

function batchesOf(figures: Figures): string {
  return `${counted(figures.batches ?? 0, 'batch')} with ${sumOf(figures)}`;
}

export function minutesOf({ minutes = 0 }: AlarmFigures): string {
  return minutes < 1 ? 'less than a minute' : counted(minutes, 'minute');
}

function codeOf({ code }: AlarmFigures): string {
  return code ? `: ${saidCode(code)}` : '';
}

function outcomesOf({ outcomes = {}, currency }: Figures): string {
  const parts = Object.entries(outcomes).map(
    ([outcome, sum]) => `${sumOf({ ...sum, currency })} ${saidOutcome(outcome as Outcome)}`,
  );
  return parts.join('; ') || 'no outcomes';
}
