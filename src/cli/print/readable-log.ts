import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import { groupDigits } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OutcomeTotals } from '../../rows/rows.ts';
import type { Paint } from './paint.ts';

/** Shows log lines to a person. Lines keep their order while the name of a file is looked up. */
export type ReadableLog = {
  /** Takes a line of the JSON log. */
  write(line: string): void;
  /** Shows a text of its own after the lines so far. */
  say(at: Date, text: string): void;
  /** Resolves when everything so far is shown. */
  shown(): Promise<void>;
};

type Fields = Readonly<Record<string, unknown>>;

/** Longest wait for a file's name, in ms; then its id stands in the line. */
const NAME_MS = 1_000;
/** Most names kept. */
const MOST_NAMES = 1_000;

/**
 * @param timeZone of the times in front of the lines
 * @param nameOf finds the name of a file by its id; a failure counts as unknown
 * @param show receives each line with its line end
 */
export function readableLog(options: {
  timeZone: string;
  paint: Paint;
  nameOf(fileId: string): Promise<string | undefined>;
  show(line: string): void;
}): ReadableLog {
  const { timeZone, paint, show } = options;
  const names = new Map<string, string>();
  let last: Promise<void> = Promise.resolve();
  const nameOf = async (fileId: string) => {
    const known = names.get(fileId);
    if (known !== undefined) return known;
    const found = await answerInTime(NAME_MS, options.nameOf(fileId)).catch(() => undefined);
    if (found === undefined) return fileId;
    const [oldest] = names.keys();
    if (names.size === MOST_NAMES && oldest !== undefined) names.delete(oldest);
    names.set(fileId, found);
    return found;
  };
  const sayAt = (at: Date, text: string) => show(`${paint('dim', formatInZone(at, timeZone).slice(11, 19))} ${text}\n`);
  const showLine = async (line: string) => {
    const fields = JSON.parse(line) as Fields;
    const { fileId, time } = fields;
    const name = typeof fileId === 'string' ? await nameOf(fileId) : undefined;
    sayAt(new Date(String(time)), describeLine(fields, name, paint));
  };
  return {
    write: (line) => void (last = last.then(() => showLine(line))),
    say: (at, text) => void (last = last.then(() => sayAt(at, text))),
    shown: () => last,
  };
}

function describeLine(fields: Fields, name: string | undefined, paint: Paint): string {
  const { level, msg, batchNo } = fields;
  const batch = typeof batchNo === 'number' ? ` batch ${batchNo}` : '';
  const about = name === undefined ? '' : `${paint('bold', plainText(name) + batch)}: `;
  const details = describeDetails(fields);
  const text = plainText([msg, ...(details === '' ? [] : [`(${details})`])].join(' '));
  if (level === 'error' || level === 'fatal') return `${about}${paint('red', `error: ${text}`)}`;
  return `${about}${level === 'warn' ? paint('yellow', `warning: ${text}`) : text}`;
}

/** Replaces control characters: a text of the service must not steer the terminal. */
function plainText(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** What stands elsewhere in the line, or says nothing to a person at a terminal. */
const LEFT_OUT = new Set([
  'level',
  'time',
  'msg',
  'fileId',
  'batchNo',
  'folders',
  'site',
  'roles',
  'instance',
  'role',
  'version',
  'home',
  'attempt',
  'verdict',
]);

const SAYINGS: Readonly<Record<string, (value: unknown) => string>> = {
  bytes: (value) => `${groupDigits(String(value))} bytes`,
  outcomes: (value) => describeOutcomes(value as OutcomeTotals),
  err: (value) => describeError(value as Fields),
  url: String,
};

function describeDetails(fields: Fields): string {
  const { verdict, batchNo } = fields;
  const checked = typeof verdict === 'string' && batchNo === undefined ? [verdict] : [];
  const rest = Object.entries(fields).flatMap(([name, value]) =>
    LEFT_OUT.has(name) ? [] : [SAYINGS[name]?.(value) ?? `${name} ${asText(value)}`],
  );
  return [...checked, ...rest].join(', ');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function describeOutcomes(totals: OutcomeTotals): string {
  const outcomes = Object.keys(OUTCOMES) as Outcome[];
  return outcomes
    .flatMap((outcome) => {
      const total = totals[outcome];
      const label = OUTCOMES[outcome].label.toLowerCase().replaceAll('_', ' ');
      return total?.rows ? [`${total.rows} ${label} ${formatCents(total.cents)}`] : [];
    })
    .join(', ');
}

function describeError({ message, code, type }: Fields): string {
  return String(message ?? code ?? type);
}
