import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { stepText } from '../../schemas/steps.ts';
import type { Settings } from '../../src/config/config.ts';
import { readLeft } from '../../src/explain/left-over.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { bindAccounts } from '../../src/ledger/merchant/bind-accounts.ts';
import { meaningKey } from '../../src/ledger/merchant/bound-accounts.ts';
import { named } from '../ledger/merchant/support.ts';
import { forget } from '../ledger/support/put-rows.ts';
import { openTestLedger, START } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** What is left over of former accounts after going live: each thing, and what to do about it. */
const world = openedForTests(openTestLedger);
beforeEach(async () => {
  await world.empty();
  world.ledger.bound.clear();
});

const settings = (accounts: readonly string[], folders: readonly { id: string; work: string }[] = []) =>
  ({
    accounts: new Map(accounts.map((name) => [name, {}])),
    folders: folders.map((folder) => ({ ...folder, site: 'here' })),
    leftFolders: [],
    schedules: {},
    site: 'here',
  }) as unknown as Settings;

const begin = () => bindAccounts(world.ledger, [named('main')]);
const goLive = () => bindAccounts(world.ledger, [named('main', { agent: 'the live one' })]);
const left = async (account?: string, of = settings(['main'])) =>
  (await readLeft(world.ledger, of, account)).map(({ kind, account: name, says, next }) => ({
    kind,
    account: name,
    text: `${says} ${stepText(next)}`,
  }));

it('is everything that is open under a former name, with what to do', async () => {
  await begin();
  const held = await world.held({ account: 'main' });
  const accepted = await world.accepted({ account: 'main', batches: 2 });
  const refused = await world.batchIn('refused', { account: 'main' });
  const doubt = await world.batchIn('unknown', { account: 'main' });
  await world.batchIn('submitted', { account: 'main' });
  await world.batchIn('reconciled', { account: 'main' });
  await forget(world.ledger, { account: 'main', merchant: named('main').mark });
  await world.force(
    `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at) VALUES ('main', 'drop', 'up.csv', 'ab', 1, 'operator:ada', now())`,
  );
  await world.force(
    `INSERT INTO resubmission (file_id, account, name, sha256, rows, cents, actor, reason, at)
     VALUES ($1, 'main', 'again.csv', 'ab', 1, 100, 'operator:ada', 'again', now())`,
    [held.file_id],
  );
  expect(await left()).toEqual([]);
  await goLive();
  await world.accepted({ account: 'main' });
  const found = await left('main');
  expect(found.map(({ kind }) => kind).toSorted()).toEqual(
    ['doubt', 'forgotten', 'held', 'refused', 'resubmission', 'sent', 'unsent', 'upload'].toSorted(),
  );
  expect(new Set(found.map(({ account }) => account))).toEqual(new Set(['main.1']));
  const textOf = (kind: string) => found.find((item) => item.kind === kind)!.text;
  expect(textOf('held')).toContain(`"paydrop move ${held.file_id} --reason …", or decline it: "paydrop decline`);
  expect(textOf('unsent')).toContain(`"paydrop cancel ${accepted.file_id} --reason …"`);
  expect(textOf('refused')).toContain(`"paydrop withdraw ${refused.file_id}/1`);
  expect(textOf('doubt')).toContain(
    `"paydrop resolve ${doubt.file_id}/1"; to ask its service, give the former merchant`,
  );
  expect(textOf('sent')).toContain('give the former merchant a name of its own');
  expect(textOf('forgotten')).toContain('"paydrop account forgotten main.1"');
  expect(textOf('upload')).toContain('Remove it from the drop folder');
});

it('is work of an account that left the configuration, which is where it belongs', async () => {
  await begin();
  await world.accepted({ account: 'main' });
  const [found] = await left(undefined, settings(['another']));
  expect(found).toMatchObject({ kind: 'unsent', account: 'main' });
  expect(found!.text).not.toContain('paydrop move');
  expect(await left('another', settings(['another']))).toEqual([]);
});

it('is a held file that was meant for another merchant, and a run of a schedule that left', async () => {
  await begin();
  const held = await world.held({ account: 'main' });
  await world.force(`UPDATE file SET meant_for = 'main.1' WHERE file_id = $1`, [held.file_id]);
  await world.force(`INSERT INTO schedule (name, rules, since) VALUES ('daily', '{}', now())`);
  await world.force(
    `INSERT INTO schedule_run (schedule, business_date, state, due_at, started_at, finished_at, worker, tries)
     VALUES ('daily', '2026-06-14', 'failed', $1, $1, $1, 'here', 1)`,
    [START],
  );
  expect(await left()).toEqual([
    { kind: 'meant', account: 'main', text: expect.stringContaining(`"paydrop approve ${held.file_id}`) },
    { kind: 'run', account: '', text: expect.stringContaining('"paydrop schedule acknowledge daily 2026-06-14') },
  ]);
});

it('is a claim that was made for another merchant, until it is taken', async () => {
  const work = await mkdtemp(join(tmpdir(), 'paydrop-left-'));
  onTestFinished(() => rm(work, { recursive: true }));
  await begin();
  const fileId = newFileId();
  const notes = {
    fileId,
    folder: 'drop',
    account: 'main',
    merchant: meaningKey(world.ledger, 'main'),
    operation: 'card',
    name: 'june.csv',
    completeness: 'quiet',
    bytes: 1,
    mtimeMs: 1,
    sinceMs: 1,
    claimedAt: START,
  };
  await mkdir(join(work, fileId));
  await writeFile(join(work, fileId, 'claim.json'), JSON.stringify(notes));
  const here = settings(['main'], [{ id: 'drop', work }]);
  expect(await left(undefined, here)).toEqual([]);
  await goLive();
  expect(await left('main', here)).toEqual([
    { kind: 'claim', account: 'main', text: expect.stringContaining(join(work, fileId)) },
  ]);
});
