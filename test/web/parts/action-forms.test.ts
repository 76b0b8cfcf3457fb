import { type ComponentType, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/actions/action.ts';
import { DoForm, FactList, ListingTable, PickForm, PlanView } from '../../../src/web/parts/action-forms.tsx';
import { CARD } from '../../support/payment-rows.ts';

const viewer = { person: 'ada', role: 'operator', csrf: 'the-token', actions: undefined } as const;
const ASKS: readonly Ask[] = [
  { name: 'id', label: 'Id', kind: 'text', isRequired: true },
  { name: 'evidence', label: 'Evidence', hint: 'Who?', kind: 'long' },
  { name: 'which', label: 'Which', kind: 'choice', choices: [{ value: 'b', label: 'the second' }] },
];
const FILE: Ask = { name: 'report', label: 'Report', hint: 'As CSV.', kind: 'file', isRequired: true };

function html<Props extends object>(part: ComponentType<Props> | ((props: Props) => unknown), props: Props): string {
  return renderToString(h(part as ComponentType<Props>, props));
}

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
    const page = html(DoForm, { ...form, picks: [FILE], asks: [], plan, bind: 'x', fault: 'This is <empty>' });
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
    const page = html(PickForm, { ...form, title: 'Choose one', asks: [...ASKS, FILE], filled: { which: 'b' } });
    for (const { name, label } of [...ASKS, FILE]) {
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
