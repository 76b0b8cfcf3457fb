import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ACTIONS } from '../../../../schemas/actions.ts';
import { type Profile, ProfileName } from '../../../../schemas/profiles.ts';
import type { ActionReport } from '../../../actions/action.ts';
import { readAgreed } from '../../../actions/profile/compare-sample.ts';
import { readSample } from '../../../actions/profile/read-sample.ts';
import { reasonOf, runAction } from '../../../actions/run-action.ts';
import { hiddenShown } from '../../../csv/profile/check/found-fault.ts';
import { answer, openFile } from '../../../csv/suggest/questions.ts';
import { readKnownProfiles } from '../../../explain/read-profiles.ts';
import { displayName } from '../../../files/file-names.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import { sha256Of } from '../../../kernel/hash.ts';
import { maskName, maskReason, maskText } from '../../../kernel/mask.ts';
import { fieldOf } from '../../access/read-form.ts';
import { takeUploads, uploadOf } from '../../access/take-uploads.ts';
import { actorOf, type Viewer } from '../../access/viewer.ts';
import { mustBeProved } from '../../access/step-up.ts';
import { troubleOf } from '../../answer-errors.tsx';
import { DonePage } from '../../parts/action-pages.tsx';
import { sendPage } from '../../send-page.ts';
import { viewerOf, type WebContext } from '../../web-context.ts';
import { type KeptSample, openKeptSamples } from './kept-samples.ts';
import { LARGEST_SAMPLE_BYTES, readPreview } from './preview.tsx';
import { markOf, withAnswers } from './question-form.tsx';
import {
  ConfirmPage,
  draftOnly,
  isConfirmedHere,
  MadePage,
  QuestionsPage,
  questionsOfStep,
  START,
  StartPage,
  type Typed,
} from './suggest-pages.tsx';

/**
 * Serves `/new-profile`: from a file to a profile, step by step and without scripts. The file and the answers stay in
 * memory, bound to the session.
 */
export async function suggestPages(server: FastifyInstance, context: WebContext): Promise<void> {
  const { app } = context;
  const samples = openKeptSamples();
  server.addHook('onClose', async () => samples.close());
  const route = { config: { may: 'import-profile' } } as const;

  /** Answers with the sample of the session; without one, leads to the first page. */
  const withSample = (work: (visit: Visit) => Promise<FastifyReply> | FastifyReply) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const viewer = viewerOf(request);
      const kept = samples.find(viewer.csrf);
      if (!kept) return reply.redirect(`${START}?gone`, 303);
      const change = (changed: Partial<KeptSample>) => samples.keep(viewer.csrf, { ...kept, ...changed });
      return work({ context, viewer, kept, request, reply, change, forget: () => samples.forget(viewer.csrf) });
    };
  };

  server.get(START, route, (request, reply) => {
    const viewer = viewerOf(request);
    const isGone = typeof request.query === 'object' && request.query !== null && 'gone' in request.query;
    const fault = isGone ? 'The file is not in memory any more. Choose it again.' : undefined;
    return sendPage(reply, <StartPage {...startOf(context, viewer)} kept={samples.find(viewer.csrf)} fault={fault} />);
  });
  await server.register(async (scope) => {
    takeUploads(scope, LARGEST_SAMPLE_BYTES);
    scope.post(START, route, async (request, reply) => {
      const viewer = viewerOf(request);
      const opened = await openSample(context, request.body);
      if ('fault' in opened) {
        void reply.code(400);
        return sendPage(reply, <StartPage {...startOf(context, viewer)} kept={undefined} fault={opened.fault} />);
      }
      samples.keep(viewer.csrf, opened);
      app.log.info({ folder: opened.folder.id, actor: actorOf(viewer) }, 'sample of a profile opened');
      return reply.redirect(`${START}/questions`, 303);
    });
  });
  server.post(`${START}/forget`, route, (request, reply) => {
    samples.forget(viewerOf(request).csrf);
    return reply.redirect(START, 303);
  });
  server.get(`${START}/questions`, route, withSample(showQuestions));
  server.post(`${START}/questions`, route, withSample(takeAnswers));
  server.get(`${START}/preview`, route, withSample(showMade));
  server.get(`${START}/confirm`, route, withSample(askFigures));
  server.post(`${START}/confirm`, route, withSample(takeFigures));
}

type Visit = {
  readonly context: WebContext;
  readonly viewer: Viewer;
  readonly kept: KeptSample;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly change: (changed: Partial<KeptSample>) => void;
  readonly forget: () => void;
};

function startOf({ app: { settings } }: WebContext, viewer: Viewer) {
  return { viewer, folders: settings.folders };
}

/** Looks at an uploaded file. One that has a security code, or that is no table, is not kept. */
async function openSample({ app }: WebContext, form: unknown): Promise<KeptSample | { readonly fault: string }> {
  const folder = app.settings.folders.find(({ id }) => id === fieldOf(form, 'folder'));
  const upload = uploadOf(form, 'sample');
  if (!folder || !upload) return { fault: 'Choose the account and a file.' };
  if (upload.bytes.length > LARGEST_SAMPLE_BYTES)
    return { fault: 'The file is too large: at most 2 MB. Export fewer days.' };
  const { bytes } = upload;
  const proposal = await openFile(bytes, {
    place: { operation: folder.operation, account: app.account(folder.account) },
    now: app.clock.now(),
    known: await readKnownProfiles(app.ledger),
  });
  const answers = {};
  const { draft, faults } = answer(proposal, answers);
  if (draft === '') return { fault: `No profile can be made: ${faults.map(shownFault).join('; ')}.` };
  return { name: maskName(displayName(upload.name)), folder, bytes, proposal, answers };
}

function shownFault(fault: string): string {
  return hiddenShown(maskText(fault));
}

function showQuestions(visit: Visit): FastifyReply {
  const { kept, request, reply } = visit;
  const questions = questionsOfStep(kept, fieldOf(request.query, 'step'));
  const { faults, draft } = answer(kept.proposal, kept.answers);
  if (draft === '') visit.forget();
  if (questions.length === 0 && faults.length === 0) return reply.redirect(`${START}/preview`, 303);
  return sendQuestions(visit, questions, faults);
}

function sendQuestions(
  { viewer, kept, reply }: Visit,
  questions: ReturnType<typeof questionsOfStep>,
  faults: readonly string[],
  isChanged = false,
): FastifyReply {
  const shown = faults.map(shownFault);
  return sendPage(
    reply,
    <QuestionsPage viewer={viewer} kept={kept} questions={questions} faults={shown} isChanged={isChanged} />,
  );
}

/** Takes the answers of one step. The next page is the first step with an open question. */
function takeAnswers(visit: Visit): FastifyReply {
  const { kept, request, reply } = visit;
  const questions = questionsOfStep(kept, fieldOf(request.body, 'step'));
  if (markOf(questions) !== fieldOf(request.body, 'mark')) {
    void reply.code(409);
    return sendQuestions(visit, questions, [], true);
  }
  visit.change({ answers: withAnswers(kept.answers, questions, request.body) });
  return reply.redirect(`${START}/questions`, 303);
}

/** What the answers make, when none is missing. */
type Made = { readonly profile: Profile; readonly text: string; readonly mark: string };

function madeOf({ proposal, answers }: KeptSample): Made | undefined {
  const { profile, draft } = answer(proposal, answers);
  return profile && { profile, text: draft, mark: sha256Of(draft) };
}

async function showMade({ context, viewer, kept, reply }: Visit): Promise<FastifyReply> {
  const made = madeOf(kept);
  if (!made) return reply.redirect(`${START}/questions`, 303);
  const preview = await readPreview(context.app, made.profile, kept.folder, kept);
  return sendPage(reply, <MadePage viewer={viewer} kept={kept} preview={preview} />);
}

function askFigures({ viewer, kept, reply }: Visit): FastifyReply {
  const made = madeOf(kept);
  if (!made) return reply.redirect(`${START}/questions`, 303);
  return sendPage(reply, <ConfirmPage viewer={viewer} kept={kept} mark={made.mark} typed={typedIn({})} />);
}

function typedIn(form: unknown): Typed {
  const [name, rows, total, folder] = ['name', 'rows', 'total', 'folder'].map((field) =>
    maskText(fieldOf(form, field)),
  );
  return { name: name!, rows: rows!, total: total!, folder: folder!, reason: maskReason(fieldOf(form, 'reason')) };
}

/** Records the draft, and confirms or proposes it when the figures agree. */
async function takeFigures(visit: Visit): Promise<FastifyReply> {
  const { viewer, kept, request, reply } = visit;
  const made = madeOf(kept);
  if (!made || made.mark !== fieldOf(request.body, 'mark')) return reply.redirect(`${START}/preview`, 303);
  const typed = typedIn(request.body);
  try {
    const { name, done } = await recordMade(visit, made, typed);
    visit.forget();
    const action = isConfirmedHere(viewer, kept) ? 'confirm-profile' : 'import-profile';
    const about = { viewer, action, path: '/profiles', subject: { kind: 'profile', profile: name } } as const;
    return sendPage(reply, <DonePage {...about} picks={[]} asks={[]} filled={{}} done={done} />);
  } catch (error) {
    const { status, says } = troubleOf(error);
    if (status >= 500) throw error;
    void reply.code(status);
    const page = { viewer, kept, mark: made.mark, typed, fault: says };
    return sendPage(reply, <ConfirmPage {...page} />);
  }
}

type Recorded = { readonly name: string; readonly done: ActionReport };

/** Nothing is recorded before name, folder and figures are right. */
async function recordMade(visit: Visit, made: Made, typed: Typed): Promise<Recorded> {
  const { context, viewer, kept } = visit;
  const isConfirmed = isConfirmedHere(viewer, kept);
  const name = nameOf(kept, typed);
  reasonOf(context.app.settings.features, 'import-profile', typed);
  if (isConfirmed) await mustAgree(context, kept, made, typed);
  const drafted = await run(visit, name, 'import-profile', {
    filled: {},
    file: { name: `${name}.yaml`, bytes: Buffer.from(made.text) },
    reason: typed.reason,
  });
  const { version, state } = drafted.json;
  if (!isConfirmed || state !== 'draft')
    return { name, done: { ...drafted, details: isConfirmed ? [] : [draftOnly(kept)], next: [] } };
  const { rows, total, folder } = typed;
  const done = await run(visit, name, 'confirm-profile', {
    filled: { rows, total, folder, version: String(version) },
    file: kept,
    reason: typed.reason,
  });
  return { name, done };
}

function nameOf({ folder }: KeptSample, typed: Typed): string {
  const found = ProfileName.safeParse(folder.profile ?? typed.name);
  if (found.success) return found.data;
  throw new PipelineError('USAGE', 'record the profile', 'it cannot have that name', {
    next: 'Use lower-case letters, digits and hyphens.',
  });
}

async function mustAgree({ app }: WebContext, { folder, bytes }: KeptSample, made: Made, typed: Typed): Promise<void> {
  const action = `confirm profile "${folder.profile}"`;
  if (typed.folder !== folder.id)
    throw new PipelineError('USAGE', action, 'that is not the name of its folder', { next: 'Nothing was recorded.' });
  const place = { folder, account: app.account(folder.account) };
  await readAgreed(action, typed, { profile: made.profile, bytes, place }, readSample);
}

type Given = Pick<Parameters<typeof runAction>[3], 'filled' | 'file' | 'reason'>;

/** Does an action on the profile as every face does it. */
async function run(
  { context, viewer }: Visit,
  profile: string,
  action: 'import-profile' | 'confirm-profile',
  given: Given,
): Promise<ActionReport> {
  if (ACTIONS[action].destructive) mustBeProved(viewer, context);
  const order = { ...given, actor: actorOf(viewer) };
  const result = await runAction(context.app, action, async () => ({ kind: 'profile', profile }), order);
  // Only an order that is bound to a plan can find it changed.
  if (result.result === 'changed') throw new Error(`${action} without a plan found it changed`);
  return result.done;
}
