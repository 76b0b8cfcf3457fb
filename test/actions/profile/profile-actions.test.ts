import { describe, expect, it } from 'vitest';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import type { ActionContext, Filled } from '../../../src/actions/action.ts';
import type { FittingSample, ReadSample } from '../../../src/actions/profile/compare-sample.ts';
import { confirmProfileWith } from '../../../src/actions/profile/confirm-profile.ts';
import { importProfile, retireProfile } from '../../../src/actions/profile/profile-actions.ts';
import type { Settings } from '../../../src/config/config.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { findConfirmed, readVersions } from '../../../src/ledger/profile/read-profiles.ts';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { readProposal } from '../../../src/ledger/proposal/proposals.ts';
import { PROFILE_TEXT, putDraft } from '../../ledger/support/put-version.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const ADA = 'operator:ada';
const GRACE = 'operator:grace';
const SAMPLE = { name: 'june.csv', bytes: Buffer.from('a sample') };
const READING: FittingSample = {
  fits: true,
  rows: 24,
  cents: 135_500,
  amounts: [2_500],
  skipped: [{ name: 'Payment', rows: 2, cents: -6_000 }],
};
const FIGURES = { rows: '24', total: '1355.00' };

type Place = { operation?: string; profiles?: boolean; folders?: readonly string[] };

/** Two accounts of one folder each, or as many folders as are named. */
function contextFor(profile: string, { operation = 'card', profiles, folders = ['drop/dues'] }: Place = {}) {
  const account = { name: 'main', server: 'NA', country: 'US', currency: 'USD', secondPerson: { profiles } };
  const settings = {
    accounts: new Map([['main', account]]),
    folders: folders.map((id) => ({ id, account: 'main', operation, profile })),
    newcomerDays: 7,
  } as unknown as Settings;
  return { ledger: world.ledger, settings } as unknown as ActionContext;
}

const reading: ReadSample = async (_profile, _bytes, { folder }) =>
  folder.operation === 'ach-refund' ? { ...READING, cents: -READING.cents } : READING;

const asking = (actor: string, filled: Filled = FIGURES) => ({ actor, filled, file: SAMPLE });
const because = (actor: string) => ({ actor, reason: 'new export' });
const confirm = confirmProfileWith(reading);

function confirmAs(name: string, actor: string, place: Place = {}, filled: Filled = FIGURES) {
  const subject = { kind: 'profile', profile: name } as const;
  return confirm.run(contextFor(name, place), subject, asking(actor, filled), because(actor));
}

const stateOf = async (name: string) => (await readVersions(world.ledger, name))[0]!.state;

describe('importProfile', () => {
  const text = (content: string) => ({
    actor: ADA,
    filled: {},
    file: { name: 'dues.yaml', bytes: Buffer.from(content) },
  });
  const run = (name: string, content: string) =>
    importProfile.run(contextFor(name), { kind: 'profile', profile: name }, text(content), because(ADA));

  it('records a draft, says what is next, and does nothing the second time', async () => {
    const subject = { kind: 'profile', profile: 'dues' } as const;
    const plan = await importProfile.plan(contextFor('dues'), subject, text(PROFILE_TEXT));
    expect(plan.says[0]).toContain('draft of profile dues');
    expect(await readVersions(world.ledger, 'dues')).toEqual([]);
    const first = await run('dues', PROFILE_TEXT);
    expect(first).toMatchObject({
      says: expect.stringContaining('Imported: dues version 1'),
      next: [{ to: 'confirm-profile', profile: 'dues' }],
      json: { name: 'dues', version: 1, state: 'draft', isNew: true },
    });
    expect(first.json).not.toHaveProperty('text');
    expect((await run('dues', `# the same\n${PROFILE_TEXT}`)).json).toMatchObject({ version: 1, isNew: false });
  });

  it('lists what differs from the version before', async () => {
    await run('changed', PROFILE_TEXT);
    const { json, listing } = await run('changed', PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"));
    expect(json).toMatchObject({ version: 2, changes: [expect.stringContaining('decimal')] });
    expect(listing!.rows).toEqual([[expect.stringContaining('decimal')]]);
  });

  it('refuses a text with faults, for each folder that names the profile, with their lines', async () => {
    await expect(run('faulty', 'layout: card\nnope: 1\n')).rejects.toMatchObject({
      code: 'PROFILE_INVALID',
      message: expect.stringMatching(/line \d+: .*PROFILE_KEY/),
    });
    const refunds = contextFor('faulty', { operation: 'ach-refund' });
    const subject = { kind: 'profile', profile: 'faulty' } as const;
    await expect(importProfile.run(refunds, subject, text(PROFILE_TEXT), because(ADA))).rejects.toThrow(
      'PROFILE_LAYOUT',
    );
    expect(await readVersions(world.ledger, 'faulty')).toEqual([]);
  });
});

describe('confirmProfileWith', () => {
  it('confirms the newest draft once the figures agree, with the sample in the ledger', async () => {
    await putDraft(world.ledger, 'plain');
    const subject = { kind: 'profile', profile: 'plain' } as const;
    const plan = await confirm.plan(contextFor('plain'), subject, asking(GRACE));
    expect(plan.says).toEqual([
      'Both agree. plain version 1 then reads the files of drop/dues.',
      'Left out of the sample as "Payment": 2 rows, -60.00.',
      expect.stringContaining('held for a look'),
    ]);
    expect(await stateOf('plain')).toBe('draft');
    expect(await confirmAs('plain', GRACE)).toMatchObject({
      says: 'Confirmed: plain version 1 reads the files of drop/dues.',
      json: { name: 'plain', version: 1, state: 'confirmed', folder: 'drop/dues' },
    });
    expect(await findConfirmed(world.ledger.pool, 'plain')).toMatchObject({
      confirmed_by: GRACE,
      sample_sha256: sha256Of(SAMPLE.bytes),
      sample_rows: 24,
      sample_cents: 135_500,
      sample_skipped: READING.skipped,
    });
  });

  it.each([
    ['the number of payments', { ...FIGURES, rows: '23' }],
    ['the total', { ...FIGURES, total: '1355.01' }],
  ])('confirms nothing when %s is another', async (what, filled) => {
    const name = what.replaceAll(' ', '-');
    await putDraft(world.ledger, name);
    await expect(confirmAs(name, GRACE, {}, filled)).rejects.toMatchObject({ code: 'SAMPLE_DIFFERS' });
    expect(await stateOf(name)).toBe('draft');
  });

  it('shows no figure of the sample before the person has given theirs', async () => {
    await putDraft(world.ledger, 'hidden');
    const unread = confirmProfileWith(async () => expect.unreachable('the sample is read too early'));
    const subject = { kind: 'profile', profile: 'hidden' } as const;
    for (const filled of [{}, { rows: '24' }, { total: '1355.00' }] as Filled[])
      await expect(unread.plan(contextFor('hidden'), subject, asking(GRACE, filled))).rejects.toMatchObject({
        code: 'USAGE',
      });
  });

  it('confirms nothing when the profile cannot read the sample, and says why', async () => {
    await putDraft(world.ledger, 'unfit');
    const says = ['Line 14, "Due": the amount has no decimals.'];
    const unfit = confirmProfileWith(async () => ({ fits: false, says }));
    const subject = { kind: 'profile', profile: 'unfit' } as const;
    await expect(unfit.run(contextFor('unfit'), subject, asking(GRACE), because(GRACE))).rejects.toMatchObject({
      code: 'SAMPLE_UNFIT',
      message: expect.stringContaining('Line 14'),
    });
    expect(await stateOf('unfit')).toBe('draft');
  });

  it('confirms no sample of refunds for a folder of charges, although the total agrees', async () => {
    await putDraft(world.ledger, 'refunds');
    const turned = confirmProfileWith(async () => ({ ...READING, cents: -135_500 }));
    const subject = { kind: 'profile', profile: 'refunds' } as const;
    await expect(turned.run(contextFor('refunds'), subject, asking(GRACE), because(GRACE))).rejects.toMatchObject({
      code: 'SAMPLE_UNFIT',
      message: expect.stringContaining('the folder is for charges'),
    });
  });

  it('reads the sample for the folder that names the profile, and asks which when there are several', async () => {
    await putDraft(world.ledger, 'places');
    const places: string[] = [];
    const noting = confirmProfileWith(async (profile, bytes, { folder, account }) => {
      places.push([profile.layout, bytes.toString(), folder.id, account.name].join(' '));
      return READING;
    });
    const subject = { kind: 'profile', profile: 'places' } as const;
    const two = contextFor('places', { folders: ['drop/a', 'drop/b'] });
    await expect(noting.plan(two, subject, asking(GRACE))).rejects.toThrow('several folders name it: drop/a, drop/b');
    await noting.plan(two, subject, asking(GRACE, { ...FIGURES, folder: 'drop/b' }));
    expect(places).toEqual(['card-code a sample drop/b main']);
    await expect(noting.plan(two, subject, asking(GRACE, { ...FIGURES, folder: 'drop/c' }))).rejects.toThrow(
      'does not name it',
    );
    await expect(noting.plan(contextFor('places', { folders: [] }), subject, asking(GRACE))).rejects.toThrow(
      'no folder names it',
    );
  });

  it('confirms the version that is named, and none that is no draft', async () => {
    await putDraft(world.ledger, 'named');
    await putDraft(world.ledger, 'named', PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"));
    expect((await confirmAs('named', GRACE, {}, { ...FIGURES, version: '1' })).json).toMatchObject({ version: 1 });
    await expect(confirmAs('named', GRACE, {}, { ...FIGURES, version: '1' })).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
    await expect(confirmAs('named', GRACE, {}, { ...FIGURES, version: '9' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await confirmAs('named', GRACE);
    await expect(confirmAs('named', GRACE)).rejects.toThrow('it has no draft');
  });

  it('lets one person do both where one is enough', async () => {
    await putDraft(world.ledger, 'alone', PROFILE_TEXT, ADA);
    expect((await confirmAs('alone', ADA)).json).toMatchObject({ state: 'confirmed' });
  });

  it.each<[where: string, place: Place, text: string]>([
    ['the account wants two persons', { profiles: true }, PROFILE_TEXT],
    ['the folder refunds', { operation: 'ach-refund' }, PROFILE_TEXT.replace('card-code', 'ach-code')],
  ])('only proposes it for its author where %s', async (where, place, text) => {
    const name = `two-${where.length}`;
    await putDraft(world.ledger, name, text, ADA);
    const subject = { kind: 'profile', profile: name } as const;
    expect(await confirm.plan(contextFor(name, place), subject, asking('operator:ADA'))).toMatchObject({
      isProposal: true,
      button: `Propose to confirm ${name} version 1`,
    });
    const { status, next, json } = await confirmAs(name, ADA, place);
    expect([status, next]).toEqual(['held', [{ to: 'proposals', proposalNo: json['proposalNo'] }]]);
    expect(await stateOf(name)).toBe('draft');
    await expect(confirm.plan(contextFor(name, place), subject, asking(ADA))).rejects.toMatchObject({
      code: 'PROPOSAL_OPEN',
    });
    await expect(confirmProposal(world.ledger, Number(json['proposalNo']), ADA)).rejects.toMatchObject({
      code: 'SECOND_PERSON',
    });
    await confirmProposal(world.ledger, Number(json['proposalNo']), GRACE);
    expect(await findConfirmed(world.ledger.pool, name)).toMatchObject({ made_by: ADA, confirmed_by: GRACE });
  });

  it('is done at once by another person than the author, and ends an open proposal', async () => {
    await putDraft(world.ledger, 'other', PROFILE_TEXT, ADA);
    const { json } = await confirmAs('other', ADA, { profiles: true });
    expect((await confirmAs('other', GRACE, { profiles: true })).json).toMatchObject({ state: 'confirmed' });
    expect((await readProposal(world.ledger, Number(json['proposalNo']))).verdict).toBe('void');
  });

  it('is refused to a person whom the author has just made a user', async () => {
    await putDraft(world.ledger, 'newcomer', PROFILE_TEXT, ADA);
    await transact(world.ledger, async (tx) =>
      tx.audit({ actor: ADA, move: 'invite-person', reason: 'new', evidence: { person: 'mallory' } }),
    );
    await expect(confirmAs('newcomer', 'operator:mallory', { profiles: true })).rejects.toMatchObject({
      code: 'SECOND_PERSON',
    });
    expect(await stateOf('newcomer')).toBe('draft');
  });
});

describe('retireProfile', () => {
  it('says which folders take nothing more, and ends the version', async () => {
    await putDraft(world.ledger, 'ended');
    const subject = { kind: 'profile', profile: 'ended' } as const;
    const retire = () => retireProfile.run(contextFor('ended'), subject, { actor: ADA, filled: {} }, because(ADA));
    await expect(retire()).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await confirmAs('ended', GRACE);
    const plan = await retireProfile.plan(contextFor('ended'), subject, { actor: ADA, filled: {} });
    expect(plan.says[0]).toContain('Folder drop/dues takes nothing');
    expect(await stateOf('ended')).toBe('confirmed');
    expect(await retire()).toMatchObject({ says: 'Retired: ended version 1.', json: { state: 'retired' } });
    expect(await findConfirmed(world.ledger.pool, 'ended')).toBeUndefined();
  });
});
