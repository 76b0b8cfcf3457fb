import { DEEDS } from '../../../schemas/desk.ts';
import type { DeedHandler, HandledDeed } from './deed-handler.ts';
import { HANDLERS } from './handlers.ts';

/** Returns the actions that this state allows, in the order of the table, for the links of the resolve page. */
export function deedsFor(kind: 'file' | 'batch', state: string): HandledDeed[] {
  return HANDLED.filter((name) => {
    const { from }: Pick<DeedHandler, 'from'> = HANDLERS[name];
    return DEEDS[name].to === kind && (from === undefined || from.includes(state));
  });
}

/** Every action that has a handler. */
export const HANDLED = (Object.keys(DEEDS) as (keyof typeof DEEDS)[]).filter((name): name is HandledDeed =>
  Object.hasOwn(HANDLERS, name),
);
