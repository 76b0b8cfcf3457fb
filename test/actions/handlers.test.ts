import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../schemas/actions.ts';
import { BATCH_MOVES, BATCH_STATES, FILE_STATES } from '../../schemas/lifecycle.ts';
import type { Action } from '../../src/actions/action.ts';
import { HANDLED } from '../../src/web/actions/actions-for.ts';
import { HANDLERS } from '../../src/actions/handlers.ts';

const ROWS = HANDLED.map((name) => ({ name, to: ACTIONS[name].to, ...(HANDLERS[name] as unknown as Action) }));

describe('HANDLERS', () => {
  it('has every action but those that have pages of their own', () => {
    const others = Object.keys(ACTIONS).filter((name) => !Object.hasOwn(HANDLERS, name));
    expect(others).toEqual(['look', 'check', 'drop', 'people']);
  });

  it.each(ROWS)('$name begins in states that its subject can have', ({ from = [], to }) => {
    const states: object = to === 'file' ? FILE_STATES : BATCH_STATES;
    expect(from.filter((state) => !Object.hasOwn(states, state))).toEqual([]);
    expect(from.length > 0 && to !== 'file' && to !== 'batch').toBe(false);
  });

  it.each(ROWS)('$name asks each thing once, and nothing that the form asks itself', ({ picks = [], asks = [] }) => {
    const names = [...picks, ...asks].map((ask) => ask.name);
    expect(new Set([...names, 'reason', 'bind', '_csrf']).size).toBe(names.length + 3);
    for (const { kind, choices } of [...picks, ...asks]) expect(kind === 'choice').toBe(choices !== undefined);
  });

  it('compares the send journal before whatever lets a batch leave, or ends it', () => {
    const moving = BATCH_MOVES.filter(({ by }) => by === 'operator').map(({ from }) => from);
    const unsafe = ROWS.filter(
      ({ name, to, from = [], comparesJournal }) =>
        to === 'batch' &&
        name !== 'repoll' &&
        !comparesJournal &&
        from.some((state) => moving.includes(state as never)),
    );
    expect(unsafe).toEqual([]);
  });

  it('lets nothing but a recorded resolution begin in a state that may have been sent', () => {
    const inDoubt = ROWS.filter(({ from = [] }) => from.includes('unknown') || from.includes('sending'));
    expect(inDoubt.map(({ name }) => name)).toEqual(['adopt', 'probe', 'not-received', 'journal', 'close-in-doubt']);
  });
});
