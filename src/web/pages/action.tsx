import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LARGEST_REPORT_BYTES } from '../../actions/resolve/read-report-file.ts';
import { ACTIONS } from '../../../schemas/actions.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskReason } from '../../kernel/mask.ts';
import { tellRefusal } from '../access/note-refusals.ts';
import { fieldOf } from '../access/read-form.ts';
import { findProofWanted, proveByPassword } from '../access/step-up.ts';
import { takeUploads, uploadOf } from '../access/take-uploads.ts';
import { actorOf } from '../access/viewer.ts';
import type { HandledAction, Input, Subject } from '../../actions/action.ts';
import { handledIn } from '../actions/actions-for.ts';
import {
  runAction,
  handlerOf,
  planAction,
  type Planned,
  type SubjectFinder,
  subjectOf,
} from '../../actions/run-action.ts';
import { finderIn, placeOf, SUBJECT_PATHS } from '../actions/find-subject.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { addressOf } from '../parts/address.ts';
import { DonePage, PicksPage, PlanPage, WhyNotPage } from '../parts/action-pages.tsx';
import { sendPage } from '../send-page.ts';
import { listBefore } from './login.tsx';

/**
 * Serves `…/do/<action>` for every action: GET shows what would happen, POST does it and reports the result. The address
 * names the action, so the guard refuses unauthorized users before anything is read.
 */
export async function actionPages(server: FastifyInstance, context: WebContext): Promise<void> {
  const { features } = context.app.settings;
  const wantsFile = (name: HandledAction) => {
    const { picks = [], asks = [] } = handlerOf(features, name);
    return [...picks, ...asks].some(({ kind }) => kind === 'file');
  };
  const names = handledIn(features);
  for (const name of names.filter((action) => !wantsFile(action))) hangAction(server, context, name);
  // Only these accept forms as large as a file.
  await server.register(async (scope) => {
    takeUploads(scope, LARGEST_REPORT_BYTES);
    for (const name of names.filter(wantsFile)) hangAction(scope, context, name);
  });
}

function hangAction(server: FastifyInstance, context: WebContext, name: HandledAction): void {
  const path = `${SUBJECT_PATHS[ACTIONS[name].to]}/do/${name}`;
  const route = { config: { may: name } };
  server.get(path, route, (request, reply) => answer(look, { context, name, request, reply, form: request.query }));
  server.post(path, route, (request, reply) => answer(send, { context, name, request, reply, form: request.body }));
}

/** One request to such a page. The form of a GET is its query. */
type Visit = {
  readonly context: WebContext;
  readonly name: HandledAction;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: unknown;
};

/** Shows the plan, or first asks for the inputs it depends on. */
async function look(visit: Visit, input: Input): Promise<FastifyReply> {
  const { context, name } = visit;
  const subject = await subjectOf(context.app.settings.features, name, finderOf(visit));
  if (name === 'reprocess' && isBegun(subject)) return toRun(visit, subject);
  if (!isPicked(visit, input)) return sendPage(visit.reply, <PicksPage {...aboutOf(visit, input)} subject={subject} />);
  return showPlan(visit, input, await planAction(context.app, name, finderOf(visit), input));
}

/** Does it when the plan is still the one shown; without a plan's mark, shows the plan. */
async function send(visit: Visit, input: Input): Promise<FastifyReply> {
  const { context, name, form } = visit;
  const bind = fieldOf(form, 'bind');
  if (bind === '') {
    // The form that makes the choice has no mark yet.
    const isChanged = handlerOfVisit(visit).picks === undefined;
    return showPlan(visit, input, await planAction(context.app, name, finderOf(visit), input), { isChanged });
  }
  const proof = ACTIONS[name].destructive ? await findProofWanted(viewerOf(visit.request), context) : undefined;
  if (proof) {
    const fault = await proveByPassword(context, visit.request, fieldOf(form, 'password'));
    if (fault !== undefined) return askForProof(visit, input, fault);
  }
  const order = { ...input, reason: fieldOf(form, 'reason'), bind };
  const result = await runAction(context.app, name, finderOf(visit), order);
  // Of several clicks on the button of one selection, all lead to its one run.
  if (result.subject.kind === 'selection' && (result.result === 'done' || isBegun(result.subject)))
    return toRun(visit, result.subject);
  if (result.result === 'changed') return showPlan(visit, input, result, { isChanged: true });
  return sendPage(visit.reply, <DonePage {...aboutOf(visit, input)} {...result} />);
}

function isBegun(subject: Subject): boolean {
  return subject.kind === 'selection' && subject.run.state !== 'selected';
}

/** Leads to the page of a selection, which shows how far its run is. */
function toRun({ reply, form }: Visit, subject: Subject): FastifyReply {
  return reply.redirect(addressOf(placeOf(subject).path, { from: listBefore(form) }), 303);
}

/** Shows the plan again, because the action needs a proof of who its user is. */
async function askForProof(visit: Visit, input: Input, proofFault: string): Promise<FastifyReply> {
  const { context, name, reply, request } = visit;
  tellRefusal(request, 'PROOF_NEEDED');
  void reply.code(403);
  return showPlan(visit, input, await planAction(context.app, name, finderOf(visit), input), { proofFault });
}

/** Shows the reason when the current state forbids the action. Failures of paydrop itself reach the error handler. */
async function answer(
  work: (visit: Visit, input: Input) => Promise<FastifyReply>,
  visit: Visit,
): Promise<FastifyReply> {
  const input = readInput(visit);
  try {
    return await work(visit, input);
  } catch (error) {
    if (!(error instanceof PipelineError) || NOT_A_REFUSAL.has(error.code)) throw error;
    // A second click on the button of a proposal.
    if (error.code === 'PROPOSAL_OPEN' && visit.name === 'reprocess')
      return toRun(visit, await finderOf(visit)('selection'));
    return showRefusal(visit, input, error);
  }
}

/** Errors that do not refuse an action, but report trouble in paydrop or a wrong address. */
const NOT_A_REFUSAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INTERNAL',
  'NOT_FOUND',
  'LEDGER_UNREACHABLE',
  'QUEUE_UNREACHABLE',
  'DISK_FULL',
]);

const STATUS: Partial<Record<ErrorCode, number>> = { USAGE: 400, SECOND_PERSON: 403 };

/** Shows the reason; also the form as filled in, when other input might work. */
async function showRefusal(visit: Visit, input: Input, { code, message }: PipelineError): Promise<FastifyReply> {
  const { context, name, reply, form } = visit;
  void reply.code(STATUS[code] ?? 409);
  tellRefusal(visit.request, code);
  const wasPlanned = fieldOf(form, 'bind') !== '';
  const planned = wasPlanned
    ? await planAction(context.app, name, finderOf(visit), input).catch(() => undefined)
    : undefined;
  if (planned) return showPlan(visit, input, planned, { fault: message });
  const about = { ...aboutOf(visit, input), subject: await finderOf(visit)(ACTIONS[name].to) };
  if (code === 'USAGE') return sendPage(reply, <PicksPage {...about} fault={message} />);
  return sendPage(reply, <WhyNotPage {...about} why={message} />);
}

async function showPlan(
  visit: Visit,
  input: Input,
  planned: Planned,
  { isChanged = false, fault, proofFault }: { isChanged?: boolean; fault?: string; proofFault?: string } = {},
): Promise<FastifyReply> {
  const { context, name, form, reply, request } = visit;
  if (isChanged || planned.plan.barred !== undefined) void reply.code(409);
  const suggested = await handlerOfVisit(visit).suggest?.(context.app, planned.subject);
  const about = aboutOf(visit, { ...input, filled: { ...suggested, ...input.filled } });
  const reason = maskReason(fieldOf(form, 'reason'));
  const wanted = ACTIONS[name].destructive ? await findProofWanted(viewerOf(request), context) : undefined;
  const proof = wanted && { proof: wanted, next: request.url, fault: proofFault };
  const shown = fieldOf(form, 'shown').split(/\r?\n/).filter(Boolean);
  const page = { ...about, ...planned, isChanged, shown, reason, fault, proof };
  return sendPage(reply, <PlanPage {...page} />);
}

function finderOf({ context, request }: Visit): SubjectFinder {
  return finderIn(context, request.params);
}

function handlerOfVisit({ context, name }: Pick<Visit, 'context' | 'name'>) {
  return handlerOf(context.app.settings.features, name);
}

function aboutOf(visit: Visit, { filled }: Input) {
  const { name, request, form } = visit;
  const { picks = [], asks = [] } = handlerOfVisit(visit);
  const path = request.url.split('?')[0]!;
  return { viewer: viewerOf(request), action: name, path, picks, asks, filled, from: listBefore(form) };
}

function isPicked(visit: Visit, { filled, file }: Input): boolean {
  const required = (handlerOfVisit(visit).picks ?? []).filter(({ isRequired }) => isRequired);
  return required.every((ask) => (ask.kind === 'file' ? file !== undefined : filled[ask.name] !== undefined));
}

function readInput(visit: Visit): Input {
  const { request, form } = visit;
  const { picks = [], asks = [] } = handlerOfVisit(visit);
  const all = [...picks, ...asks];
  const texts = all.filter(({ kind }) => kind !== 'file').map((ask) => [ask.name, fieldOf(form, ask.name)] as const);
  const [file] = all.filter(({ kind }) => kind === 'file').map((ask) => uploadOf(form, ask.name));
  const filled = Object.fromEntries(texts.filter(([, value]) => value !== ''));
  return { actor: actorOf(viewerOf(request)), filled, ...(file && { file }) };
}
