import { describe, expect, it } from 'vitest';
import type { OpenProposal } from '../../../../src/ledger/proposal/proposals.ts';
import { AttentionList } from '../../../../src/web/pages/front/attention-list.tsx';
import type { Front } from '../../../../src/web/pages/front/read-front.ts';
import { draw, wordsOf } from '../../support/page-words.ts';
import { QUIET_DAY, quietFront } from '../../support/quiet-front.ts';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { AttentionGroup } from '../../../../src/web/pages/front/attention-group.tsx';

const viewer = { person: 'ada', role: 'viewer', csrf: '', actions: undefined } as const;
const since = new Date('2026-06-15T10:00:00Z');
const id = 'g7fhpaqs00000000';
const batch = {
  account: 'main',
  fileId: id,
  name: 'june.csv',
  batchNo: 2,
  rows: 3,
  cents: 7_500,
  since,
  reason: 'reset',
};
const standing = quietFront().standing;
const standingWith = (change: Partial<Front['standing']>) => ({ standing: { ...standing, ...change } });
const stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since } as const;

const amount = { account: 'main', rows: 2, cents: 500 };
const PROPOSAL = {
  ...amount,
  action: 'approve',
  name: 'june.csv',
  made_by: 'operator:ada',
  reason: 'known',
} as OpenProposal;

const OBSTACLE: Front['obstacles'][number] = {
  key: 'poll',
  what: 'Cannot fetch a result',
  name: 'june.csv',
  why: 'no answer',
  next: '',
  step: [{ action: 'repoll', fileId: id, batchNo: 2 }, ' asks at once.'],
  since,
  account: 'main',
  fileId: id,
  batchNo: 2,
};

/** Everything that can need a user, worst first: its text, and where it leads. */
const CASES: readonly (readonly [title: string, change: Partial<Front>, says: string, link: string | undefined])[] = [
  [
    'no work',
    { unready: [{ part: 'journal', why: 'cannot be written' }] },
    'is not working journal: cannot',
    undefined,
  ],
  [
    'a day that does not balance',
    { today: [QUIET_DAY, { ...QUIET_DAY, account: 'uk', accepted: { files: 1, rows: 1, cents: 100 } }] },
    'The day of account uk does not balance',
    '/report?account=uk&amp;day=2026-06-15',
  ],
  [
    'no service',
    { unreached: [{ kind: 'not_reached', subject: 'main', account: 'main', figures: {} }] },
    'The service cannot be reached for account main',
    undefined,
  ],
  [
    'work that fails',
    { obstacles: [OBSTACLE] },
    'Cannot fetch a result 2026-06-15 06:00:00 -04:00 no answer “Ask for the result now” asks at once.',
    `/files/${id}`,
  ],
  [
    'money in doubt',
    standingWith({ doubt: [{ ...batch, state: 'unknown' }] }),
    'In doubt: 1, 3 rows, 75.00 USD',
    `/files/${id}/batches/2`,
  ],
  [
    'an exception',
    standingWith({ doubt: [{ ...batch, state: 'exception' }] }),
    'Result mismatch: 1, 3 rows, 75.00 USD',
    `/files/${id}/batches/2`,
  ],
  [
    'a refused batch',
    standingWith({ doubt: [{ ...batch, state: 'refused' }] }),
    'Refused: 1, 3 rows, 75.00 USD',
    `/files/${id}/batches/2`,
  ],
  ['a stopped account', { stops: [stop] }, 'Stopped accounts: 1', '/accounts/main'],
  ['all accounts stopped', { stops: [{ ...stop, account: '*' }] }, 'all accounts operator:ada', '/accounts'],
  ['a stop that paydrop made', { stops: [{ ...stop, kind: 'fault' }] }, 'main paydrop 2026-06-15 06:00', undefined],
  [
    'a held file',
    { held: [{ fileId: id, name: 'june.csv', account: 'uk', rows: 2, cents: 500, since, reason: 'totals differ' }] },
    'Needs approval: 1, 2 rows, 5.00 GBP',
    `/files/${id}`,
  ],
  ['a proposal', standingWith({ proposals: [PROPOSAL] }), 'Waiting for approval: 1, 2 rows, 5.00 USD', '/proposals'],
  [
    'an overdue result',
    standingWith({ late: [{ ...batch, batchId: '1234', submittedAt: since, staleSince: since, says: null }] }),
    'Overdue results: 1, 3 rows, 75.00 USD',
    `/files/${id}/batches/2`,
  ],
  [
    'a missed run',
    {
      late: {
        lateRuns: [{ schedule: 'nightly', day: '2026-06-14', state: 'missed', dueAt: since, says: 'nothing ran' }],
        missingFiles: [],
      },
    },
    'nightly 2026-06-14 Missed nothing ran',
    '/schedules',
  ],
  [
    'a file that did not come',
    {
      late: { lateRuns: [], missingFiles: [{ folder: 'drop/dues', account: 'main', day: '2026-06-14', by: '18:00' }] },
    },
    'drop/dues main 2026-06-14 18:00',
    '/accounts/main',
  ],
];

describe('AttentionList', () => {
  it.each(CASES)('tells of %s, and where one goes on', (_title, change, says, link) => {
    const html = draw(AttentionList, { front: quietFront(change), viewer });
    expect(wordsOf(html)).toContain(says);
    expect(wordsOf(html)).not.toContain('Nothing needs attention');
    if (link !== undefined) expect(html).toContain(`href="${link}"`);
  });

  it('tells the worst first', () => {
    const all = {
      ...quietFront(),
      ...Object.assign({}, ...CASES.map(([, change]) => change)),
      standing: Object.assign({}, standing, ...CASES.map(([, change]) => pickFull(change))),
    } as Front;
    const doubt = (['refused', 'unknown', 'exception'] as const).map((state) => ({ ...batch, state }));
    const words = wordsOf(draw(AttentionList, { front: { ...all, standing: { ...all.standing, doubt } }, viewer }));
    const titles = [
      'is not working',
      'does not balance',
      'cannot be reached',
      'In doubt',
      'Result mismatch',
      'Refused',
      'Stopped accounts',
      'Needs approval',
    ];
    const places = [...titles, 'Waiting for approval', 'Overdue results', 'have not arrived'].map((title) =>
      words.indexOf(title),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  });

  it('says calmly when nothing waits', () => {
    const html = draw(AttentionList, { front: quietFront({ today: [QUIET_DAY] }), viewer });
    expect(wordsOf(html)).toContain('Nothing needs attention');
    expect(html).not.toContain('<table');
    expect(html).not.toContain('role="alert"');
  });
});

/** Returns the non-empty lists of the `standing` in a change. */
function pickFull({ standing: own }: Partial<Front>): object {
  return Object.fromEntries(Object.entries(own ?? {}).filter(([, list]) => list.length > 0));
}

type Item = { account: string; rows: number; cents: number };
const item = (account: string, cents: number): Item => ({ account, rows: 1, cents });

function say(items: readonly Item[], sums = true): string {
  const columns = [{ title: 'Account', cell: ({ account }: Item) => account }];
  const group = h(AttentionGroup<Item>, {
    title: 'Held',
    items,
    hint: 'Look.',
    sumsOf: sums ? quietFront() : undefined,
    columns,
  });
  return wordsOf(renderToString(group));
}

describe('AttentionGroup', () => {
  it('sums rows over all, and money of each currency by itself', () => {
    expect(say([item('main', 500), item('uk', 700), item('main', 200)])).toMatch(
      /^Held: 3, 3 rows, 7\.00 USD, 7\.00 GBP Look\. Account main uk main$/,
    );
    expect(say([item('main', 500)])).toContain('Held: 1, 1 row, 5.00 USD');
  });

  it('sums nothing where the items are no money', () => {
    expect(say([item('main', 500)], false)).toBe('Held: 1 Look. Account main');
  });

  it('shows the first ten and says so, and that there may be more than it knows', () => {
    const many = (count: number) => Array.from({ length: count }, () => item('main', 1));
    expect(say(many(10))).not.toContain('are shown');
    expect(say(many(11)).match(/main/g)).toHaveLength(10);
    expect(say(many(11))).toContain('Held: 11,');
    expect(say(many(11))).toContain('The first 10 are shown.');
    expect(say(many(200))).toContain('Held: 200 or more,');
  });

  it('says nothing when there is nothing', () => {
    expect(say([])).toBe('');
  });
});
