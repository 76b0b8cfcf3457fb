import { saidCode } from '../../../schemas/errors.ts';
import {
  FINAL_BATCH_STATES,
  type BatchMove,
  type FileMove,
  OUTCOMES,
  type Outcome,
} from '../../../schemas/lifecycle.ts';
import { type Advice, rejectionOf } from '../../../schemas/rejections.ts';
import { adviceOn, SHOWN, SHOWN_ADVICE, SHOWN_OUTCOMES, type Tone } from '../../../schemas/shown.ts';
import { type Step, stepText } from '../../../schemas/steps.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import type { Settings } from '../../config/config.ts';
import { holdsCardNumber, maskText } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import {
  type Payment,
  type PaymentTry,
  readPayment,
  type RowOutcome,
  type RowPlace,
  type TryLink,
} from '../../ledger/row/read-payment.ts';
import { type Blocks, readBlocks, showBatch } from '../read-blocks.ts';
import { capital, ended, type Sentence, whoDid } from './sentence.ts';
import { NOTHING_TO_DO, type Why } from './tell-why.ts';

/** How a payment stands: in a word, in a sentence, and what to do about it; `advice` is left out where nothing is. */
export type Standing = {
  readonly word: string;
  readonly tone: Tone;
  readonly means: string;
  readonly advice?: Advice | undefined;
  readonly since: Date;
};

/** Something that happened to a payment. `by` is empty for what paydrop did itself. */
export type PaymentEvent = {
  readonly at: Date;
  readonly word: string;
  readonly tone: Tone;
  readonly says: string;
  readonly by: string;
  /** The file, batch or payment that it leads to, and the run that did it. */
  readonly see: { readonly fileId: string; readonly batchNo?: number; readonly line?: number; readonly runNo?: number };
};

/** A payment over all its tries, and how each stands. */
export type ToldPayment = Omit<Payment, 'tries'> & {
  readonly tries: readonly (PaymentTry & { readonly standing: Standing })[];
  readonly events: readonly PaymentEvent[];
  /** What may be written to the customer, without any number of a card or account; empty if the last try is not here. */
  readonly answer: string;
};

/** Tells everything about a payment. @throws PipelineError NOT_FOUND when the ledger has no such row */
export async function tellPayment(ledger: Ledger, settings: Settings, place: RowPlace): Promise<ToldPayment> {
  const [payment, blocksOf] = await Promise.all([
    readPayment(ledger, place, Object.keys(MOVES)),
    readBlocks(ledger, settings),
  ]);
  const tries = payment.tries.map((one) => ({ ...one, standing: standingOf(one, blocksOf) }));
  const events = tries.flatMap((one, index) => eventsOf(one, tries[index + 1]));
  return {
    ...payment,
    tries,
    events: events.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
    answer: payment.hasLater ? '' : answerOf(tries.at(-1)!, settings),
  };
}

/** Explains a payment in the form of every explanation. */
export async function whyPayment(ledger: Ledger, settings: Settings, place: RowPlace): Promise<Why> {
  const { tries, at, events, answer } = await tellPayment(ledger, settings, place);
  const [here, last] = [tries[at]!, tries.at(-1)!];
  const { standing, fileId, batchNo, batchState, isClosed } = last;
  const isOpen = batchNo !== null && batchState !== null && !isFinal(batchState);
  const steps: Step[] = [
    ...(standing.advice === undefined ? [] : [[ended(capital(SHOWN_ADVICE[standing.advice].says))]]),
    ...(isClosed !== null && batchNo !== null ? [stepForUnknown(isClosed, { fileId, batchNo })] : []),
    ...(isOpen ? [['How its batch stands: ', { see: 'why', fileId, batchNo } as const, '.']] : []),
  ];
  const all = steps.length > 0 ? steps : [NOTHING_TO_DO];
  return {
    about: `line ${here.line} of ${here.name} (file ${here.fileId})`,
    timeZone: settings.accounts.get(here.account)?.timeZone ?? 'UTC',
    story: events.map(asSentence),
    now: [`${standing.word}: ${ended(standing.means)}`, ...(answer ? [`For the customer: ${answer}`] : [])],
    next: all.map(stepText),
    steps: all,
  };
}

/** Says how to decide a payment whose outcome is unknown. */
function stepForUnknown(isClosed: boolean, key: { fileId: string; batchNo: number }): Step {
  const when = isClosed
    ? 'If a transaction report of the service shows it later: '
    : 'Then enter what the service says: ';
  return [when, { see: 'doubt', ...key }, '.'];
}

function asSentence({ at, word, says, by }: PaymentEvent): Sentence {
  return { at, text: ended(`${word}${by && ` by ${by}`}${says && `: ${says}`}`) };
}

function isFinal(state: string): boolean {
  return (FINAL_BATCH_STATES as readonly string[]).includes(state);
}

/** Returns the present outcome of a try; undefined while it has none. */
function outcomeOf({ first, changes, batchNo, batchState, fileState }: PaymentTry): RowOutcome | undefined {
  const kept = changes.at(-1) ?? first;
  if (kept) return kept;
  const without = (outcome: Outcome) => ({ outcome, code: null, message: '', authorization: '' });
  if (fileState === 'rejected' || fileState === 'claimed') return undefined;
  if (batchNo === null) return without('invalid');
  return fileState === 'cancelled' || batchState === null || isFinal(batchState) ? without('not_sent') : undefined;
}

function standingOf(one: PaymentTry, blocksOf: Blocks): Standing {
  const present = outcomeOf(one);
  const { fileState, account, batchState, faults } = one;
  if (present) {
    const { outcome, code } = present;
    const [means = OUTCOMES[outcome].means] = [
      ...(code === null ? [] : [rejectionOf(code).message]),
      ...(outcome === 'invalid' && faults.length > 0 ? [sayFaults(one)] : []),
      ...(outcome === 'unknown' ? [meansUnknown(one, present)] : []),
    ];
    return { ...SHOWN_OUTCOMES[outcome], means, advice: adviceOn(outcome, code), since: sinceOf(one) };
  }
  const isOfFile = batchState === null || fileState === 'rejected';
  const { shown, blockedBy } = isOfFile
    ? { shown: fileState === 'rejected' ? ('rejected' as const) : ('checking' as const), blockedBy: [] }
    : showBatch({ state: batchState }, { account, state: fileState }, blocksOf);
  const { word, tone, means } = SHOWN[shown];
  const advice = shown === 'rejected' ? 'fix' : shown === 'in_doubt' || shown === 'mismatch' ? 'unknown' : undefined;
  return {
    word,
    tone,
    means: blockedBy.length > 0 ? blockedBy.map(({ says }) => says).join('; ') : means,
    advice,
    since: sinceOf(one),
  };
}

/** Says why nobody knows whether a payment was charged: a person closed it, or its answer does not say. */
function meansUnknown({ isClosed }: PaymentTry, { message }: RowOutcome): string {
  if (isClosed)
    return 'a person closed it without knowing whether it was charged; ask the service before paying it again';
  return `“${message}” does not say whether it was charged; ask the service`;
}

function sinceOf({ changes, finalAt, batchStateAt, fileStateAt }: PaymentTry): Date {
  return changes.at(-1)?.at ?? finalAt ?? batchStateAt ?? fileStateAt;
}

function sayFaults({ faults }: PaymentTry): string {
  return faults.map(({ code, detail }) => [saidCode(code), detail].filter(Boolean).join(': ')).join('; ');
}

/** Moves that the reader of a payment wants to know; `reason` adds why. */
const MOVES: Readonly<
  Partial<Record<FileMove | BatchMove, { readonly word: string; readonly tone: Tone; readonly reason?: true }>>
> = {
  accept: { word: 'Checked', tone: 'good' },
  hold: { word: 'Held', tone: 'warn', reason: true },
  reject: { word: 'File rejected', tone: 'bad', reason: true },
  approve: { word: 'File approved', tone: 'good', reason: true },
  decline: { word: 'File declined', tone: 'quiet', reason: true },
  send: { word: 'Sent', tone: 'busy' },
  submit: { word: 'Accepted', tone: 'busy', reason: true },
  refuse: { word: 'Refused by the service', tone: 'bad', reason: true },
  unsent: { word: 'Not sent', tone: 'warn', reason: true },
  doubt: { word: 'In doubt', tone: 'bad', reason: true },
  recall: { word: 'In doubt', tone: 'bad', reason: true },
  'recall-refused': { word: 'In doubt', tone: 'bad', reason: true },
  adopt: { word: 'Matched to a batch of the service', tone: 'busy', reason: true },
  absolve: { word: 'Confirmed not received', tone: 'quiet', reason: true },
  settle: { word: 'Doubt resolved', tone: 'good', reason: true },
  distrust: { word: 'Result mismatch', tone: 'bad', reason: true },
  except: { word: 'Result mismatch', tone: 'bad', reason: true },
  map: { word: 'Result accepted', tone: 'good', reason: true },
  recover: { word: 'Result matches', tone: 'good', reason: true },
  disown: { word: 'Result rejected', tone: 'bad', reason: true },
  retry: { word: 'To be sent again', tone: 'busy', reason: true },
  withdraw: { word: 'Not to be sent', tone: 'quiet', reason: true },
  cancel: { word: 'Cancelled', tone: 'quiet', reason: true },
};

/** @param later the try after this one, to which sending it again leads */
function eventsOf(one: PaymentTry, later: PaymentTry | undefined): PaymentEvent[] {
  const { fileId, line, name, batchNo, links, first, finalAt, batchStateAt, changes, again } = one;
  const see = { fileId, line };
  const seeBatch = { fileId, ...(batchNo !== null && { batchNo }) };
  const sends = links.filter(({ move }) => move === 'send');
  return [
    event(one.claimedAt, 'Received', { says: `${name}, line ${line}`, by: nameOf(one.uploadedBy ?? ''), see }),
    ...links.flatMap((link) => {
      // Each batch of a file that is cancelled has a link of its own.
      if (link.move === 'cancel' && link.batch_no === null && batchNo !== null) return [];
      return [tellLink(one, link, sends.indexOf(link) + 1)];
    }),
    ...(first ? [tellOutcome(first, finalAt ?? batchStateAt ?? one.fileStateAt, { see: seeBatch })] : []),
    ...changes.map((change) =>
      tellOutcome(change, change.at, { see: seeBatch, prefix: 'Now ', source: change.source }),
    ),
    ...(again
      ? [
          event(again.at, 'Sent again', {
            says: `in ${again.name}${again.newFileId === null ? ', which has not come back yet' : ''}; ${again.reason}`,
            by: nameOf(again.actor),
            see: {
              ...(later ? { fileId: later.fileId, line: later.line } : { fileId: again.newFileId ?? fileId }),
              ...(again.runNo !== null && { runNo: again.runNo }),
            },
          }),
        ]
      : []),
  ];
}

function event(
  at: Date,
  word: string,
  { tone = 'quiet', says = '', by = '', see }: Partial<PaymentEvent> & Pick<PaymentEvent, 'see'>,
): PaymentEvent {
  return { at, word, tone, says, by, see };
}

/** Returns the name of the person who acted; empty for a worker. */
function nameOf(actor: string): string {
  return actor.startsWith('operator:') ? whoDid(actor) : '';
}

function tellLink(
  one: PaymentTry,
  { at, actor, move, reason, batch_no: batchNo }: TryLink,
  attempt: number,
): PaymentEvent {
  const { word, tone, reason: hasReason } = MOVES[move as FileMove | BatchMove]!;
  const says = [
    ...(hasReason ? [reason] : []),
    ...(move === 'accept' && one.batchNo !== null ? [`queued in batch ${one.batchNo}`] : []),
    ...(move === 'send' ? [`attempt ${attempt}`] : []),
    ...(['accept', 'hold', 'reject'].includes(move) && one.faults.length > 0 ? [`this row: ${sayFaults(one)}`] : []),
  ].join('; ');
  const see = { fileId: one.fileId, ...(batchNo !== null && { batchNo }) };
  return event(at, word, { tone, says, by: nameOf(actor), see });
}

function tellOutcome(
  { outcome, code, message, authorization }: RowOutcome,
  at: Date,
  { see, prefix = '', source }: Pick<PaymentEvent, 'see'> & { prefix?: string; source?: string },
): PaymentEvent {
  const { word, tone } = SHOWN_OUTCOMES[outcome];
  const says = [
    ...(code === null ? [] : [`${code}: ${rejectionOf(code).message}`]),
    ...(authorization === '' ? [] : [`authorization ${authorization}`]),
    ...(message === '' || outcome === 'approved' ? [] : [`the service says “${message}”`]),
    ...(source === undefined ? [] : [`known from ${source}`]),
  ].join('; ');
  return event(at, prefix ? `${prefix}${word.toLowerCase()}` : word, { tone, says, see });
}

/** What the customer should do, by our own advice. */
const FOR_CUSTOMERS: Readonly<Record<Advice, string>> = {
  later: 'It may be tried again later.',
  fix: 'Please check the details of the payment and send them to us again.',
  cardholder: 'Please call your bank, and tell us when it may be tried again.',
  merchant: 'There is nothing for you to do; we are asking our payment service.',
  never: 'Please tell us another way to pay.',
  unknown: 'Please do not pay again; we are asking our payment service what became of it.',
};

/** What became of a payment, for a customer. One whose outcome may not be final is not called declined. */
const FATES: Readonly<Partial<Record<Outcome, string>>> = {
  approved: 'was made',
  accepted_pending: 'was passed to the bank',
  declined: 'was declined',
  format_error: 'could not be made',
  not_charged: 'was not made',
  not_sent: 'was not made',
  invalid: 'was not made',
};

/** Writes what may be told to the customer: amount, invoice, fate and what to do, and nothing else. */
function answerOf(one: PaymentTry & { standing: Standing }, { accounts }: Settings): string {
  const { invoice, cents, operation, account, standing } = one;
  const { currency, timeZone = 'UTC' } = accounts.get(account) ?? {};
  const what = operation === 'ach-refund' ? 'refund' : 'payment';
  const amount = cents === null ? '' : ` of ${[formatCents(Math.abs(cents)), currency].filter(Boolean).join(' ')}`;
  const number = holdsCardNumber(invoice) ? maskText(invoice) : invoice;
  const present = outcomeOf(one);
  const { advice, means, since } = standing;
  const fate =
    advice === 'unknown' ? 'is not confirmed yet' : FATES[present?.outcome ?? (advice ? 'not_sent' : 'unknown')];
  const onDay = fate && advice !== 'unknown' ? ` on ${dayInZone(since, timeZone)}` : '';
  const mayTell = present?.outcome === 'declined' && ['later', 'fix', 'cardholder'].includes(advice ?? '');
  const why = mayTell ? ` (${means.slice(0, 1).toLowerCase()}${means.slice(1)})` : '';
  const proof =
    present?.outcome === 'approved' && present.authorization ? ` Authorization: ${present.authorization}.` : '';
  const ask = advice === undefined ? '' : ` ${FOR_CUSTOMERS[advice]}`;
  return `Your ${what}${amount}${number && ` for invoice ${number}`} ${fate ?? 'is being processed'}${onDay}${why}.${proof}${ask}`;
}
