import { type ComponentType, h } from 'preact';
import { assetAt } from '../../../src/web/assets.ts';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/actions/action.ts';
import { DonePage, PicksPage, PlanPage, WhyNotPage } from '../../../src/web/parts/action-pages.tsx';
import { CARD } from '../../support/payment-rows.ts';
import { DoForm, FactList, ListingTable, PickForm, PlanView } from '../../../src/web/parts/action-forms.tsx';
import type { PersonRole } from '../../../schemas/actions.ts';
import type { Step } from '../../../schemas/steps.ts';
import { StepLine } from '../../../src/web/parts/steps.tsx';

const ID: Ask = { name: 'batchId', label: 'Batch id', kind: 'text', isRequired: true };
const FILE: Ask = { name: 'report', label: 'Report', kind: 'file', isRequired: true };

const about = {
  viewer: { person: 'ada', role: 'operator', csrf: 'x', actions: undefined },
  action: 'pause',
  path: '/accounts/main/do/pause',
  subject: { kind: 'account', account: 'main' },
  picks: [],
  asks: [],
  filled: {},
} as const;
const planned = {
  plan: { says: ['It stops.'] },
  bind: 'mark',
  isChanged: false,
  reason: '',
  fault: undefined,
} as const;

function html<Props extends object>(part: ComponentType<Props> | ((props: Props) => unknown), props: Props): string {
  return renderToString(h(part as ComponentType<Props>, props));
}

describe('PlanPage', () => {
  it('says what happens and has the form that does it', () => {
    const page = html(PlanPage, { ...about, ...planned });
    expect(page).toContain('<h1>Pause: account main</h1>');
    expect(page).toContain('It stops.');
    expect(page).toContain('name="bind" value="mark"');
    expect(page).not.toContain('class="notice');
  });

  it('says when it has changed, and when another person must confirm', () => {
    const plan = { ...planned.plan, isProposal: true };
    const page = html(PlanPage, { ...about, ...planned, plan, isChanged: true });
    expect(page).toContain('This has changed since you opened it');
    expect(page).toContain('Another person must confirm');
  });

  it('says what differs from the plan that was seen', () => {
    const shown = ['3 rows go.', ...planned.plan.says];
    const page = html(PlanPage, { ...about, ...planned, isChanged: true, shown });
    expect(page).toContain('<li>Before: 3 rows go.</li>');
    expect(page).not.toContain('It stops.</li>');
    const other = html(PlanPage, { ...about, ...planned, isChanged: true, shown: ['3 rows go.'] });
    expect(other).toContain('<li>Now: It stops.</li>');
  });

  it('leads back to the list from which its user came, and brings its address along', () => {
    const from = '/queue?list=needs&account=main';
    const page = html(PlanPage, { ...about, ...planned, from });
    expect(page).toContain('name="from" value="/queue?list=needs&amp;account=main"');
    const done = html(DonePage, { ...about, done: { says: 'Stopped.', json: {} }, from });
    expect(done).toContain('<a href="/queue?list=needs&amp;account=main">Back to where you were</a>');
  });

  it('has no form for what cannot be done, but the one that chooses something else', () => {
    const plan = { ...planned.plan, barred: 'rows differ' };
    const page = html(PlanPage, { ...about, ...planned, plan, picks: [ID], filled: { batchId: '7' } });
    expect(page).toContain('This cannot be done');
    expect(page).not.toContain('name="bind"');
    expect(page).toContain('name="batchId" type="text" value="7"');
  });
});

describe('PicksPage and WhyNotPage', () => {
  it('ask again without the number that somebody pasted', () => {
    for (const page of [
      html(PicksPage, { ...about, picks: [ID], filled: { batchId: CARD }, fault: 'no such id' }),
      html(WhyNotPage, { ...about, picks: [ID], filled: { batchId: CARD }, why: 'no such id' }),
    ]) {
      expect(page).toContain('no such id');
      expect(page).toContain('value="************2220"');
    }
  });

  it('carry the file over by a script of the dashboard, and only where there is one', () => {
    expect(html(PicksPage, { ...about, picks: [FILE] })).toContain(
      `<script src="${assetAt('keep-file.js')}" type="module">`,
    );
    expect(html(PicksPage, { ...about, picks: [ID] })).not.toContain('keep-file.js');
  });
});

describe('DonePage', () => {
  it('says what was done, with the way on and back', () => {
    const done = {
      says: 'Paused.',
      details: ['No new submission starts.'],
      next: [{ to: 'proposals', proposalNo: 7 } as const],
      listing: { label: 'Rows', titles: ['Row'], rows: [['1']] },
      json: {},
    };
    const page = html(DonePage, { ...about, done });
    expect(page).toContain('<div class="notice good" role="status">');
    for (const part of [
      'Paused.',
      'No new submission starts.',
      '<a href="/approvals">Approvals</a>',
      '<h2 id="s-what-was-found">What was found</h2>',
    ])
      expect(page).toContain(part);
    expect(page).toContain('<a href="/accounts">Back to account main</a>');
    expect(html(DonePage, { ...about, done: { ...done, next: [], status: 'exception' } })).toContain(
      'class="notice warn"',
    );
  });
});

const viewer = { person: 'ada', role: 'operator', csrf: 'the-token', actions: undefined } as const;
const ASKS: readonly Ask[] = [
  { name: 'id', label: 'Id', kind: 'text', isRequired: true },
  { name: 'evidence', label: 'Evidence', hint: 'Who?', kind: 'long' },
  { name: 'which', label: 'Which', kind: 'choice', choices: [{ value: 'b', label: 'the second' }] },
];
const REPORT: Ask = { name: 'report', label: 'Report', hint: 'As CSV.', kind: 'file', isRequired: true };

const form = { viewer, action: 'close-in-doubt', path: '/x/do/close-in-doubt', filled: {} } as const;

describe('DoForm', () => {
  it('brings along the token, the mark and what was chosen, and asks for the reason', () => {
    const page = html(DoForm, {
      ...form,
      filled: { id: '7', evidence: `card ${CARD}` },
      picks: [ASKS[0]!],
      asks: [ASKS[1]!],
      plan: { says: [], button: 'Close 2 rows' },
      bind: 'the-mark',
      reason: 'because',
    });
    for (const [name, value] of [
      ['bind', 'the-mark'],
      ['id', '7'],
    ])
      expect(page).toContain(`<input type="hidden" name="${name}" value="${value}"/>`);
    expect(page).toMatch(/name="_csrf" value="[\w-]+"/);
    expect(page).toContain('name="reason" type="text" value="because"');
    expect(page).toContain('<button type="submit" class="irreversible">Close 2 rows</button>');
    expect(page).not.toContain(CARD);
    expect(page).toContain('card ************2220');
  });

  it('asks for no reason where none is wanted, and warns of nothing harmless', () => {
    const page = html(DoForm, { ...form, action: 'repoll', picks: [], asks: [], plan: { says: [] }, bind: 'x' });
    expect(page).not.toContain('name="reason"');
    expect(page).toContain('<button type="submit" class="main">Ask for the result now</button>');
  });

  it('wants the same file once more, and says what was wrong', () => {
    const plan = { says: [] };
    const page = html(DoForm, { ...form, picks: [REPORT], asks: [], plan, bind: 'x', fault: 'This is <empty>' });
    expect(page).toContain('enctype="multipart/form-data"');
    expect(page).toContain('Choose the same file again.');
    expect(page).toContain('This is &lt;empty>');
  });
});

describe('DoForm without a reason', () => {
  const page = (reason: string) =>
    html(DoForm, { ...form, picks: [], asks: [], plan: { says: [] }, bind: 'x', reason, fault: 'The reason is empty' });

  it('leads from the fault to the field, which has the focus', () => {
    expect(page('')).toMatch(/role="alert"[^]*<a href="#f-reason">The reason is empty<\/a>/);
    expect(page('')).toMatch(
      /<input id="f-reason"[^>]* aria-describedby="h-reason e-reason" aria-invalid="true" autofocus/,
    );
    expect(page('')).toContain('<p class="fault" id="e-reason">Enter a reason.</p>');
  });

  it('blames the reason for no other fault', () => {
    expect(page('agreed')).not.toMatch(/#f-reason|autofocus|aria-invalid/);
    expect(page('agreed')).toContain('<li>The reason is empty</li>');
  });
});

describe('PickForm', () => {
  it('has a label and a hint for each question', () => {
    const page = html(PickForm, { ...form, title: 'Choose one', asks: [...ASKS, REPORT], filled: { which: 'b' } });
    for (const { name, label } of [...ASKS, REPORT]) {
      expect(page).toContain(`<label for="f-${name}">${label}</label>`);
      expect(page).toContain(`id="f-${name}"`);
    }
    expect(page).toMatch(/<option value="b" selected>the second<\/option>/);
    expect(page).toMatch(/<input [^>]*type="file" required aria-describedby="h-report"/);
    expect(page).not.toContain('name="bind"');
  });
});

describe('PlanView, FactList and ListingTable', () => {
  it('show sentences, money, moments and rows', () => {
    const page = html(PlanView, {
      plan: {
        says: ['All of it <now>.'],
        facts: [
          ['Total', { cents: 123_456, currency: 'USD' }],
          ['Since', { at: new Date('2026-06-15T10:00:00Z'), timeZone: 'UTC' }],
          ['Left', ''],
        ],
        listing: { label: 'Rows that differ', titles: ['Row', 'Sent'], rows: [['1', 'INV-1']] },
      },
    });
    expect(page).toContain('<p>All of it &lt;now>.</p>');
    expect(page).toContain('1,234.56');
    expect(page).toContain('datetime="2026-06-15T10:00:00.000Z"');
    expect(page).toContain('INV-1');
    expect(page).not.toContain('Left');
    expect(html(FactList, { facts: [['Name', 'a < b']] })).toContain('<dd>a &lt; b</dd>');
    expect(html(ListingTable, { listing: { label: 'x', titles: ['Row'], rows: [] } })).toContain('There is none.');
  });
});

const key = { fileId: 'abc', batchNo: 2 };

function drawFor(role: PersonRole, ...step: Step): string {
  return html(StepLine, { step, viewer: { person: 'ada', role, csrf: '', actions: undefined } });
}

const folded = (command: string) =>
  `<details class="command"><summary>a command on the host</summary> <code>${command}</code></details>`;

describe('StepLine', () => {
  it('links to an action for a person who may take it, and only names it for one who may not', () => {
    const step = ['Then ', { action: 'approve', fileId: 'abc' }, '.'] as const;
    expect(drawFor('approver', ...step)).toBe('Then <a href="/files/abc/do/approve">Approve</a>.');
    expect(drawFor('viewer', ...step)).toBe('Then “Approve”.');
  });

  it.each<[Step[number], string]>([
    [{ action: 'retry', ...key }, '<a href="/files/abc/batches/2/do/retry">Send again</a>'],
    [{ action: 'resume', account: '*' }, '<a href="/accounts/all/do/resume">Resume</a>'],
    [{ action: 'run-now', schedule: 'nightly' }, '<a href="/schedules/nightly/do/run-now">Run now</a>'],
    [
      { action: 'confirm-profile', profile: 'dues' },
      '<a href="/profiles/dues/do/confirm-profile">Confirm a version</a>',
    ],
    [{ action: 'repoll' }, '“Ask for the result now”'],
    [{ see: 'doubt', ...key }, '<a href="/files/abc/batches/2/resolve">The guide for the batch</a>'],
    [{ see: 'in-doubt' }, '<a href="/queue?list=doubt">the batches in doubt</a>'],
    [{ see: 'doubt' }, folded('paydrop resolve BATCH')],
    [{ run: 'doctor' }, folded('paydrop doctor')],
    ['Use "paydrop resubmit" <now>.', `Use ${folded('paydrop resubmit')} &lt;now>.`],
  ])('shows %j to an administrator', (part, html) => {
    expect(drawFor('admin', part)).toBe(html);
  });
});
