import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ADVICE, NO_RETRY } from '../../../../schemas/rejections.ts';
import { readPicked } from '../../../actions/reprocess/reprocess-actions.ts';
import { planAction } from '../../../actions/run-action.ts';
import { whoDid } from '../../../explain/why/sentence.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import { readOpenProposals } from '../../../ledger/proposal/proposals.ts';
import { selectAll, selectPicked } from '../../../ledger/reprocess/select-items.ts';
import { tellRefusal } from '../../access/note-refusals.ts';
import { fieldOf, fieldsOf } from '../../access/read-form.ts';
import { actorOf, viewerMay } from '../../access/viewer.ts';
import { finderIn, findSubject, placeOf } from '../../actions/find-subject.ts';
import { troubleOf } from '../../answer-errors.tsx';
import { PlanView } from '../../parts/action-forms.tsx';
import { BackToList } from '../../parts/action-pages.tsx';
import { addressOf } from '../../parts/address.ts';
import { Notice } from '../../parts/blocks.tsx';
import { Page } from '../../parts/page.tsx';
import { sendPage } from '../../send-page.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { listBefore } from '../login.tsx';
import { listedAsked } from './again.tsx';
import { showRun } from './run.tsx';

/** Serves `/queue/selections`: freezes what a person ticked, and shows it from its plan to its result. */
export function selectionPages(server: FastifyInstance, context: WebContext): void {
  server.post('/queue/selections', { config: { may: 'reprocess' } }, async (request, reply) => {
    const from = listBefore(request.body);
    try {
      const no = await freeze(context, request);
      return reply.redirect(addressOf(`/queue/selections/${no}`, { from }), 303);
    } catch (error) {
      if (!(error instanceof PipelineError) || troubleOf(error).status >= 500) throw error;
      return sayNothingSelected(request, reply, error, from);
    }
  });
  server.get('/queue/selections/:no', async (request, reply) => sendSelection(context, request, reply));
}

/** Advices with which a payment may be sent again. */
const SENDABLE = ADVICE.filter((advice) => !NO_RETRY.includes(advice));

/** Payments of a finished file that may be sent again. */
export function againOf(fileId: string) {
  return { fileId, advice: SENDABLE };
}

/** Freezes the payments of a file, what a run left, all that match the filter of a list, or what is ticked on its page. */
async function freeze({ app: { ledger } }: WebContext, { viewer, body }: FastifyRequest): Promise<number> {
  const because = { actor: actorOf(viewerOf({ viewer })), reason: 'selected on the dashboard' };
  const [fileId, run] = [fieldOf(body, 'file'), fieldOf(body, 'run')];
  if (fileId !== '') return selectAll(ledger, againOf(fileId), because);
  if (/^[1-9]\d{0,14}$/.test(run)) return selectAll(ledger, { leftBy: Number(run), advice: SENDABLE }, because);
  if (fieldOf(body, 'all') !== '') return selectAll(ledger, listedAsked(body), because);
  const items = fieldsOf(body, 'item');
  if (items.length === 0) throw new PipelineError('USAGE', 'select payments', 'nothing is ticked');
  return selectPicked(ledger, readPicked(items), because);
}

function sayNothingSelected(
  request: FastifyRequest,
  reply: FastifyReply,
  error: PipelineError,
  from: string | undefined,
): FastifyReply {
  const { status, code, says } = troubleOf(error);
  tellRefusal(request, code);
  void reply.code(status);
  return sendPage(
    reply,
    <Page title="Nothing was selected" viewer={request.viewer} path="/queue">
      <Notice kind="bad" title={says} />
      <p>
        <BackToList from={from ?? '/queue?list=again'} />
      </p>
    </Page>,
  );
}

async function sendSelection(context: WebContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const subject = await findSubject(context, 'selection', request.params);
  const from = listBefore(request.query);
  const { run } = subject;
  if (run.state !== 'selected') return sendPage(reply, await showRun(context, request, run));
  const proposals = await readOpenProposals(context.app.ledger);
  const proposal = proposals.find(({ run_no: no }) => no === run.run_no);
  const { title, path, crumbs } = placeOf(subject);
  if (!proposal && viewerMay(viewer, 'reprocess'))
    return reply.redirect(addressOf(`${path}/do/reprocess`, { from }), 303);
  const input = { actor: actorOf(viewer), filled: {} };
  const { plan } = await planAction(context.app, 'reprocess', finderIn(context, request.params), input);
  return sendPage(
    reply,
    <Page title={`Plan: ${proposal?.name ?? title}`} viewer={viewer} path={path} crumbs={crumbs.slice(0, -1)}>
      {proposal ? (
        <Notice kind="info" title={`Proposed by ${whoDid(proposal.made_by)}: ${proposal.reason}`}>
          <p>
            Nothing happens until another person confirms it. <a href="/approvals">Approvals</a>
          </p>
        </Notice>
      ) : (
        <Notice kind="info" title="Nothing is done yet">
          <p>An operator can reprocess it.</p>
        </Notice>
      )}
      <PlanView plan={{ ...plan, says: plan.says.slice(plan.isProposal ? 1 : 0) }} />
      {from && (
        <p>
          <BackToList from={from} />
        </p>
      )}
    </Page>,
  );
}
