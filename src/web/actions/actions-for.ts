import { ACTIONS, type ActionName } from '../../../schemas/actions.ts';
import type { HandledAction } from '../../actions/action.ts';
import { handlersOf } from '../../actions/handlers.ts';
import type { Feature } from '../../feature.ts';

/** Returns the actions that this state allows, in the order of the table, for the links of the resolve page. */
export function actionsFor(features: readonly Feature[], kind: 'file' | 'batch', state: string): HandledAction[] {
  const handlers = handlersOf(features);
  return handledIn(features).filter((name) => {
    const { from } = handlers[name]!;
    return ACTIONS[name].to === kind && (from === undefined || from.includes(state));
  });
}

/** Returns every action that has a handler, in the order of the table. */
export function handledIn(features: readonly Feature[]): HandledAction[] {
  const handlers = handlersOf(features);
  return (Object.keys(ACTIONS) as ActionName[]).filter((name): name is HandledAction => Object.hasOwn(handlers, name));
}
