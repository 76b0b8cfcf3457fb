import { describe, expect, it } from 'vitest';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { type BodyAhead, isBodyOf, openAhead } from '../../../workers/submit/read-body.ts';
import { submitAlone, submitBatch } from '../../../workers/submit/submit.ts';
import { answering } from '../support/scripted-gateway.ts';
import { stepWorld } from '../support/step-world.ts';
import { query, storyOf } from '../support/story.ts';

const world = stepWorld({ accounts: 10 });

let given = 0;
const taken = () => ({ kind: 'submitted', batchId: `ahead-${(given += 1)}`, text: 'taken' }) as const;

async function aheadOf(key: BatchKey, text: string): Promise<BodyAhead> {
  const { body_sha256: sha256 } = await readBatchRow(world.app.ledger, key);
  return { key, sha256, body: Buffer.from(text) };
}

describe('openAhead', () => {
  it('opens the batch that is next, with the bytes that are sent of it, and moves nothing', async () => {
    const { account, first } = await world.twoBatches();
    const ahead = await openAhead(world.app, account);
    expect(ahead?.key).toEqual(first);
    expect(await storyOf(world.app, first)).toMatchObject({ state: 'ready', moves: [] });
    const scripted = answering(world.app, taken());
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([ahead!.body.toString()]);
  });

  it('passes by what was sent, and finds nothing when nothing waits', async () => {
    const { account, first, second } = await world.twoBatches();
    await submitBatch(answering(world.app, taken()).app, first);
    expect((await openAhead(world.app, account))?.key).toEqual(second);
    await submitBatch(answering(world.app, taken()).app, second);
    expect(await openAhead(world.app, account)).toBeUndefined();
  });

  it.each([
    ['is gone', 'DELETE FROM sealed_part WHERE file_id = $1'],
    ['was changed', 'UPDATE sealed_part SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE file_id = $1'],
  ])('leaves a body that %s to whoever takes the batch up: no account is stopped yet', async (_what, sql) => {
    const { account, first } = await world.twoBatches();
    await query(world.app, sql, [first.fileId]);
    expect(await openAhead(world.app, account)).toBeUndefined();
    expect(await storyOf(world.app, first)).toMatchObject({ state: 'ready', stop: undefined });
    await expect(submitBatch(answering(world.app, taken()).app, first)).rejects.toThrow();
    expect((await storyOf(world.app, first)).stop).toEqual(expect.any(String));
  });
});

describe('a body that was opened ahead', () => {
  it('is what is sent of its batch', async () => {
    const { first } = await world.twoBatches();
    const scripted = answering(world.app, taken());
    await submitAlone(scripted.app, first, { ahead: await aheadOf(first, 'opened ahead') });
    expect(scripted.bodies).toEqual(['opened ahead']);
  });

  it.each<[string, (ahead: BodyAhead, other: BatchKey) => BodyAhead]>([
    ['another batch', (ahead, other) => ({ ...ahead, key: other })],
    ['a batch of another file', (ahead) => ({ ...ahead, key: { ...ahead.key, fileId: 'f'.repeat(16) } })],
    ['other bytes than the ledger wants of it', (ahead) => ({ ...ahead, sha256: '0'.repeat(64) })],
  ])('is not sent when it is of %s', async (_what, change) => {
    const { first, second } = await world.twoBatches();
    const ahead = change(await aheadOf(first, 'opened ahead'), second);
    expect(isBodyOf(ahead, await readBatchRow(world.app.ledger, first))).toBe(false);
    const scripted = answering(world.app, taken());
    await submitAlone(scripted.app, first, { ahead });
    expect(scripted.bodies).toHaveLength(1);
    expect(scripted.bodies).not.toContain('opened ahead');
  });
});
