import { describe, expect, it } from 'vitest';
import type { PersonRole } from '../../../schemas/actions.ts';
import type { Step } from '../../../schemas/steps.ts';
import { StepLine } from '../../../src/web/parts/steps.tsx';
import { draw } from '../support/page-words.ts';

const key = { fileId: 'abc', batchNo: 2 };

function drawFor(role: PersonRole, ...step: Step): string {
  return draw(StepLine, { step, viewer: { person: 'ada', role, csrf: '', actions: undefined } });
}

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
    [{ see: 'in-doubt' }, '<a href="/">the batches in doubt</a>'],
    [{ see: 'doubt' }, '<code>paydrop resolve BATCH</code>'],
    [{ run: 'doctor' }, '<code>paydrop doctor</code>'],
    ['Use "paydrop resubmit" <now>.', 'Use <code>paydrop resubmit</code> &lt;now>.'],
  ])('shows %j to an administrator', (part, html) => {
    expect(drawFor('admin', part)).toBe(html);
  });
});
