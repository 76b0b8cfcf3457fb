import { createHash } from 'node:crypto';
import { ACTIONS } from '../../../schemas/actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskReason } from '../../kernel/mask.ts';
import { recallForgotten } from '../../ledger/doubt/recall-batch.ts';
import type { WebContext } from '../web-context.ts';
import type { ActionHandler, Done, HandledAction, Input, Plan, Subject } from './action-handler.ts';
import { findSubject } from './find-subject.ts';
import { HANDLERS } from './handlers.ts';

/** What would happen. A caller that sends `bind` back wants exactly this plan done. */
export type Planned = { readonly subject: Subject; readonly plan: Plan; readonly bind: string };

/** `changed`: nothing was done, because the plan is not the one that the user saw. */
export type ActionResult =
  | { readonly result: 'done'; readonly subject: Subject; readonly done: Done }
  | ({ readonly result: 'changed' } & Planned);

export type Order = Input & {
  /** The reason in the user's words; an action without a required reason has its own. */
  readonly reason?: string;
  /** Mark of the plan that the user saw; if omitted, the current plan is done. */
  readonly bind?: string;
};

/**
 * Plans an action. Changes nothing.
 * @param params of the route, which name the subject
 * @throws Refusal and PipelineError when the subject is missing, or its state does not allow the action
 */
export async function planAction(
  context: WebContext,
  name: HandledAction,
  params: unknown,
  input: Input,
): Promise<Planned> {
  const handler = handlerOf(name);
  const subject = await subjectOf(context, name, params);
  mustHave(handler.picks ?? [], input, `plan "${ACTIONS[name].label}"`);
  const plan = await handler.plan(context, subject, input);
  return { subject, plan, bind: bindOf(name, plan) };
}

/**
 * Does an action if the plan is still the one the user saw. Doing it twice is harmless: the ledger refuses a move that
 * was already made.
 * @throws Refusal and PipelineError; then nothing has changed
 */
export async function runAction(
  context: WebContext,
  name: HandledAction,
  params: unknown,
  order: Order,
): Promise<ActionResult> {
  const handler = handlerOf(name);
  const action = `do "${ACTIONS[name].label}"`;
  if (handler.comparesJournal) await recallForgotten(context.app.ledger, context.app.settings.paths.journal);
  const planned = await planAction(context, name, params, order);
  if (order.bind !== undefined && order.bind !== planned.bind) return { result: 'changed', ...planned };
  if (planned.plan.barred !== undefined) throw new PipelineError('RESOLUTION_REFUSED', action, planned.plan.barred);
  const because = { actor: order.actor, reason: reasonOf(name, order, action) };
  mustHave(handler.asks ?? [], order, action);
  const done = await handler.run(context, planned.subject, order, because);
  return { result: 'done', subject: planned.subject, done };
}

/**
 * Finds the subject of the action.
 * @throws Refusal and PipelineError when it is missing, or its state does not allow the action
 */
export async function subjectOf(context: WebContext, name: HandledAction, params: unknown): Promise<Subject> {
  const { to, from } = handlerOf(name);
  const subject = await findSubject(context, to, params);
  const state = stateOf(subject);
  if (state === undefined || from === undefined || from.includes(state)) return subject;
  const reason = `it is ${inWords(state)}, and this is for what is ${inWords(from.join(' or '))}`;
  const next = 'What can be done stands on the page of the file.';
  throw new PipelineError('MOVE_REFUSED', `do "${ACTIONS[name].label}" with this ${to}`, reason, { next });
}

function stateOf(subject: Subject): string | undefined {
  if (subject.kind === 'file') return subject.file.state;
  return subject.kind === 'batch' ? subject.batch.state : undefined;
}

function inWords(states: string): string {
  return states.replaceAll('_', ' ');
}

/** Returns the handler, typed for any subject; find-subject.ts supplies one of the right kind. */
export function handlerOf(name: HandledAction): ActionHandler & { readonly to: Subject['kind'] } {
  return { ...(HANDLERS[name] as unknown as ActionHandler), to: ACTIONS[name].to };
}

function bindOf(name: HandledAction, plan: Plan): string {
  return createHash('sha256')
    .update(JSON.stringify([name, plan]))
    .digest('hex')
    .slice(0, 32);
}

function reasonOf(name: HandledAction, { reason = '' }: Order, action: string): string {
  if (ACTIONS[name].reason === 'none') return 'asked for by hand';
  const words = reason.trim();
  if (words === '') throw new PipelineError('USAGE', action, 'the reason is empty', { next: 'Say why.' });
  return maskReason(words);
}

function mustHave(asks: NonNullable<ActionHandler['asks']>, { filled, file }: Input, action: string): void {
  for (const { name, label, kind, isRequired, choices } of asks) {
    const value = filled[name] ?? '';
    const isGiven = kind === 'file' ? file !== undefined : value !== '';
    if (isRequired && !isGiven)
      throw new PipelineError('USAGE', action, `"${label}" is empty`, { next: 'Fill it in.' });
    if (kind === 'choice' && value !== '' && !choices!.some((choice) => choice.value === value))
      throw new PipelineError('USAGE', action, `"${label}" is none of its choices`, { next: 'Choose one.' });
  }
}
