import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { type BatchKey, keyOf } from '../../../src/ledger/engine/move.ts';
import { openKeyRing } from '../../../src/crypto/key-ring.ts';
import { createMasterKeyFile } from '../../../src/crypto/master-key.ts';
import { openBytes, sealBytes } from '../../../src/crypto/seal.ts';
import { openFileKey } from '../../../workers/open-original.ts';
import { bodyPurpose } from '../../../workers/intake/cut-bodies.ts';
import { cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { answering } from '../support/scripted-gateway.ts';
import { RELEASED } from '../support/story.ts';
import { forceSql } from '../../support/force-sql.ts';
import { nextBodies } from '../../../workers/submit/read-bodies.ts';
import { submitBatch } from '../../support/work-alone.ts';

/** Control total H5: what is about to be sent, read again, matches the ledger. */

const world = stepWorld({ accounts: 34 });

const TAKEN = { kind: 'submitted', batchId: '8001', text: 'taken' } as const;

/** Each leaves the rest of the ledger unchanged. The batch is the first of two. */
const TAMPERINGS: [what: string, tamper: (key: BatchKey) => Promise<unknown>, says: RegExp][] = [
  [
    'a flipped bit in the sealed body',
    (key) => setBody(key, 'set_byte(bytes, 40, get_byte(bytes, 40) # 1)'),
    /sealed data was changed or cut off\. Restore it from a backup/,
  ],
  [
    'a sealed body that was cut',
    (key) => setBody(key, 'substring(bytes FOR length(bytes) - 1)'),
    /sealed data was changed or cut off/,
  ],
  [
    "another file's sealed body",
    async (key) => {
      const other = await world.takeInCharges(world.freshAccount(), 2);
      await setBody(key, `(SELECT bytes FROM sealed_part WHERE file_id = '${other}' AND batch_no = 1)`);
    },
    /sealed data was changed or cut off/,
  ],
  [
    'the sealed body of the other batch of the file',
    (key) => setBody(key, `(SELECT bytes FROM sealed_part p WHERE p.file_id = sealed_part.file_id AND batch_no = 2)`),
    /sealed data was changed or cut off/,
  ],
  [
    'a body sealed with the right key, of which one amount is another',
    (key) => reseal(key, (body) => body.replace('25.00', '2500.00')),
    /the bytes of a batch do not match its rows\. Nothing was sent\. Report this error with the file id/,
  ],
  ['the same with one row less', (key) => reseal(key, (body) => body.split('\n')[0]!), /Nothing was sent/],
  [
    'the same with a name that the ledger does not keep',
    (key) => reseal(key, (body) => body.replace('Ada', 'Eve')),
    /Nothing was sent/,
  ],
  [
    'the same with a row that is none',
    (key) => reseal(key, (body) => `${body}\nA-9,Ada`),
    /row 3 of the batch.*Nothing was sent/,
  ],
  [
    'a hash changed together with the name',
    async (key) => {
      const body = await reseal(key, (text) => text.replace('A-1', 'B-1'));
      await forceSql(world.app, 'UPDATE batch SET body_sha256 = $3 WHERE file_id = $1 AND batch_no = $2', [
        key.fileId,
        key.batchNo,
        sha256Of(Buffer.from(body)),
      ]);
    },
    /Nothing was sent/,
  ],
  ...['amount_cents = 1', "invoice = 'A-9'", "last_four = '9999'", "customer_code = 'A1'", 'batch_no = 2'].map(
    (set): (typeof TAMPERINGS)[number] => [
      `a row of the ledger with ${set}`,
      (key: BatchKey) => changeRow(key, set),
      /Nothing was sent/,
    ],
  ),
  [
    'a body that is gone',
    (key) => world.query('DELETE FROM sealed_part WHERE file_id = $1', [key.fileId]),
    /Cannot find the body of batch 1/,
  ],
  [
    'a key that was destroyed',
    (key) => world.query('DELETE FROM file_secret WHERE file_id = $1', [key.fileId]),
    /its key was destroyed on purpose/,
  ],
];

describe('submitBatch, when the bytes are not the rows', () => {
  it.each(TAMPERINGS)('%s: nothing is sent, the account stops', async (_what, tamper, says) => {
    const { first, second } = await world.twoBatches();
    await tamper(first);
    const scripted = answering(world.app, TAKEN);
    await expect(submitBatch(scripted.app, first)).rejects.toThrow(says);
    expect(await world.storyOf(first)).toMatchObject({
      ...RELEASED,
      stop: expect.stringMatching(says),
      maySend: false,
    });
    await submitBatch(scripted.app, second).catch(() => undefined);
    expect(scripted.bodies).toEqual([]);
  });

  it.each([
    ['another amount', (body: string) => body.replace('25.00', '26.00')],
    ['a row that is none', (body: string) => `${body}\nA-9`],
  ])('says in the stop which batch of which file it is, and no number of it: %s', async (_what, change) => {
    const { first } = await world.twoBatches();
    await reseal(first, change);
    await expect(submitBatch(answering(world.app, TAKEN).app, first)).rejects.toThrow('Nothing was sent');
    const { stop } = await world.storyOf(first);
    expect(stop).toContain(`batch 1 of file "${first.fileId}"`);
    expect(stop?.replaceAll(first.fileId, '')).not.toMatch(/\d{7}/);
  });

  it('a wrong master key: nothing is sent, nothing is changed, and the right key goes on once the stop is lifted', async () => {
    const { account, first } = await world.twoBatches();
    const file = join(world.root, 'other.key');
    createMasterKeyFile(file);
    const scripted = answering({ ...world.app, keys: openKeyRing({ kind: 'file', path: file }) }, TAKEN);
    await expect(submitBatch(scripted.app, first)).rejects.toThrow(
      /needs master key [0-9a-f]{8}.*Add the right key to the others/,
    );
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject({
      state: 'ready',
      stop: expect.stringContaining('master key'),
    });

    await world.query('DELETE FROM account_stop WHERE account = $1', [account]);
    await world.query('UPDATE batch SET not_before = NULL WHERE account = $1', [account]);
    await submitBatch(answering(world.app, TAKEN).app, first);
    expect((await world.storyOf(first)).state).toBe('submitted');
  });

  it('a database that was away for a moment stops no account', async () => {
    const { first } = await world.twoBatches();
    const cut = cutAtStatement(world.app, /JOIN sealed_part/);
    const scripted = answering(cut.app, TAKEN);
    await expect(submitBatch(scripted.app, first)).rejects.toThrow(POWER_CUT);
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject({ state: 'ready', attempts: [], stop: undefined });
  });
});

function setBody(key: BatchKey, sql: string): Promise<unknown> {
  return forceSql(world.app, `UPDATE sealed_part SET bytes = ${sql} WHERE file_id = $1 AND batch_no = $2`, [
    key.fileId,
    key.batchNo,
  ]);
}

/** Changes a sealed body as an attacker with both the ledger and the master key could. @returns the new body */
async function reseal(key: BatchKey, change: (body: string) => string): Promise<string> {
  const fileKey = openFileKey(world.app, await world.file(key.fileId));
  const [part] = await world.query<{ bytes: Buffer }>(
    'SELECT bytes FROM sealed_part WHERE file_id = $1 AND batch_no = $2',
    [key.fileId, key.batchNo],
  );
  const before = openBytes(fileKey, bodyPurpose(key.batchNo), part!.bytes).toString();
  const after = change(before);
  expect(after).not.toBe(before);
  const sealed = sealBytes(fileKey, bodyPurpose(key.batchNo), Buffer.from(after));
  await forceSql(world.app, 'UPDATE sealed_part SET bytes = $3 WHERE file_id = $1 AND batch_no = $2', [
    key.fileId,
    key.batchNo,
    sealed,
  ]);
  return after;
}

/** Changes a row as an attacker with the database owner's rights could. */
async function changeRow(key: BatchKey, set: string): Promise<void> {
  await forceSql(
    world.app,
    `UPDATE payment_row SET ${set} WHERE line = 1 AND file_no = (SELECT file_no FROM file WHERE file_id = $1)`,
    [key.fileId],
  );
}

let given = 0;
const taken = () => ({ kind: 'submitted', batchId: `ahead-${(given += 1)}`, text: 'taken' }) as const;

describe('nextBodies', () => {
  it('reads the batches that are next, with the bytes that are sent of them, and moves nothing', async () => {
    const { account, first, second } = await world.twoBatches();
    const bodies = nextBodies(world.app, account);
    const one = await bodies.take();
    expect([keyOf(one!.batch), bodies.wasAhead()]).toEqual([first, false]);
    expect([keyOf((await bodies.takeAhead())!.batch), bodies.wasAhead()]).toEqual([second, true]);
    expect(await world.storyOf(first)).toMatchObject({ state: 'ready', moves: [] });
    const scripted = answering(world.app, taken());
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([one!.body.toString()]);
  });

  it('looks again for what is next now, whatever was read ahead', async () => {
    const { account, first, second } = await world.twoBatches();
    const bodies = nextBodies(world.app, account);
    expect(keyOf((await bodies.take())!.batch)).toEqual(first);
    expect(keyOf((await bodies.take())!.batch)).toEqual(first);
    await submitBatch(answering(world.app, taken()).app, first);
    expect(keyOf((await bodies.take())!.batch)).toEqual(second);
    await submitBatch(answering(world.app, taken()).app, second);
    expect(await bodies.take()).toBeUndefined();
  });

  it('reads no more than calls are expected, and then once more', async () => {
    const { account, first, second } = await world.twoBatches();
    const bodies = nextBodies(world.app, account, 1);
    expect(keyOf((await bodies.take())!.batch)).toEqual(first);
    await submitBatch(answering(world.app, taken()).app, first);
    expect(keyOf((await bodies.takeAhead())!.batch)).toEqual(second);
  });

  it('ends before a body that cannot be proven, and comes to it last', async () => {
    const { account, first, second } = await world.twoBatches();
    await setBody(second, 'set_byte(bytes, 40, get_byte(bytes, 40) # 1)');
    const bodies = nextBodies(world.app, account);
    expect(keyOf((await bodies.take())!.batch)).toEqual(first);
    await submitBatch(answering(world.app, taken()).app, first);
    expect(await bodies.takeAhead()).toBeUndefined();
    expect((await world.storyOf(second)).stop).toBeUndefined();
    await expect(bodies.take()).rejects.toThrow(/sealed data was changed/);
    expect((await world.storyOf(second)).stop).toEqual(expect.any(String));
  });

  it.each([
    ['is gone', 'DELETE FROM sealed_part WHERE file_id = $1'],
    ['was changed', 'UPDATE sealed_part SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE file_id = $1'],
  ])('leaves a body that %s to the next attempt while a call is in progress', async (_what, sql) => {
    const { account, first } = await world.twoBatches();
    await forceSql(world.app, sql, [first.fileId]);
    const bodies = nextBodies(world.app, account);
    expect(await bodies.takeAhead()).toBeUndefined();
    expect(await world.storyOf(first)).toMatchObject({ state: 'ready', stop: undefined });
    await expect(bodies.take()).rejects.toThrow();
    expect((await world.storyOf(first)).stop).toEqual(expect.any(String));
  });
});
