import { actionsFor } from '../actions/actions-for.ts';
import { saidState } from '../../../schemas/shown.ts';
import type { FastifyInstance } from 'fastify';
import { counted } from '../../kernel/counted.ts';
import { maskText } from '../../kernel/mask.ts';
import { describeDoubt, type InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { describeAnswer, describeWait, describeWritten } from '../../explain/attempt-words.ts';
import { whoDid } from '../../explain/why/sentence.ts';
import { type Viewer, viewerMay } from '../access/viewer.ts';
import type { Facts as FactRows, SubjectOf } from '../../actions/action.ts';
import { batchFacts } from '../../actions/subject-words.ts';
import { findSubject, placeOf } from '../actions/find-subject.ts';
import {
  type OptionsContext,
  type ResolutionOption,
  resolutionOptions,
} from '../../actions/resolve/resolution-options.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice, Section, Table } from '../parts/blocks.tsx';
import { FactList } from '../parts/action-forms.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Moment, PaymentLink, said } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';

type Place = SubjectOf<'batch'>;

/** The ways out of doubt; to acknowledge or to release decides nothing about it. */
const WAYS = ['adopt', 'probe', 'not-received', 'journal', 'close-in-doubt'] as const;

/** Serves `/files/:fileId/batches/:batchNo/resolve`: a batch in doubt and the ways to resolve it, the safest first. */
export function resolvePage(server: FastifyInstance, context: WebContext): void {
  server.get('/files/:fileId/batches/:batchNo/resolve', async (request, reply) => {
    const viewer = viewerOf(request);
    const place = await findSubject(context, 'batch', request.params);
    const { title, crumbs } = placeOf(place);
    const found = await describeDoubt(context.app.ledger, place.batch);
    return sendPage(
      reply,
      <Page title={`Resolve ${title}`} viewer={viewer} path={request.url} crumbs={crumbs} isLive>
        {place.batch.state === 'unknown' || found.unknownRows.length > 0 ? (
          <InDoubtView
            context={context}
            viewer={viewer}
            place={place}
            found={found}
            facts={await batchFacts(context.app, place.file, place.batch)}
          />
        ) : (
          <NotInDoubt context={context} viewer={viewer} place={place} />
        )}
      </Page>,
    );
  });
}

function NotInDoubt({ context, viewer, place }: Pick<ViewProps, 'context' | 'viewer' | 'place'>) {
  const { file, batch } = place;
  const { features } = context.app.settings;
  const isException = batch.state === 'exception';
  return (
    <>
      <Notice
        kind={isException ? 'warn' : 'info'}
        title={`This batch is not in doubt; its state is ${saidState(batch.state)}`}
      >
        {isException ? (
          <p>
            Its result does not match what was sent. Ask for it again first. Detach it only if the service says that it
            belongs to another batch.
          </p>
        ) : (
          <p>There is nothing to resolve.</p>
        )}
      </Notice>
      <ActionLinks
        viewer={viewer}
        base={pathOf({ file, batch })}
        actions={batch.state === 'reconciled' ? ['repoll'] : actionsFor(features, 'batch', batch.state)}
      />
    </>
  );
}

type ViewProps = { context: WebContext; viewer: Viewer; place: Place; found: InDoubt; facts: FactRows };

function InDoubtView(props: ViewProps) {
  const { viewer, found, place } = props;
  const { proposal } = found;
  return (
    <>
      <DoubtNotice found={found} />
      <Section title="What is known" live="known">
        <FactList facts={knownFacts(props)} />
        <UnknownRows rows={found.unknownRows} fileId={place.file.file_id} timeZone={zoneOf(props)} />
        <Happened found={found} timeZone={zoneOf(props)} />
      </Section>
      {proposal ? (
        <Section title="A proposal is waiting">
          <p>
            {whoDid(proposal.madeBy)} proposed: {proposal.action.replaceAll('-', ' ')}. Another person must confirm or
            refuse it before anything else can be done.
          </p>
          <ActionLinks viewer={viewer} base={`/proposals/${proposal.proposalNo}`} actions={['confirm', 'refuse']} />
        </Section>
      ) : (
        <Section title="Options, safest first">
          {!WAYS.some((action) => viewerMay(viewer, action)) && (
            <p>Your role can view these; an operator can do them.</p>
          )}
          <ol class="ways">
            {resolutionOptions(found, contextOf(props)).map((way) => (
              <li key={way.title}>
                <h3>{way.title}</h3>
                {way.says.map((sentence) => (
                  <p key={sentence}>{said(sentence)}</p>
                ))}
                <WayLinks viewer={viewer} base={pathOf(place)} way={way} />
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

function DoubtNotice({ found: { unknownRows } }: { found: InDoubt }) {
  if (unknownRows.length > 0)
    return (
      <Notice kind="bad" title={`The service may or may not have charged ${counted(unknownRows.length, 'row')}`}>
        <p>The account continues. Do not send such a row again: its payer could be charged twice.</p>
      </Notice>
    );
  return (
    <Notice kind="bad" title="The service may or may not have taken this batch">
      <p>
        Its account sends nothing until this is resolved. Do not drop the file again: payers could be charged twice.
      </p>
    </Notice>
  );
}

/** Shows the rows of a finished batch whose outcome is unknown, with what the service answered. */
function UnknownRows({ rows, fileId, timeZone }: { rows: InDoubt['unknownRows']; fileId: string; timeZone: string }) {
  if (rows.length === 0) return null;
  return (
    <Table
      label="Rows with unknown outcome"
      rows={rows}
      empty=""
      columns={[
        {
          title: 'Line',
          place: 'name',
          isFigure: true,
          cell: ({ line }) => <PaymentLink fileId={fileId} line={line} />,
        },
        { title: 'Invoice', cell: ({ invoice }) => maskText(invoice) },
        { title: 'Answer', cell: ({ message }) => message },
        { title: 'Since', cell: ({ since }) => <Moment at={since} timeZone={timeZone} /> },
        { title: 'Closed', cell: ({ isClosed }) => (isClosed ? 'by a person' : 'no') },
      ]}
    />
  );
}

/** Shows what arrived after the verdict, and the reports that were read. */
function Happened({ found: { lateAnswers, reports }, timeZone }: { found: InDoubt; timeZone: string }) {
  if (lateAnswers.length + reports.length === 0) return null;
  return (
    <ul>
      {lateAnswers.map(({ at, reason }, index) => (
        <li key={index}>
          <Moment at={at} timeZone={timeZone} />: {reason}
        </li>
      ))}
      {reports.map(({ name, at, covers, found, absent }, index) => (
        <li key={index}>
          <Moment at={at} timeZone={timeZone} />: the report {name} showed {counted(found, 'row')} and did not show
          {absent} {!covers && '; a missing row proves nothing here'}.
        </li>
      ))}
    </ul>
  );
}

function knownFacts(props: ViewProps): FactRows {
  const { context, place, found, facts } = props;
  const { ledger } = context.app;
  const [last] = found.attempts;
  const calledAt = calledAtOf(props);
  return [
    ...facts,
    ['Sent', { at: calledAt, timeZone: zoneOf(props) }],
    ['To', last?.host ?? ''],
    ['Written', last ? describeWritten(last) : ''],
    ['Returned', last ? describeAnswer(last) : ''],
    ['Why in doubt', found.unknownRows.length > 0 ? '' : (place.batch.reason ?? '')],
    ['Waits for', describeWait(ledger.clock.now().getTime() - calledAt.getTime())],
  ];
}

function WayLinks({ viewer, base, way: { action, given } }: { viewer: Viewer; base: string; way: ResolutionOption }) {
  if (given === undefined) return <ActionLinks viewer={viewer} base={base} actions={[action]} />;
  if (!viewerMay(viewer, action)) return null;
  return (
    <p class="actions">
      {given.map(({ label, filled }) => (
        <a key={label} class="button" href={`${base}/do/${action}?${new URLSearchParams(filled).toString()}`}>
          {label}…
        </a>
      ))}
    </p>
  );
}

function contextOf(props: ViewProps): OptionsContext {
  const { context, place } = props;
  return { account: context.app.settings.accounts.get(place.file.account), calledAt: calledAtOf(props) };
}

function calledAtOf({ found, place }: ViewProps): Date {
  return found.attempts[0]?.started_at ?? place.batch.state_at;
}

function zoneOf({ context, place }: ViewProps): string {
  return context.app.settings.accounts.get(place.file.account)?.timeZone ?? 'UTC';
}

function pathOf({ file, batch }: Pick<Place, 'file' | 'batch'>): string {
  return `/files/${file.file_id}/batches/${batch.batch_no}`;
}
