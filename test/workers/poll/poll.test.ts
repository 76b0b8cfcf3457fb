import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { pollBatch } from '../../../workers/poll/poll.ts';
import { cutAtStatement, POWER_CUT } from '../support/failing-app.ts';
import { GOOD, pollWorld, result, ROWS } from '../support/poll-world.ts';
import { answeringResult } from '../support/scripted-gateway.ts';
import { jobsAddedBy, query, storyOf } from '../support/story.ts';

const world = pollWorld();

describe('pollBatch, when the result is there', () => {
  it('seals it, gives every row its outcome and asks for the delivery', async () => {
    const { key } = await world.submitted();
    const asks = await jobsAddedBy(world.app, key.fileId, () => pollBatch(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual(['deliver']);
    expect(await world.outcomesOf(key.fileId)).toEqual({
      1: 'accepted_pending',
      2: 'accepted_pending',
      3: 'accepted_pending',
    });
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'reconciled',
      moves: ['prepare', 'send', 'submit', 'receive', 'reconcile'],
    });
    const [part] = await query<{ bytes: Buffer }>(
      world.app,
      `SELECT bytes FROM sealed_part WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    expect(part!.bytes.includes('Received')).toBe(false);
    expect((await readBatchRow(world.app.ledger, key)).result_sha256).toBe(
      GOOD.kind === 'done' ? sha256Of(GOOD.file) : '',
    );
  });

  it('does not ask for the delivery while another batch of the file is open', async () => {
    const { key } = await world.submitted({ rows: 6 });
    const asks = await jobsAddedBy(world.app, key.fileId, () => pollBatch(answeringResult(world.app, GOOD), key));
    expect(asks).toEqual([]);
    expect((await storyOf(world.app, key)).state).toBe('reconciled');
  });

  it('asks nobody when it is reconciled already, and asks for the delivery once more', async () => {
    const { key } = await world.submitted();
    await pollBatch(answeringResult(world.app, GOOD), key);
    const asks = await jobsAddedBy(world.app, key.fileId, () =>
      pollBatch(answeringResult(world.app, new Error()), key),
    );
    expect(asks).toEqual(['deliver']);
  });

  it('two workers at once reconcile once', async () => {
    const { key } = await world.submitted();
    const app = answeringResult(world.app, GOOD);
    await Promise.all(Array.from({ length: 8 }, () => pollBatch(app, key)));
    expect((await storyOf(world.app, key)).moves).toEqual(['prepare', 'send', 'submit', 'receive', 'reconcile']);
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('reads the outcome of each row from its own message', async () => {
    const { key } = await world.submitted();
    const messages = ['Received', 'REJECT: 40', 'something new, with a comma'];
    await pollBatch(answeringResult(world.app, result(ROWS.map((row, index) => `${row},${messages[index]}`))), key);
    expect(await world.outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'declined', 3: 'unknown' });
  });

  it('matches rows in another order by what they are', async () => {
    const { key } = await world.submitted();
    const [one, two, three] = ROWS;
    await pollBatch(
      answeringResult(world.app, result([`${three},REJECT: 40`, `${one},Received`, `${two},Received`])),
      key,
    );
    expect(await world.outcomesOf(key.fileId)).toEqual({ 1: 'accepted_pending', 2: 'accepted_pending', 3: 'declined' });
    const [link] = await query<{ evidence: object }>(
      world.app,
      `SELECT evidence FROM audit WHERE file_id = $1 AND move = 'reconcile'`,
      [key.fileId],
    );
    expect(link?.evidence).toMatchObject({ reordered: true });
  });
});

describe('pollBatch, after the process died', () => {
  it.each([
    ['before the result was kept', /INSERT INTO sealed_part/, 'submitted'],
    ['between keeping and reconciling', /next_recheck_at = /, 'result_in'],
    ['while outcomes were written', /COPY row_outcome/, 'result_in'],
    ['after they were written', /FROM batch_outcome/, 'result_in'],
  ])('%s: the next poll goes on from there', async (_when, statement, state) => {
    const { key } = await world.submitted();
    const cut = cutAtStatement(world.app, statement);
    await expect(pollBatch(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    expect(cut.wasCut()).toBe(true);
    expect((await storyOf(world.app, key)).state).toBe(state);
    expect(await world.outcomesOf(key.fileId)).toEqual({});

    const asked: string[] = [];
    const app = answeringResult(world.app, GOOD);
    const counting = (account: string) => {
      asked.push(account);
      return app.gateway(account);
    };
    await pollBatch({ ...app, gateway: counting }, key);
    expect(asked).toHaveLength(state === 'submitted' ? 1 : 0);
    expect((await storyOf(world.app, key)).state).toBe('reconciled');
    expect(Object.keys(await world.outcomesOf(key.fileId))).toHaveLength(3);
  });

  it('a sealed result that was changed is not believed', async () => {
    const { key } = await world.submitted();
    const cut = cutAtStatement(world.app, /next_recheck_at = /);
    await expect(pollBatch(answeringResult(cut.app, GOOD), key)).rejects.toThrow(POWER_CUT);
    await query(
      world.app,
      `UPDATE sealed_part SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE file_id = $1 AND part = 'result'`,
      [key.fileId],
    );
    await expect(pollBatch(world.app, key)).rejects.toThrow('sealed data was changed or cut');
    expect((await storyOf(world.app, key)).state).toBe('result_in');
    expect(await world.outcomesOf(key.fileId)).toEqual({});
  });
});
