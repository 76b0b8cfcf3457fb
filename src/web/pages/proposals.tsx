import type { FastifyInstance } from 'fastify';
import { PROPOSED_ACTIONS } from '../../ledger/proposal/confirm-proposal.ts';
import { type OpenProposal, readOpenProposals } from '../../ledger/proposal/proposals.ts';
import { capital, whoDid } from '../../explain/why/sentence.ts';
import { actorOf, type Viewer } from '../access/viewer.ts';
import { evidenceFacts } from '../../actions/evidence-facts.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Section, Table } from '../parts/blocks.tsx';
import { FactList } from '../parts/action-forms.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Count, Moment, Money } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { customsOf } from './files/read-address.ts';
import type { App } from '../../app.ts';

/** Serves `/proposals`: what one person proposed and another must confirm or refuse. */
export function proposalsPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/proposals', async (request, reply) => {
    const viewer = viewerOf(request);
    const open = await readOpenProposals(app.ledger);
    return sendPage(
      reply,
      <Page title="Waiting for a second person" viewer={viewer} path="/proposals" isLive>
        <Section title="Proposals" live="proposals">
          <Table
            label="Open proposals"
            rows={open}
            empty="No open proposals. If an account requires two persons, a proposal is listed here until a second person confirms or refuses it."
            columns={[
              { title: 'What', cell: (one) => <What proposal={one} /> },
              { title: 'Rows', isFigure: true, cell: (one) => <Count of={one.rows} /> },
              {
                title: 'Total',
                isFigure: true,
                cell: ({ account, cents }) => <Money cents={cents} currency={customsOf(app, account).currency} />,
              },
              { title: 'Proposed by', cell: (one) => <By app={app} proposal={one} /> },
              { title: 'Why', cell: (one) => <Why proposal={one} /> },
              { title: 'Decide', cell: (one) => <Decide viewer={viewer} proposal={one} /> },
            ]}
          />
        </Section>
      </Page>,
    );
  });
}

type Props = { proposal: OpenProposal };

function What({ proposal: { proposal_no: no, action, file_id: fileId, batch_no: batchNo, name } }: Props) {
  return (
    <>
      {no}. {capital(PROPOSED_ACTIONS[action]?.about ?? action)}
      <br />
      <a href={fileId === null ? `/profiles/${name.split(' ')[0]}` : `/files/${fileId}`}>
        {fileId === null ? `profile ${name}` : name}
      </a>
      {batchNo !== null && `, batch ${batchNo}`}
    </>
  );
}

function By({ app, proposal: { account, made_by: by, made_at: at } }: Props & { app: App }) {
  return (
    <>
      {whoDid(by)}
      <br />
      <Moment at={at} timeZone={customsOf(app, account).timeZone} />
    </>
  );
}

function Why({ proposal: { reason, evidence } }: Props) {
  const facts = evidenceFacts(evidence);
  return (
    <>
      {reason}
      {facts.length > 0 && <FactList facts={facts} />}
    </>
  );
}

/** Shows the possible decisions. A user cannot confirm their own proposal, but may take it back. */
function Decide({ viewer, proposal: { proposal_no: no, made_by: by } }: Props & { viewer: Viewer }) {
  const isOwn = by === actorOf(viewer);
  return (
    <>
      {isOwn && 'You proposed it; another person must confirm it.'}
      <ActionLinks viewer={viewer} base={`/proposals/${no}`} actions={isOwn ? ['refuse'] : ['confirm', 'refuse']} />
    </>
  );
}
