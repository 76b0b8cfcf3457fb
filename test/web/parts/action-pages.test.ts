import { type ComponentType, h } from 'preact';
import { assetAt } from '../../../src/web/assets.ts';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/actions/action.ts';
import { DonePage, PicksPage, PlanPage, WhyNotPage } from '../../../src/web/parts/action-pages.tsx';
import { CARD } from '../../support/payment-rows.ts';

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

function html<Props extends object>(page: (props: Props) => unknown, props: Props): string {
  return renderToString(h(page as ComponentType<Props>, props));
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
      '<a href="/proposals">Waiting for a second person</a>',
      '<h2 id="s-what-was-found">What was found</h2>',
    ])
      expect(page).toContain(part);
    expect(page).toContain('<a href="/accounts">Back to account main</a>');
    expect(html(DonePage, { ...about, done: { ...done, next: [], status: 'exception' } })).toContain(
      'class="notice warn"',
    );
  });
});
