import { describe, expect, it } from 'vitest';
import { doIt, openAction } from '../support/action-page.ts';
import { openDoubtWorld } from '../support/doubt-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

function actionLinks(text: string): string[] {
  return [...text.matchAll(/href="[^"]*\/do\/([\w-]+)[^"]*"/g)].map(([, action]) => action!);
}

describe('resolvePage', () => {
  const world = openedForTests(() =>
    openDoubtWorld({
      lost: { operation: 'ach-charge', isBooked: false, account: { timeZone: 'America/Toronto' } },
      paired: { operation: 'ach-charge', isBooked: false, account: { secondPerson: { resolutions: true } } },
    }),
  );

  it('shows what is known, and every way out with its action, the safest first', async () => {
    const { status, words, text } = await openAction(
      await world.as('operator'),
      `${await world.pathOf('lost')}/resolve`,
    );
    expect(status).toBe(200);
    for (const part of [
      'Resolve batch 1 of lost.csv',
      'The service may or may not have taken this batch',
      'Do not drop the file again',
      'Rows 2',
      'Total 50.00 USD',
      'Attempt 1',
      'Returned nothing',
      'Written',
      'This is possible from',
      'approved ACH/EFT payments',
    ])
      expect(words).toContain(part);
    expect(actionLinks(text)).toEqual(['adopt', 'probe', 'journal', 'not-received', 'close-in-doubt']);
  });

  it('lets a person who may not do it read it, without the links', async () => {
    for (const person of ['viewer', 'approver'] as const) {
      const { status, words, text } = await openAction(await world.as(person), `${await world.pathOf('lost')}/resolve`);
      expect([status, actionLinks(text)]).toEqual([200, []]);
      expect(words).toContain('Your role can view these; an operator can do them.');
      expect(words).toContain('Mark it as not received');
    }
  });

  it('leads to the second person while a proposal waits', async () => {
    await world.age('paired', 'attempt', 25);
    const base = await world.pathOf('paired');
    const before = await openAction(await world.as('operator'), `${base}/resolve`);
    expect(before.words).toContain('Another person must confirm it.');
    const form = { evidence: 'Ann of the service desk, ticket 4711', reason: 'never arrived' };
    await doIt(await world.as('operator'), `${base}/do/not-received`, form);
    const { words, text } = await openAction(await world.as('approver'), `${base}/resolve`);
    expect(words).toContain('operator proposed: not received.');
    expect(actionLinks(text)).toEqual(['confirm', 'refuse']);
  });

  it('says of a batch that is not in doubt that there is nothing to resolve', async () => {
    const path = (await world.pathOf('lost')).replace('/batches/1', '/batches/2/resolve');
    expect((await openAction(await world.as('viewer'), path)).words).toContain('There is nothing to resolve.');
    expect((await openAction(await world.as('viewer'), path.replace('/2/', '/9/'))).status).toBe(404);
  });
});
