import type { FastifyRequest } from 'fastify';
import type { Tone } from '../../../../schemas/shown.ts';
import { planAction } from '../../../actions/run-action.ts';
import { capital, whoDid } from '../../../explain/why/sentence.ts';
import { groupedCount } from '../../../kernel/counted.ts';
import { groupBy } from '../../../kernel/group-by.ts';
import type { Ledger } from '../../../ledger/engine/open-ledger.ts';
import {
  listRuns,
  readItems,
  readPayments,
  readReprocess,
  type ReprocessItem,
  type ReprocessLine,
  type ReprocessPayment,
  type ReprocessRow,
  type ReprocessSum,
  sumItems,
} from '../../../ledger/reprocess/judge-items.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Refusal } from '../../access/refusal.ts';
import { actorOf, type Viewer, viewerMay } from '../../access/viewer.ts';
import { finderIn, placeOf } from '../../actions/find-subject.ts';
import { ExportLinks, type OpenList } from '../../lists/list.tsx';
import { BareForm } from '../../parts/action-forms.tsx';
import { BackToList } from '../../parts/action-pages.tsx';
import { addressOf } from '../../parts/address.ts';
import { Facts, Section, Table } from '../../parts/blocks.tsx';
import { Page, Token } from '../../parts/page.tsx';
import { Count, Moment, Money, State } from '../../parts/words.tsx';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { listBefore } from '../login.tsx';
import { sayDuration } from '../../parts/when.ts';
import { PAGE_ROWS, type View } from './lists.tsx';

type Result = Exclude<ReprocessItem['result'], null> | 'waits';

const RESULTS: Readonly<Record<Result, { word: string; tone: Tone }>> = {
  done: { word: 'Sent again', tone: 'good' },
  left_out: { word: 'Left out', tone: 'quiet' },
  failed: { word: 'Failed', tone: 'bad' },
  waits: { word: 'Waits', tone: 'busy' },
};

/** Items on the page of a run; the export has all its payments. */
const SHOWN_ITEMS = 100;

/** Returns the page of a run: how far it is, and at its end what became of each item. It needs no click to go on. */
export async function showRun(context: WebContext, request: FastifyRequest, run: ReprocessRow) {
  const { ledger, settings, clock } = context.app;
  const viewer = viewerOf(request);
  const [sums, items] = await Promise.all([sumItems(ledger, run.run_no), readItems(ledger, run.run_no, SHOWN_ITEMS)]);
  const { title, path, crumbs } = placeOf({ kind: 'selection', run });
  const from = listBefore(request.query);
  const currencyOf = (account: string) => settings.accounts.get(account)?.currency;
  const isRunning = run.state === 'running';
  return (
    <Page title={title} viewer={viewer} path={path} crumbs={crumbs.slice(0, -1)} isLive isAwaited={isRunning}>
      <Section title="How far it is" live="run">
        <RunFacts run={run} sums={sums} currencyOf={currencyOf} />
        <Progress run={run} sums={sums} now={clock.now()} />
        {isRunning && viewerMay(viewer, 'stop-run') && (await stopForm(context, request, run))}
        {!isRunning && viewerMay(viewer, 'reprocess') && <SelectLeft viewer={viewer} run={run} sums={sums} />}
      </Section>
      <Section title="What became of it" live="items">
        <ItemTable items={items} currencyOf={currencyOf} />
        {items.length === SHOWN_ITEMS && <p class="soft">The first {SHOWN_ITEMS} are shown. The export has all.</p>}
        <ExportLinks
          what={groupedCount(countOf(sums), 'payment')}
          hrefOf={(form) => addressOf(`/export/run.${form}`, { run: run.run_no })}
        />
      </Section>
      {from && (
        <p>
          <BackToList from={from} />
        </p>
      )}
    </Page>
  );
}

type Summed = { readonly run: ReprocessRow; readonly sums: readonly ReprocessSum[] };

function countOf(sums: readonly ReprocessSum[], ...results: readonly Result[]): number {
  const counted = sums.filter(({ result }) => results.length === 0 || results.includes(result ?? 'waits'));
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}

function RunFacts({ run, sums, currencyOf }: Summed & Pick<View, 'currencyOf'>) {
  const done = sums.filter(({ result }) => result === 'done');
  const byCurrency = groupBy(done, ({ account }) => currencyOf(account) ?? account);
  return (
    <Facts
      facts={[
        ['State', <State state={run.state} />],
        ['Begun', run.begun_at && <Moment at={run.begun_at} />],
        ['By', run.begun_by && whoDid(run.begun_by)],
        ['Reason', run.reason],
        ['Stopped by', run.stopped_by && whoDid(run.stopped_by)],
        ...[...byCurrency].map(
          ([currency, of]) =>
            [
              `Sent again in ${currency}`,
              <Money cents={of.reduce((sum, { cents }) => sum + cents, 0)} currency={currency} />,
            ] as const,
        ),
      ]}
    />
  );
}

function Progress({ run, sums, now }: Summed & { now: Date }) {
  const [all, waiting] = [countOf(sums), countOf(sums, 'waits')];
  const [done, left, failed] = [countOf(sums, 'done'), countOf(sums, 'left_out'), countOf(sums, 'failed')];
  const tookMs = (run.state === 'running' ? now : run.state_at).getTime() - run.begun_at!.getTime();
  return (
    <>
      <p>
        <label>
          <Count of={all - waiting} /> of <Count of={all} noun="payment" />: <Count of={done} /> sent again,{' '}
          <Count of={left} /> left out, <Count of={failed} /> failed
          <progress max={all} value={all - waiting} />
        </label>
      </p>
      <p class="soft">
        {run.state === 'running' ? `It has run for ${sayDuration(tookMs)}.` : `It took ${sayDuration(tookMs)}.`}
        {done > 0 && waiting > 0 && ` About ${sayDuration((tookMs / done) * waiting)} are left.`}
      </p>
    </>
  );
}

async function stopForm(context: WebContext, request: FastifyRequest, run: ReprocessRow) {
  const viewer = viewerOf(request);
  const input = { actor: actorOf(viewer), filled: {} };
  const { plan, bind } = await planAction(context.app, 'stop-run', finderIn(context, request.params), input);
  const path = `/queue/selections/${run.run_no}/do/stop-run`;
  const form = { viewer, action: 'stop-run', path, picks: [], asks: [], filled: {} } as const;
  return (
    <>
      <p class="hint">{plan.says[0]}</p>
      <BareForm {...form} plan={plan} bind={bind} from={listBefore(request.query)} isMain={false} />
    </>
  );
}

/** Selects what was not sent again and still may be, for a new plan. */
function SelectLeft({ viewer, run, sums }: Summed & { viewer: Viewer }) {
  if (countOf(sums, 'left_out', 'failed') === 0) return null;
  return (
    <form method="post" action="/queue/selections">
      <Token viewer={viewer} />
      <input type="hidden" name="run" value={run.run_no} />
      <button type="submit">Select again what may still go</button>
    </form>
  );
}

function ResultWord({ result }: Pick<ReprocessItem, 'result'>) {
  const { word, tone } = RESULTS[result ?? 'waits'];
  return <span class={`state ${tone}`}>{word}</span>;
}

function ItemTable({ items, currencyOf }: { items: readonly ReprocessItem[] } & Pick<View, 'currencyOf'>) {
  return (
    <Table
      label="Items of the run"
      rows={items}
      empty="It has no items."
      columns={[
        {
          title: 'From',
          cell: ({ fileId, batchNo, name }) =>
            batchNo === null ? (
              <a href={`/files/${fileId}`}>{name}</a>
            ) : (
              <a href={`/files/${fileId}/batches/${batchNo}`}>{`${name}, batch ${batchNo}`}</a>
            ),
          place: 'name',
        },
        { title: 'Result', cell: ResultWord, place: 'of-state' },
        { title: 'Payments', cell: ({ rows }) => <Count of={rows} />, isFigure: true },
        {
          title: 'Money',
          cell: ({ cents, account }) => <Money cents={cents} currency={currencyOf(account)} />,
          isFigure: true,
          place: 'amount',
        },
        { title: 'New file', cell: NewFile },
        { title: 'What happened', cell: ({ explanation }) => explanation && capital(explanation) },
        { title: 'When', cell: ({ endedAt }) => endedAt && <Moment at={endedAt} /> },
      ]}
    />
  );
}

/** A new file has no page until it has come back through its drop folder. */
function NewFile({ newName, newFileId }: Pick<ReprocessItem, 'newName' | 'newFileId'>) {
  return newFileId === null ? <>{newName}</> : <a href={`/files/${newFileId}`}>{newName}</a>;
}

/** Returns the payments of a run as a list, for its exports. */
export async function openRunList(
  { app: { ledger } }: Pick<WebContext, 'app'>,
  { query }: FastifyRequest,
): Promise<OpenList<ReprocessPayment>> {
  const no = fieldOf(query, 'run');
  if (!/^[1-9]\d{0,14}$/.test(no)) throw new Refusal('NOT_FOUND');
  const { run_no: runNo } = await readReprocess(ledger.pool, Number(no));
  return {
    name: 'run',
    path: `/queue/selections/${runNo}`,
    filter: { run: runNo },
    orders: { item: false },
    size: PAGE_ROWS,
    isOneWay: true,
    columns: [
      { title: 'File', value: ({ name }) => name },
      { title: 'Line', value: ({ line }) => line },
      { title: 'Account', value: ({ account }) => account },
      { title: 'Invoice', value: ({ invoice }) => invoice },
      { title: 'Number', value: ({ lastFour }) => lastFour && `••${lastFour}` },
      { title: 'Amount', value: ({ cents }) => ({ cents }) },
      { title: 'Result', value: ({ result }) => RESULTS[result ?? 'waits'].word },
      { title: 'What happened', value: ({ explanation }) => explanation },
      { title: 'New file', value: ({ newName }) => newName },
    ],
    numberOf: ({ itemNo, line }) => itemNo * LINES + line,
    read: ({ pool }, { after = 0, limit }) =>
      readPayments({ pool }, runNo, { itemNo: Math.floor(after / LINES), line: after % LINES }, limit),
    count: async (reader) => countOf(await sumItems(reader, runNo)),
  };
}

/** More than a file has lines. */
const LINES = 1_000_000_000;

/** Runs stay in the list of the queue for this long, in ms. */
const KEPT_MS = 30 * 86_400_000;

/** Returns the runs of the last 30 days, at most 50. */
export function readLastRuns(ledger: Ledger): Promise<ReprocessLine[]> {
  return listRuns(ledger, 50, new Date(ledger.clock.now().getTime() - KEPT_MS));
}

/** Shows runs, the newest first. */
export function RunTable({ rows }: { rows: readonly ReprocessLine[] }) {
  return (
    <Table
      label="Runs of the last 30 days"
      rows={rows}
      empty=""
      columns={[
        {
          title: 'Run',
          cell: ({ run_no: no, name }) => <a href={`/queue/selections/${no}`}>{name}</a>,
          place: 'name',
        },
        { title: 'State', cell: ({ state }) => <State state={state} />, place: 'of-state' },
        { title: 'Payments', cell: ({ rows: count }) => <Count of={count} />, isFigure: true, place: 'amount' },
        { title: 'Sent again', cell: ({ done }) => <Count of={done} />, isFigure: true },
        { title: 'Not sent', cell: ({ left }) => <Count of={left} />, isFigure: true },
        { title: 'By', cell: ({ begun_by: by }) => by && whoDid(by) },
        { title: 'Begun', cell: ({ begun_at: at }) => at && <Moment at={at} /> },
        { title: 'Reason', cell: ({ reason }) => reason },
      ]}
    />
  );
}
