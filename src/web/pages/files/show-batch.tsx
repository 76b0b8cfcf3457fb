import type { FastifyInstance } from 'fastify';
import type { ActionName } from '../../../../schemas/actions.ts';
import type { BatchState } from '../../../../schemas/lifecycle.ts';
import { SHOWN } from '../../../../schemas/shown.ts';
import type { App } from '../../../app.ts';
import { counted } from '../../../kernel/counted.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import { type AttemptInDoubt, describeDoubt } from '../../../ledger/doubt/in-doubt.ts';
import { sayMerchantOf } from '../../../ledger/merchant/read-merchants.ts';
import { readTwiceOf } from '../../../ledger/duplicates/read-double-charges.ts';
import { readProposalsOf } from '../../../ledger/proposal/proposals.ts';
import { readBatchFacts } from '../../../ledger/file/read-why.ts';
import type { BatchRow, FileRow } from '../../../ledger/engine/records.ts';
import { compareBatch } from '../../../explain/compare-batch.ts';
import { readBlocks, showBatch, type ShownFile } from '../../../explain/read-blocks.ts';
import { whyBatch } from '../../../explain/why/tell-why.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { Facts, Notice, Section, Table } from '../../parts/blocks.tsx';
import { ActionLinks, Page } from '../../parts/page.tsx';
import { Count, Moment, Money, OutcomeWord, StateBadge } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { BatchComparison, BatchDoubt } from './batch-doubt.tsx';
import { batchOf, type Customs, customsOf, crumbsOf, tabPath } from './read-address.ts';
import { ToldWhy, WaitingProposals } from './told-why.tsx';
import { describeAnswer, describeWritten } from '../../../explain/attempt-words.ts';

/** Serves `/files/:fileId/batches/:batchNo`: everything about one batch. */
export function showBatchPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId/batches/:batchNo', async (request, reply) => {
    const viewer = viewerOf(request);
    const { file, batch } = await batchOf(app, request);
    const { doubt, why, outcomes, proposals, comparison, blocksOf, isTwice, merchant } = await readAll(
      app,
      file,
      batch,
    );
    const undecided = doubt.unknownRows.filter(({ isClosed }) => !isClosed).length;
    const customs = customsOf(app, file.account);
    const path = `/files/${file.file_id}/batches/${batch.batch_no}`;
    return sendPage(
      reply,
      <Page title={`Batch ${batch.batch_no}`} viewer={viewer} path={path} crumbs={crumbsOf(file)} isLive>
        <Section title={`Batch ${batch.batch_no} of ${file.name}`} live="head">
          <WaitingProposals proposals={proposals} />
          <BatchHead
            file={file}
            batch={batch}
            customs={customs}
            merchant={merchant}
            shown={showBatch(batch, file, blocksOf, undecided > 0)}
          />
          <ActionLinks
            viewer={viewer}
            actions={[...actionsOf(file, batch), ...(isTwice ? (['acknowledge-batch'] as const) : [])]}
            base={path}
          />
        </Section>
        {batch.state === 'unknown' && (
          <Section title="What is known" live="doubt">
            <BatchDoubt
              doubt={doubt}
              now={app.clock.now()}
              resolveWaitMs={app.settings.accounts.get(file.account)?.resolveWaitMs}
              customs={customs}
            />
          </Section>
        )}
        <ToldWhy why={why} viewer={viewer} />
        {comparison && (
          <Section title="What was sent and what was returned" live="comparison">
            {'says' in comparison ? (
              <Notice kind="warn" title={comparison.says} />
            ) : (
              <BatchComparison fileId={file.file_id} comparison={comparison} />
            )}
          </Section>
        )}
        <Section title="Attempts" live="attempts">
          <BatchAttempts attempts={doubt.attempts} timeZone={customs.timeZone} />
        </Section>
        <Section title="Outcomes" live="outcomes">
          <Table
            label="Outcomes"
            rows={outcomes}
            empty="None yet. The outcomes of its rows are listed here once its result is matched with what was sent."
            columns={[
              { title: 'Outcome', place: 'name', cell: ({ outcome }) => <OutcomeWord outcome={outcome} /> },
              { title: 'Rows', isFigure: true, cell: ({ rows }) => <Count of={rows} /> },
              {
                title: 'Total',
                isFigure: true,
                cell: ({ cents }) => <Money cents={cents} currency={customs.currency} />,
              },
            ]}
          />
        </Section>
      </Page>,
    );
  });
}

async function readAll(app: App, file: FileRow, batch: BatchRow) {
  const { ledger, settings } = app;
  const [doubt, why, { outcomes }, ofFile, comparison, blocksOf, twice, merchant] = await Promise.all([
    describeDoubt(ledger, batch),
    whyBatch(ledger, settings, file, batch),
    readBatchFacts(ledger, file, batch),
    readProposalsOf(ledger, file.file_id),
    batch.state === 'exception' ? compareOrSay(app, file, batch) : undefined,
    readBlocks(ledger, settings),
    readTwiceOf(ledger.pool, { fileId: batch.file_id, batchNo: batch.batch_no }),
    sayMerchantOf(ledger, batch.account),
  ]);
  const proposals = ofFile.filter(({ batch_no: batchNo }) => batchNo === null || batchNo === batch.batch_no);
  return { doubt, why, outcomes, proposals, comparison, blocksOf, isTwice: twice.length > 0, merchant };
}

/** Returns the error text when the result can no longer be opened, so that the rest of the page still shows. */
async function compareOrSay(app: App, file: FileRow, batch: BatchRow) {
  try {
    return await compareBatch(app, file, batch);
  } catch (error) {
    if (error instanceof PipelineError) return { says: error.message };
    throw error;
  }
}

function BatchHead({
  file,
  batch,
  customs,
  merchant,
  shown,
}: {
  file: FileRow;
  batch: BatchRow;
  customs: Customs;
  merchant: string;
  shown: ShownFile;
}) {
  const { timeZone, currency } = customs;
  return (
    <Facts
      facts={[
        ['State', <StateBadge of={shown} />],
        ['Meaning', SHOWN[shown.shown].means],
        ['Blocked by', shown.blockedBy.map(({ says }) => says).join('; ')],
        ['Since', <Moment at={batch.state_at} timeZone={timeZone} />],
        ['Why', batch.reason],
        ['Merchant', merchant],
        ['Rows', <BatchRows file={file} batch={batch} />],
        ['Total', <Money cents={batch.cents} currency={currency} />],
        ["Service's batch id", batch.batch_id && <span class="id">{batch.batch_id}</span>],
        ['Attempt', batch.attempt],
        ['Not sent until', batch.not_before && <Moment at={batch.not_before} timeZone={timeZone} />],
        ['Accepted by the service', batch.submitted_at && <Moment at={batch.submitted_at} timeZone={timeZone} />],
        ['Result requested', batch.polls > 0 && counted(batch.polls, 'time')],
        ['Requested again', batch.next_poll_at && <Moment at={batch.next_poll_at} timeZone={timeZone} />],
        ['Result received', batch.result_at && <Moment at={batch.result_at} timeZone={timeZone} />],
        ['Ended', batch.final_at && <Moment at={batch.final_at} timeZone={timeZone} />],
      ]}
    />
  );
}

function BatchRows({ file, batch }: { file: FileRow; batch: BatchRow }) {
  return (
    <a href={tabPath(file, 'payments', { batch: batch.batch_no })}>
      <Count of={batch.rows} />
    </a>
  );
}

/** A batch in doubt has none here: its own page explains the choices, which side by side would invite guessing. */
const ACTIONS_OF: Partial<Record<BatchState, readonly ActionName[]>> = {
  exception: ['disown', 'repoll'],
  submitted: ['repoll'],
  refused: ['retry', 'withdraw'],
  ready: ['cancel-batch'],
};

/** Returns the actions for a batch. A ready batch can be cancelled only while its file is in progress. */
function actionsOf({ state: fileState }: FileRow, { state, paid_since: paidSince }: BatchRow): readonly ActionName[] {
  const isOnItsWay = fileState === 'accepted' || fileState === 'in_progress';
  if (paidSince !== null && (state === 'ready' || state === 'refused'))
    return ['release', ...(isOnItsWay ? (ACTIONS_OF[state] ?? []) : [])];
  return state === 'ready' && !isOnItsWay ? [] : (ACTIONS_OF[state] ?? []);
}

/** Shows the calls of a batch, the latest first: when, to which host, what was written and what came back. */
export function BatchAttempts({ attempts, timeZone }: { attempts: readonly AttemptInDoubt[]; timeZone: string }) {
  return (
    <Table
      label="Attempts"
      rows={attempts}
      empty="It was not sent yet. Each call is recorded here before its first byte is sent."
      columns={[
        { title: 'Attempt', isFigure: true, cell: ({ attempt }) => attempt },
        { title: 'Began', place: 'name', cell: ({ started_at: at }) => <Moment at={at} timeZone={timeZone} /> },
        { title: 'Ended', cell: ({ ended_at: at }) => (at ? <Moment at={at} timeZone={timeZone} /> : 'not yet') },
        { title: 'To', cell: ({ host }) => host },
        { title: 'Verdict', cell: ({ verdict }) => VERDICTS[verdict ?? ''] ?? verdict },
        { title: 'Written', cell: (attempt) => <span class="wide">{describeWritten(attempt)}</span> },
        { title: 'Returned', cell: (attempt) => <span class="wide">{cameBack(attempt)}</span> },
        {
          title: 'Decision of a person',
          cell: ({ resolution }) => resolution && (RESOLUTIONS[resolution] ?? resolution),
        },
      ]}
    />
  );
}

const VERDICTS: Readonly<Record<string, string>> = {
  '': 'none yet',
  submitted: 'accepted by the service',
  refused: 'refused by the service',
  not_sent: 'nothing was sent',
  unknown: 'in doubt',
};

const RESOLUTIONS: Readonly<Record<string, string>> = {
  adopted: 'its batch id was found',
  not_received: 'the service never received it',
  settled: 'decided row by row from transaction reports',
  in_doubt: 'closed with unknown outcome',
};

/** Returns the answer; one that was understood is kept as text only. */
function cameBack(attempt: AttemptInDoubt): string {
  const text = attempt.evidence?.['text'];
  return typeof text === 'string' ? text : describeAnswer(attempt);
}
