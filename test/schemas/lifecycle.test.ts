import { describe, expect, it } from 'vitest';
import {
  BATCH_MOVES,
  BATCH_STATES,
  COMPLETENESS,
  FILE_MOVES,
  FILE_STATES,
  FINAL_BATCH_STATES,
  IN_DOUBT_STATES,
  OUTCOMES,
  OUTPUT_KINDS,
  RUN_MOVES,
  RUN_STATES,
  type Move,
  outcomeOfLabel,
} from '../../schemas/lifecycle.ts';

/** Every move of a batch, as `from > to`, written out again independently of the table. */
const BATCH_LIFE = [
  '- > ready',
  'ready > sending',
  'ready > cancelled',
  'ready > unknown',
  'sending > submitted',
  'sending > refused',
  'sending > ready',
  'sending > unknown',
  'unknown > submitted',
  'unknown > ready',
  'unknown > reconciled',
  'submitted > result_in',
  'submitted > exception',
  'result_in > reconciled',
  'result_in > exception',
  'exception > reconciled',
  'exception > reconciled',
  'exception > unknown',
  'refused > ready',
  'refused > cancelled',
  'refused > unknown',
];

const FILE_LIFE = [
  '- > claimed',
  'claimed > accepted',
  'claimed > held',
  'claimed > rejected',
  'held > accepted',
  'held > cancelled',
  'held > partly_cancelled',
  'accepted > in_progress',
  'accepted > cancelled',
  'in_progress > completed',
  'in_progress > partly_cancelled',
];

const RUN_LIFE = [
  '- > running',
  '- > missed',
  'running > done',
  'running > failed',
  'failed > running',
  'missed > running',
];

const LIVES = [
  {
    entity: 'file',
    states: Object.keys(FILE_STATES),
    moves: FILE_MOVES as readonly Move<string>[],
    life: FILE_LIFE,
    beginnings: 1,
    final: ['rejected', 'completed', 'cancelled', 'partly_cancelled'],
  },
  {
    entity: 'batch',
    states: Object.keys(BATCH_STATES),
    moves: BATCH_MOVES as readonly Move<string>[],
    life: BATCH_LIFE,
    beginnings: 1,
    final: ['reconciled', 'cancelled'],
  },
  {
    entity: 'run',
    states: Object.keys(RUN_STATES),
    moves: RUN_MOVES as readonly Move<string>[],
    life: RUN_LIFE,
    // It begins, or nothing ran in time to begin it.
    beginnings: 2,
    final: ['done'],
  },
];

describe.each(LIVES)('moves of a $entity', ({ states, moves, life, beginnings, final }) => {
  it('are those of the design and no other', () => {
    expect(moves.map(({ from, to }) => `${from ?? '-'} > ${to}`).toSorted()).toEqual(life.toSorted());
  });

  it('have names of their own', () => {
    expect(new Set(moves.map((move) => move.name)).size).toBe(moves.length);
  });

  it('begin at one place, or in the ways that there are', () => {
    expect(moves.filter((move) => move.from === null)).toHaveLength(beginnings);
  });

  it('reach every state, and lead nowhere unknown', () => {
    expect(reachableFrom(null, moves).toSorted()).toEqual(states.toSorted());
  });

  it('end in the final states and leave every other one', () => {
    const ends = states.filter((state) => !moves.some((move) => move.from === state));
    expect(ends.toSorted()).toEqual(final.toSorted());
  });

  it('let every state come to an end', () => {
    for (const state of states) {
      const reached = [state, ...reachableFrom(state, moves)];
      expect(
        reached.some((end) => final.includes(end)),
        state,
      ).toBe(true);
    }
  });
});

describe('a batch that may have been sent', () => {
  const leaving = (state: string) => BATCH_MOVES.filter((move) => move.from === state);

  it('leaves unknown by the hand of an operator only', () => {
    expect(leaving('unknown').map((move) => move.by)).toEqual(['operator', 'operator', 'operator']);
  });

  it('never goes from submitted, result_in or exception back to ready', () => {
    for (const state of ['submitted', 'result_in', 'exception']) {
      expect(
        leaving(state).map((move) => move.to as string),
        state,
      ).not.toContain('ready');
    }
  });

  it('becomes ready again without a person only where no byte was sent', () => {
    const back = BATCH_MOVES.filter((move) => move.to === 'ready' && move.from !== null && move.by === 'worker');
    expect(back.map((move) => move.name)).toEqual(['unsent']);
  });

  it('is sent from ready only', () => {
    const sending = BATCH_MOVES.filter((move) => move.to === 'sending');
    expect(sending.map((move) => move.from)).toEqual(['ready']);
  });

  it('is cancelled only where nothing was sent or nothing was accepted', () => {
    const cancelled = BATCH_MOVES.filter((move) => move.to === 'cancelled').map((move) => move.from as string);
    expect(cancelled.toSorted()).toEqual(['ready', 'refused']);
  });

  it('counts as in doubt while sending and unknown', () => {
    expect(IN_DOUBT_STATES).toEqual(['sending', 'unknown']);
  });

  it('waits for nothing in the final states', () => {
    const ends = Object.keys(BATCH_STATES).filter((state) => leaving(state).length === 0);
    expect([...FINAL_BATCH_STATES].toSorted()).toEqual(ends.toSorted());
  });
});

describe('OUTCOMES', () => {
  it('calls certainly not charged only what cannot have moved money', () => {
    const safe = Object.entries(OUTCOMES).filter(([, outcome]) => outcome.certainlyNotCharged);
    expect(safe.map(([name]) => name)).toEqual(['declined', 'format_error', 'not_charged', 'not_sent', 'invalid']);
  });

  it.each(Object.entries(OUTCOMES))('%s is written as its name in capitals', (name, outcome) => {
    expect(outcome.label).toBe(name.toUpperCase());
    expect(outcome.means).not.toBe('');
  });
});

describe('OUTPUT_KINDS', () => {
  it('have suffixes of their own', () => {
    const suffixes = Object.values(OUTPUT_KINDS).map((kind) => kind.suffix);
    expect(new Set(suffixes).size).toBe(suffixes.length);
    for (const suffix of suffixes) expect(suffix).toMatch(/^[a-z]+(?:\.c01)?\.(?:csv|json|txt|xlsx)$/);
  });
});

describe('COMPLETENESS', () => {
  it('calls quiet time an inference, and nothing else', () => {
    const inferred = Object.entries(COMPLETENESS).filter(([, about]) => about.startsWith('inferred'));
    expect(inferred.map(([name]) => name)).toEqual(['quiet']);
  });
});

function reachableFrom(start: string | null, moves: readonly Move<string>[]): string[] {
  const found = new Set<string>();
  const open: (string | null)[] = [start];
  for (const state of open) {
    for (const { to } of moves.filter((move) => move.from === state && !found.has(move.to))) {
      found.add(to);
      open.push(to);
    }
  }
  return [...found];
}

describe('outcomeOfLabel', () => {
  it('reads back the label of every outcome, and no other text', () => {
    for (const [name, { label }] of Object.entries(OUTCOMES)) expect(outcomeOfLabel(label)).toBe(name);
    for (const text of ['', 'approved', 'Outcome', 'APPROVED ']) expect(outcomeOfLabel(text)).toBeUndefined();
  });
});
