import type { ReprocessAction } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { takesTwoToApprove } from '../../config/account-rules.ts';
import { type Block, readBlocks } from '../../explain/read-blocks.ts';
import { whoDid } from '../../explain/why/sentence.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { maskReason } from '../../kernel/mask.ts';
import type { BatchKey } from '../../ledger/engine/move.ts';
import type { Judged, JudgedItem, Portion, ReprocessRow } from '../../ledger/reprocess/judge-items.ts';
import { judgeItems, sumOf } from '../../ledger/reprocess/judge-items.ts';
import { beginReprocess, proposeReprocess, stopReprocess } from '../../ledger/reprocess/move-run.ts';
import type { Picked } from '../../ledger/reprocess/select-items.ts';
import type { Action, ActionContext, Filled, Listing, Plan } from '../action.ts';
import { shortHash, sumWords } from '../subject-words.ts';

/** Has the payments of a selection sent again, or proposes it when they are many. A worker does it item by item. */
export const reprocess: Action<'selection'> = {
  comparesJournal: true,
  asks: [{ name: 'name', label: 'Name', hint: 'Such as the incident. The list of runs shows it.', kind: 'text' }],
  suggest: async (_context, { run }) => ({ name: nameOf(run, {}) }),
  plan: async (context, { run }) => {
    const judged = await judgeItems(context.ledger.pool, run.run_no);
    const isProposal = isTwoPersonMatter(context, judged);
    const says = [...sayGoing(context, judged), ...sayLeft(context, judged), ...(await sayBlocked(context, judged))];
    return {
      says: isProposal ? ['You propose this. It is done once another person confirms it.', ...says] : says,
      facts: [
        ['Selection', String(run.run_no)],
        ['Selected by', whoDid(run.made_by)],
        ['Payments', String(sumOf(judged).rows)],
        ...[...goingByCurrency(context, judged)].map(
          ([currency, items]) => [`Total in ${currency}`, { cents: sumOf({ items }).cents, currency }] as const,
        ),
        ['Mark of the plan', shortHash(judged.digest)],
      ],
      listing: listingOf(context, judged),
      binds: { rows: judged.digest },
      isProposal,
      button: `${isProposal ? 'Propose to reprocess' : 'Reprocess'} ${counted(sumOf(judged).rows, 'payment')}`,
      ...barredBy(run, judged),
    };
  },
  run: async (context, { run }, { filled }, because) => {
    const { ledger } = context;
    const name = nameOf(run, filled);
    const judged = await judgeItems(ledger.pool, run.run_no);
    const { digest } = judged;
    const sum = sumOf(judged);
    const json = { selection: run.run_no, name, ...sum };
    if (run.state === 'selected' && isTwoPersonMatter(context, judged)) {
      const proposalNo = await proposeReprocess(ledger, run.run_no, { digest, name }, because);
      return {
        says: `Proposed: ${counted(sum.rows, 'payment')}. Another person must confirm it.`,
        next: [{ to: 'proposals', proposalNo }],
        status: 'held',
        json: { ...json, state: run.state, proposalNo },
      };
    }
    const begun = await beginReprocess(ledger, run.run_no, { digest, name }, because);
    const isNew = run.state === 'selected' && begun.begun_by === because.actor;
    return {
      says: isNew
        ? `Begun: ${counted(sum.rows, 'payment')}. A worker sends them again, file by file.`
        : `Selection ${run.run_no} was begun before by ${whoDid(begun.begun_by!)}. Nothing was done.`,
      json: { ...json, name: begun.name, state: begun.state },
    };
  },
};

/** Leaves out what is not done yet; what is done stays done. */
export const stopRun: Action<'selection'> = {
  usualReason: 'no reason was given',
  plan: async (_context, { run }) => ({
    says: ['What is not sent again yet is left out. What is done stays done, after the current file.'],
    facts: [
      ['Selection', String(run.run_no)],
      ['Name', run.name ?? ''],
    ],
    ...(run.state !== 'running' && { barred: `it is ${saidState(run.state)}` }),
  }),
  run: async ({ ledger }, { run }, _input, because) => {
    const { leftOut } = await stopReprocess(ledger, run.run_no, because);
    return {
      says: `Stopped: ${counted(leftOut, 'payment')} ${byNumber(leftOut, 'is', 'are')} left out.`,
      json: { selection: run.run_no, leftOut },
    };
  },
};

/** Reads choices such as `FILE/12` for a payment, `batch:FILE/3` and `lost:7`. @throws PipelineError USAGE */
export function readPicked(choices: readonly string[]): Picked {
  const picked = { rows: [] as Picked['rows'][number][], batches: [] as BatchKey[], lost: [] as number[] };
  for (const choice of choices) {
    const { kind, fileId = '', no } = CHOICE.exec(choice)?.groups ?? {};
    if (no === undefined || (kind === 'lost:') !== (fileId === ''))
      throw new PipelineError('USAGE', 'select payments', `"${maskReason(choice.slice(0, 80))}" is no choice`);
    if (kind === 'lost:') picked.lost.push(Number(no));
    else if (kind === 'batch:') picked.batches.push({ fileId, batchNo: Number(no) });
    else picked.rows.push({ fileId, line: Number(no) });
  }
  return picked;
}

const CHOICE = /^(?<kind>batch:|lost:)?(?:(?<fileId>[a-z0-9-]{1,64})\/)?(?<no>[1-9]\d{0,8})$/;

/** Whether another person must confirm it: it is much, or its account wants two persons for such files anyway. */
function isTwoPersonMatter({ settings }: Pick<ActionContext, 'settings'>, judged: Judged): boolean {
  const { payments, money } = settings.reprocess.secondPersonAbove;
  const going = [...goingByCurrency({ settings }, judged).values()];
  return (
    sumOf(judged).rows > payments ||
    going.some((items) => sumOf({ items }).cents > Math.round(money * 100)) ||
    going.flat().some(({ account, operation }) => takesTwoToApprove(settings.accounts.get(account), operation))
  );
}

function goingByCurrency(
  { settings }: Pick<ActionContext, 'settings'>,
  { items }: Judged,
): ReadonlyMap<string, readonly JudgedItem[]> {
  const going = items.filter(({ goes }) => goes !== undefined);
  return groupBy(going, ({ account }) => settings.accounts.get(account)?.currency ?? account);
}

function nameOf({ run_no: no, filter }: ReprocessRow, { name = '' }: Filled): string {
  const given = maskReason(name.trim()).slice(0, LONGEST_NAME);
  const account = typeof filter['account'] === 'string' ? ` of ${filter['account']}` : '';
  return given === '' ? `Selection ${no}${account}` : given;
}

const LONGEST_NAME = 80;

function barredBy(run: ReprocessRow, judged: Judged): Pick<Plan, 'barred' | 'status'> {
  if (run.state !== 'selected') return { barred: `it was begun by ${whoDid(run.begun_by!)}`, status: 'ok' };
  return sumOf(judged).rows === 0 ? { barred: 'none of it may go again' } : {};
}

const SAYS: Readonly<Record<ReprocessAction, (count: number, sum: string) => string>> = {
  resubmit: (count, sum) =>
    `Sends ${sum} of ${counted(count, 'file')} again in ${byNumber(count, 'a new file, which is', 'as many new files, which are')} checked like any other.`,
  retry: (count, sum) => `${counted(count, 'refused batch')} with ${sum} ${byNumber(count, 'is', 'are')} sent again.`,
  'drop-again': (count, sum) =>
    `${counted(count, 'file')} with ${sum} that never came back ${byNumber(count, 'is', 'are')} written again, with the same bytes.`,
};

function sayGoing(context: ActionContext, { items }: Judged): string[] {
  const going = items.filter(({ goes }) => goes !== undefined);
  const says = [...groupBy(going, ({ account, action }) => `${action} ${account}`).values()].map((group) => {
    const { rows, cents } = sumOf({ items: group });
    const { account, action } = group[0]!;
    return SAYS[action](group.length, `${sumWords(context, account, rows, cents)} of account ${account}`);
  });
  return [
    ...says,
    ...(says.length > 0 ? ['Each payment is sent again once. None that is in doubt is among them.'] : []),
  ];
}

function sayLeft(context: ActionContext, { items }: Judged): string[] {
  const left = items.flatMap(({ account, left: parts }) => parts.map((part) => ({ ...part, account })));
  return [...groupBy(left, ({ why, account }) => `${account} ${why}`).values()].map((parts) => {
    const { account, why } = parts[0]!;
    return `Left out: ${sumWords(context, account, ...addUp(parts))}: ${why}.`;
  });
}

function addUp(parts: readonly Portion[]): [rows: number, cents: number] {
  return [parts.reduce((sum, { rows }) => sum + rows, 0), parts.reduce((sum, { cents }) => sum + cents, 0)];
}

/** Blocks that end by themselves. */
const PASSING: readonly Block['kind'][] = ['window', 'unreached', 'looking'];

/** What keeps an account from sending stops nothing here: the new files wait. What ends by itself is left out. */
async function sayBlocked({ ledger, settings }: ActionContext, { items }: Judged): Promise<string[]> {
  const blocksOf = await readBlocks(ledger, settings);
  const accounts = new Set(items.filter(({ goes }) => goes !== undefined).map(({ account }) => account));
  return [...accounts].flatMap((account) => {
    const [block] = blocksOf(account).filter(({ kind }) => !PASSING.includes(kind));
    return block ? [`They wait for now: ${block.says}.`] : [];
  });
}

/** As many items as a person looks through; the sentences count all of them. */
const SHOWN = 100;

function listingOf(context: ActionContext, { items }: Judged): Listing {
  return {
    label: items.length > SHOWN ? `The first ${SHOWN} of ${counted(items.length, 'item')}` : 'Items',
    titles: ['What', 'File', 'Account', 'Goes', 'Left out'],
    rows: items
      .slice(0, SHOWN)
      .map(({ action, name, batchNo, account, goes, left }) => [
        WHAT[action],
        batchNo === null ? name : `${name}, batch ${batchNo}`,
        account,
        goes ? sumWords(context, account, goes.rows, goes.cents) : '',
        left.length > 0 ? sumWords(context, account, ...addUp(left)) : '',
      ]),
  };
}

const WHAT: Readonly<Record<ReprocessAction, string>> = {
  resubmit: 'payments in a new file',
  retry: 'refused batch',
  'drop-again': 'lost file',
};
