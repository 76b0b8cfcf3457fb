import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../../../schemas/actions.ts';
import { ERRORS } from '../../../../schemas/errors.ts';
import { FILE_STATES, type FileState } from '../../../../schemas/lifecycle.ts';
import { handledIn } from '../../../../src/web/actions/actions-for.ts';
import type { FileFigures } from '../../../../src/ledger/file/file-figures.ts';
import type { FileRow } from '../../../../src/ledger/engine/records.ts';
import {
  actionsOf,
  FileDetails,
  FileFacts,
  type HeadFacts,
  HoldNotice,
  mainStepOf,
} from '../../../../src/web/pages/files/file-head.tsx';
import { openTotals, OutcomePart, presentTotals } from '../../../../src/web/pages/files/file-overview.tsx';
import type { PersonRole } from '../../../../schemas/actions.ts';
import type { Shown } from '../../../../schemas/shown.ts';
import { draw } from '../../support/page-words.ts';

const HANDLED = handledIn([]);

const AT = new Date('2026-06-15T10:00:00Z');
const FILE = {
  file_id: 'abc',
  name: 'monday.csv',
  account: 'main',
  operation: 'card',
  folder: 'drop/card',
  layout: 'card',
  state: 'held',
  state_at: AT,
  claimed_at: AT,
  completeness: 'quiet',
  bytes: 12_000,
  records: 5,
  valid_rows: 4,
  valid_cents: 123_450,
  invalid_rows: 1,
  sha256: 'hash',
  site: 'main',
  reason: '<script>alert(1)</script>',
  archive_no: null,
} as FileRow;

const HELD = { shown: 'needs_approval', blockedBy: [] } as const;

const figures = (...states: string[]) =>
  ({
    states: Object.fromEntries(states.map((state) => [state, { batches: 1, firstNo: 3, rows: 1, cents: 1 }])),
  }) as FileFigures;

const headOf = (of: Partial<HeadFacts>): HeadFacts => ({
  file: { ...FILE, ...HELD },
  customs: { timeZone: 'America/Toronto', currency: 'USD' },
  merchant: 'service.test, USD',
  figures: figures('ready'),
  maker: undefined,
  hasRowsToSend: true,
  undecidedNo: undefined,
  features: [],
  again: 0,
  outputs: [{ kind: 'result' }],
  ...of,
});

describe('actionsOf', () => {
  it.each<[FileState, string[], boolean, string[]]>([
    ['held', ['ready'], true, ['approve', 'decline', 'check-outputs']],
    ['accepted', ['ready'], false, ['cancel']],
    ['in_progress', ['reconciled', 'refused'], true, ['cancel', 'check-outputs']],
    ['in_progress', ['submitted'], true, ['check-outputs']],
    ['completed', ['reconciled'], true, ['resubmit', 'check-outputs']],
    ['partly_cancelled', ['cancelled'], true, ['resubmit', 'check-outputs']],
    ['cancelled', ['cancelled'], false, ['resubmit']],
    ['claimed', [], false, []],
    ['rejected', [], true, ['check-outputs']],
  ])('of a %s file with batches %j', (state, states, hasOutputs, actions) => {
    const head = headOf({ figures: figures(...states), outputs: hasOutputs ? [{ kind: 'result' }] : [] });
    expect(actionsOf({ ...head, file: { ...FILE, state } })).toEqual(actions);
  });

  it('offer to move what was taken when the account meant something else', () => {
    const head = headOf({ figures: figures('ready') });
    expect(actionsOf({ ...head, file: { ...FILE, state: 'accepted', account: 'main.1' } })).toEqual([
      'cancel',
      'move',
      'check-outputs',
    ]);
  });

  it('do not offer to send rows again when there is none that may go', () => {
    const head = headOf({ figures: figures('reconciled'), hasRowsToSend: false });
    expect(actionsOf({ ...head, file: { ...FILE, state: 'completed' } })).toEqual(['check-outputs']);
  });

  it('offer to acknowledge what came late only while it waits', () => {
    const offers = (late: object) => actionsOf({ ...headOf({}), file: { ...FILE, state: 'completed', ...late } });
    expect(offers({ late: '9 bytes were written' })).toContain('acknowledge');
    expect(offers({})).not.toContain('acknowledge');
  });

  it('are together all actions on files but the one that a check offers', () => {
    const files = (Object.keys(FILE_STATES) as FileState[]).flatMap((state) =>
      ['main', 'main.1'].map((account) => ({ ...FILE, state, account, late: '9 bytes were written' })),
    );
    const offered = files.flatMap((file) => actionsOf({ ...headOf({}), file }));
    const ofFiles = HANDLED.filter((name) => ACTIONS[name].to === 'file');
    expect(ofFiles.filter((name) => !offered.includes(name))).toEqual(['rebuild-outputs']);
  });
});

describe('mainStepOf', () => {
  const WITH = figures('unknown', 'exception', 'refused');
  const stepOf = (role: PersonRole, shown: Shown, state: FileState, of: Partial<HeadFacts> = {}) =>
    mainStepOf(
      { person: 'ann', role, csrf: '', actions: undefined },
      headOf({ figures: WITH, ...of, file: { ...FILE, state, shown, blockedBy: [] } }),
    );
  const labelOf = (step: ReturnType<typeof stepOf>) => {
    if (!step || 'waits' in step) return step?.waits;
    return 'path' in step ? `${step.label} ${step.path.replace('/files/abc', '')}` : step.label;
  };

  it.each<[Shown, FileState, PersonRole, string | undefined]>([
    ['in_doubt', 'in_progress', 'operator', 'Resolve… /batches/3/resolve'],
    ['mismatch', 'in_progress', 'viewer', 'Compare /batches/3#s-what-was-sent-and-what-was-returned'],
    ['refused', 'in_progress', 'operator', 'Send again… /batches/3/do/retry'],
    ['refused', 'in_progress', 'approver', 'An operator sends it again or withdraws it.'],
    ['needs_approval', 'held', 'approver', 'Review and approve… /approvals?file=abc'],
    ['needs_approval', 'held', 'operator', 'It waits for an approver.'],
    ['rejected', 'rejected', 'operator', 'Upload the corrected file… /drop?replaces=abc'],
    ['rejected', 'rejected', 'viewer', undefined],
    ['completed_with_declines', 'completed', 'operator', 'Send again… /do/resubmit'],
    ['completed_with_declines', 'completed', 'viewer', 'Download results /outputs/result'],
    ['cancelled', 'cancelled', 'operator', 'Download results /outputs/result'],
  ])('of a file %s (%s) is for the role %s', (shown, state, role, expected) => {
    expect(labelOf(stepOf(role, shown, state))).toBe(expected);
  });

  it('selects the payments that may go again for those who may reprocess, and tells how many', () => {
    const labelFor = (role: PersonRole, again: number) =>
      labelOf(stepOf(role, 'completed_with_declines', 'completed', { again }));
    expect([labelFor('operator', 12), labelFor('operator', 500)]).toEqual(['Reprocess 12…', 'Reprocess 500+…']);
    expect(labelFor('approver', 12)).toBe('Download results /outputs/result');
  });

  it('is a download when no row may go again, and nothing before there is a result', () => {
    const quiet = { hasRowsToSend: false };
    expect(labelOf(stepOf('operator', 'completed', 'completed', quiet))).toBe('Download results /outputs/result');
    expect(stepOf('operator', 'awaiting_result', 'in_progress', { ...quiet, outputs: [] })).toBeUndefined();
  });

  it('offers no approval of a file to the person who uploaded it, nor of one without a row to send', () => {
    const own = stepOf('approver', 'needs_approval', 'held', { maker: 'operator:ann' });
    expect(labelOf(own)).toBe('You uploaded it, so another approver decides.');
    const file = { ...FILE, ...HELD, valid_rows: 0 };
    expect(
      mainStepOf({ person: 'ann', role: 'admin', csrf: '', actions: undefined }, headOf({ file })),
    ).toBeUndefined();
  });
});

describe('FileFacts and FileDetails', () => {
  it('show rows, money and moments as people of the account read them', () => {
    const head = headOf({ maker: 'operator:ann', file: { ...FILE, ...HELD, state: 'accepted' } });
    const html = draw(FileFacts, head) + draw(FileDetails, head);
    for (const text of [
      '1,234.50',
      'USD',
      '12,000',
      '2026-06-15 06:00:00 -04:00',
      'inferred from quiet time',
      'ann',
      'service.test',
    ])
      expect(html).toContain(text);
    expect(html).toContain('0 of 1 batch done');
  });

  it('leave out what is not known yet', () => {
    const unread = { records: null, valid_rows: null, valid_cents: null, invalid_rows: null, layout: null };
    const head = headOf({ file: { ...FILE, ...HELD, ...unread }, figures: figures() });
    const html = draw(FileFacts, head) + draw(FileDetails, head);
    for (const name of ['<dt>Rows', '<dt>Payments', '<dt>Withheld', '<dt>Layout', '<dt>Total', '<progress'])
      expect(html).not.toContain(name);
  });
});

describe('HoldNotice', () => {
  it('says every reason with what to do, escaped, and nothing of a file that is not held', () => {
    const held = [
      { code: 'CHARGED_BEFORE' as const, count: 2, line: 3, detail: '<b>line 2</b>' },
      { code: 'SAME_TOTALS' as const, count: 1, line: 0, detail: null },
    ];
    const html = draw(HoldNotice, { file: FILE, held });
    expect(html).toContain('(2 rows, the first on line 3)');
    expect(html.match(/<li>/g)).toHaveLength(2);
    expect(html).not.toMatch(/<script|<b>/);
    expect(draw(HoldNotice, { file: { ...FILE, state: 'accepted' as const }, held })).toBe('');
  });

  it('says the reason of the file when no fault is listed for it, with what to do', () => {
    const file = { ...FILE, reason: '<b>it changed</b>', reason_code: 'MODIFIED_AFTER_CLAIM' };
    const html = draw(HoldNotice, { file, held: [] });
    expect(html).toContain('Needs approval: &lt;b>it changed');
    expect(html).toContain(ERRORS.MODIFIED_AFTER_CLAIM.remedy);
  });

  it('leads to the profile when a cell does not fit it, and not for other reasons', () => {
    const profile = { name: 'dues', version: 2 };
    const reasonOf = (code: 'NUMBER_FORMAT' | 'SAME_TOTALS') => [{ code, count: 1, line: 3, detail: null }];
    const unfit = draw(HoldNotice, { file: FILE, held: reasonOf('NUMBER_FORMAT'), profile });
    expect(unfit.toLowerCase()).toContain(ERRORS.NUMBER_FORMAT.means);
    expect(unfit).toContain('href="/profiles/dues?version=2"');
    expect(draw(HoldNotice, { file: FILE, held: reasonOf('SAME_TOTALS'), profile })).not.toContain('/profiles/');
  });
});

const FIGURES: FileFigures = {
  states: {
    reconciled: { batches: 1, firstNo: 1, rows: 3, cents: 600 },
    cancelled: { batches: 1, firstNo: 1, rows: 2, cents: 400 },
    unknown: { batches: 1, firstNo: 1, rows: 5, cents: 1_000 },
    ready: { batches: 1, firstNo: 1, rows: 1, cents: 100 },
  },
  first: { approved: { rows: 3, cents: 600 } },
  now: { approved: { rows: 2, cents: 400 }, declined: { rows: 1, cents: 200 } },
  withheld: { rows: 4, cents: 50 },
};
const NONE: FileFigures = { states: {}, first: {}, now: {}, withheld: { rows: 0, cents: 0 } };

describe('presentTotals and openTotals', () => {
  it('never take rows of a batch that has not ended for rows that were not sent', () => {
    expect(presentTotals(FIGURES)).toEqual({
      ...FIGURES.now,
      not_sent: { rows: 2, cents: 400 },
      invalid: { rows: 4, cents: 50 },
    });
    expect(openTotals(FIGURES)).toEqual({ waiting: { rows: 1, cents: 100 }, underWay: { rows: 5, cents: 1_000 } });
    expect(presentTotals(NONE)).toEqual({});
  });
});

describe('OutcomePart', () => {
  it('leads from each outcome to its rows', () => {
    const html = draw(OutcomePart, { fileId: 'abc', figures: FIGURES, currency: 'USD' });
    const links = [...html.matchAll(/href="([^"]+)">([\d,]+)</g)].map(([, href, rows]) => [href, rows]);
    expect(links).toEqual([
      ['/files/abc?tab=payments&amp;outcome=approved', '2'],
      ['/files/abc?tab=payments&amp;outcome=declined', '1'],
      ['/files/abc?tab=payments&amp;outcome=not_sent', '2'],
      ['/files/abc?tab=payments&amp;outcome=invalid', '4'],
      ['/files/abc?tab=payments&amp;outcome=open', '1'],
      ['/files/abc?tab=payments&amp;outcome=open', '5'],
    ]);
    expect(html).toContain('its money may have moved');
  });

  it('says what would stand here', () => {
    const html = draw(OutcomePart, { fileId: 'abc', figures: NONE, currency: undefined });
    expect(html).toContain('The outcome of each row is listed here');
  });
});
