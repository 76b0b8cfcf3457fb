import { dashboardForTests } from '../support/dashboard-for-tests.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { fileNamed, openAction } from '../support/action-page.ts';

const world = dashboardForTests({ account: { secondPerson: { overrides: true } } });
beforeAll(async () => {
  await world.drop('card', 'held.csv.ctl', 'rows=99\n');
  await world.drop('card', 'held.csv', lines([cardRow(1), cardRow(2)]));
  await world.finish();
});

describe('proposalsPage', () => {
  it('says what would stand here when nothing waits', async () => {
    const { words } = await openAction(await world.as('viewer'), '/proposals');
    expect(words).toContain('No open proposals. If an account requires two persons');
  });

  it('shows what waits with money, person, reason and evidence, and offers what each may do', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    const because = { actor: 'operator:approver', reason: 'meant <so>', evidence: { overrides: ['CONTROL_TOTALS'] } };
    const no = await proposeApproval(world.app.ledger, fileId, because);
    const shown = async (person: Parameters<typeof world.as>[0]) => openAction(await world.as(person), '/proposals');
    const { words, text } = await shown('second');
    for (const part of ['held.csv', '2 50.00 USD', 'approver', 'meant <so>', 'CONTROL_TOTALS ('])
      expect(words).toContain(part);
    expect(text).toContain('meant &lt;so');
    const links = (page: { text: string }) =>
      [...page.text.matchAll(/href="(\/proposals\/[^"]+)"/g)].map(([, link]) => link);
    const [confirm, refuse] = [`/proposals/${no}/do/confirm`, `/proposals/${no}/do/refuse`];
    expect(links({ text })).toEqual([confirm, refuse]);
    expect(links(await shown('operator'))).toEqual([refuse]);
    expect(links(await shown('viewer'))).toEqual([]);
    const own = await shown('approver');
    expect([links(own), own.words]).toEqual([[refuse], expect.stringContaining('another person must confirm')]);
  });
});
