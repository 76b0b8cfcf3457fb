import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SHOWN_ADVICE } from '../../../../schemas/shown.ts';
import type { App } from '../../../app.ts';
import { capital, ended } from '../../../explain/why/sentence.ts';
import { type PaymentEvent, tellPayment, type ToldPayment } from '../../../explain/why/tell-payment.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import { FILE_ID } from '../../../kernel/ids.ts';
import { listSameInvoice, type SameInvoice } from '../../../ledger/row/read-payment.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Refusal } from '../../access/refusal.ts';
import { type Viewer, viewerMay } from '../../access/viewer.ts';
import { addressOf } from '../../parts/address.ts';
import { Facts, Section, Table } from '../../parts/blocks.tsx';
import { Page } from '../../parts/page.tsx';
import { Moment, Money, OutcomeWord, PaymentLink, said, State } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { customsOf, tabPath } from '../files/read-address.ts';

/** Serves `/payments/:fileId/:line`: one payment over all its tries, and what to tell its customer. */
export function paymentPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/payments/:fileId/:line', async (request, reply) => {
    const viewer = viewerOf(request);
    const payment = await paymentOf(app, request);
    const others = await listSameInvoice(app.ledger, payment);
    const here = payment.tries[payment.at]!;
    const crumbs = [
      { path: '/payments', label: 'Payments' },
      { path: `/files/${here.fileId}`, label: here.name },
    ];
    return sendPage(
      reply,
      <Page
        title={`Payment on line ${here.line}`}
        viewer={viewer}
        path={`/payments/${here.fileId}/${here.line}`}
        crumbs={crumbs}
        isLive
      >
        <Section title="Status" live="head">
          <Head app={app} payment={payment} />
          <NextStep viewer={viewer} payment={payment} />
        </Section>
        {payment.answer !== '' && (
          <Section
            title="Answer for the customer"
            live="answer"
            actions={
              <button type="button" data-copy="f-answer" hidden>
                Copy
              </button>
            }
          >
            <label class="hidden" for="f-answer">
              Text to copy
            </label>
            <textarea id="f-answer" rows={3} readOnly>
              {payment.answer}
            </textarea>
          </Section>
        )}
        <Section title="What happened" live="story">
          <Timeline payment={payment} timeZone={customsOf(app, here.account).timeZone} />
        </Section>
        {others.length > 0 && (
          <Section title="Other payments of this invoice">
            <Others app={app} others={others} account={here.account} />
          </Section>
        )}
      </Page>,
    );
  });
}

/** @throws Refusal NOT_FOUND for what names no row; without the id, because a card number can look like one */
async function paymentOf({ ledger, settings }: App, { params }: FastifyRequest): Promise<ToldPayment> {
  const [fileId, line] = [fieldOf(params, 'fileId'), fieldOf(params, 'line')];
  if (!FILE_ID.test(fileId) || !/^[1-9]\d{0,8}$/.test(line)) throw new Refusal('NOT_FOUND');
  try {
    return await tellPayment(ledger, settings, { fileId, line: Number(line) });
  } catch (error) {
    throw error instanceof PipelineError && error.code === 'NOT_FOUND' ? new Refusal('NOT_FOUND') : error;
  }
}

/** Shows how a payment stands after its last try, and which tries there are. */
function Head({ app, payment: { tries, at, hasEarlier, hasLater } }: { app: App; payment: ToldPayment }) {
  const last = tries.at(-1)!;
  const { account, cents, standing, batchNo, fileId } = last;
  const { currency, timeZone } = customsOf(app, account);
  const { word, tone, means, advice, since } = standing;
  return (
    <>
      <Facts
        facts={[
          ['Amount', cents !== null && <Money cents={cents} currency={currency} />],
          [
            'Outcome',
            <span class={`state ${tone}`} title={means}>
              {word}
            </span>,
          ],
          ['Since', <Moment at={since} timeZone={timeZone} />],
          ['Invoice', last.invoice],
          ['Customer code', last.customerCode],
          ['Number', last.lastFour && <span class="id">••{last.lastFour}</span>],
          ['Account', <a href={`/accounts/${encodeURIComponent(account)}`}>{account}</a>],
          [
            'File',
            <a
              href={tabPath({ file_id: fileId }, 'payments', { from: last.line })}
            >{`${last.name}, line ${last.line}`}</a>,
          ],
          ['Batch', batchNo !== null && <a href={`/files/${fileId}/batches/${batchNo}`}>Batch {batchNo}</a>],
        ]}
      />
      <p>
        {said(ended(capital(means)))} {advice && ended(capital(SHOWN_ADVICE[advice].says))}
      </p>
      {tries.length > 1 && (
        <p>
          Tries: {hasEarlier && '… '}
          {tries.map((one, place) => (
            <span key={place}>
              {place > 0 && ' → '}
              {place === at ? (
                <strong>{nameTry(one)}</strong>
              ) : (
                <PaymentLink fileId={one.fileId} line={one.line}>
                  {nameTry(one)}
                </PaymentLink>
              )}
            </span>
          ))}
          {hasLater && ' → … Open the last one to see those after it.'}
        </p>
      )}
    </>
  );
}

function nameTry({ name, line, standing }: ToldPayment['tries'][number]): string {
  return `${name}, line ${line} (${standing.word.toLowerCase()})`;
}

/** Offers what helps as the one filled button; nothing where the viewer may not, or nothing helps. */
function NextStep({ viewer, payment }: { viewer: Viewer; payment: ToldPayment }) {
  const step = stepOf(viewer, payment.tries.at(-1)!);
  if (!step) return null;
  return (
    <p class="actions">
      <a class="button main" href={step.path}>
        {step.label}
      </a>
    </p>
  );
}

function stepOf(
  viewer: Viewer,
  { fileId, fileState, batchNo, batchState, isClosed, again, standing: { advice } }: ToldPayment['tries'][number],
): { label: string; path: string } | undefined {
  const file = `/files/${fileId}`;
  const batch = `${file}/batches/${batchNo}`;
  if (batchState === 'unknown' || isClosed === false) return { label: 'Resolve…', path: `${batch}/resolve` };
  if (batchState === 'exception') return { label: 'Compare', path: `${batch}#s-what-was-sent-and-what-was-returned` };
  if (batchState === 'refused')
    return viewerMay(viewer, 'retry') ? { label: 'Send again…', path: `${batch}/do/retry` } : undefined;
  if (fileState === 'held')
    return viewerMay(viewer, 'approve')
      ? { label: 'Review and approve…', path: addressOf('/approvals', { file: fileId }) }
      : undefined;
  if (batchNo === null) return { label: 'See its problems', path: tabPath({ file_id: fileId }, 'problems') };
  if (!IS_OVER.has(fileState) || again !== null) return undefined;
  if (advice === 'fix') return { label: 'Download to correct', path: tabPath({ file_id: fileId }, 'outputs') };
  const mayGo = advice === 'later' || advice === 'cardholder' || advice === 'merchant';
  return mayGo && viewerMay(viewer, 'resubmit') ? { label: 'Send again…', path: `${file}/do/resubmit` } : undefined;
}

const IS_OVER: ReadonlySet<string> = new Set(['completed', 'partly_cancelled', 'cancelled']);

function Timeline({ payment: { events, tries, at }, timeZone }: { payment: ToldPayment; timeZone: string }) {
  const here = tries[at]!;
  return (
    <ol class="timeline">
      {events.map((one, index) => (
        <li key={index}>
          <Moment at={one.at} timeZone={timeZone} />
          <span>
            <span class={`state ${one.tone}`}>{one.word}</span>
            {one.by && ` by ${one.by}`}
            {one.says && ': '}
            {said(one.says)} <SeeLink see={one.see} here={here} />
            {one.see.runNo !== undefined && (
              <a href={`/queue/selections/${one.see.runNo}`}> Open run {one.see.runNo}</a>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Leads to another try, to the batch, or to the row in its file. */
function SeeLink({
  see: { fileId, batchNo, line },
  here,
}: Pick<PaymentEvent, 'see'> & { here: { fileId: string; line: number } }) {
  if (line !== undefined && (fileId !== here.fileId || line !== here.line))
    return (
      <PaymentLink fileId={fileId} line={line}>
        Open this try
      </PaymentLink>
    );
  if (batchNo !== undefined) return <a href={`/files/${fileId}/batches/${batchNo}`}>Open batch {batchNo}</a>;
  return (
    <a href={tabPath({ file_id: fileId }, line === undefined ? 'overview' : 'payments', { from: line })}>
      Open the file
    </a>
  );
}

function Others({ app, others, account }: { app: App; others: readonly SameInvoice[]; account: string }) {
  const { currency, timeZone } = customsOf(app, account);
  return (
    <Table
      label="Other payments of this invoice"
      rows={others}
      empty=""
      columns={[
        {
          title: 'Payment',
          place: 'name',
          cell: ({ fileId, line, name }) => (
            <PaymentLink fileId={fileId} line={line}>{`${name}, line ${line}`}</PaymentLink>
          ),
        },
        {
          title: 'Amount',
          place: 'amount',
          isFigure: true,
          cell: ({ cents }) => cents !== null && <Money cents={cents} currency={currency} />,
        },
        { title: 'Outcome', place: 'of-state', cell: (row) => <Fate row={row} /> },
        { title: 'Received', cell: ({ claimedAt: at }) => <Moment at={at} timeZone={timeZone} /> },
      ]}
    />
  );
}

/** Shows the outcome of a row; one without an outcome is as its batch, and never sent without one. */
function Fate({ row: { outcome, batchState } }: { row: Pick<SameInvoice, 'outcome' | 'batchState'> }) {
  if (outcome !== null) return <OutcomeWord outcome={outcome} />;
  return batchState === null ? <>Not sent</> : <State state={batchState} />;
}
