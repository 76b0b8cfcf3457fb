import { beforeAll, describe, expect, it } from 'vitest';
import { noteLate } from '../../../src/ledger/file/late-arrivals.ts';
import { fileNamed } from '../../support/bad-input.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';

/** Tests how the command line shows what came late of a file, and how a person decides about it. */
const world = openedForTests(() => openCliWorld({}));
const SAYS = '9 bytes were written into the file after it was taken';
const WHY = ['--reason', 'Ms Byron drops the rest again'];
let fileId: string;

beforeAll(async () => {
  await world.drop('card', 'june.csv', lines([cardRow(1)]));
  await world.finish();
  ({ file_id: fileId } = await fileNamed(world, 'june.csv'));
  await noteLate(world.app.ledger, {
    fileId,
    kind: 'bytes',
    bytes: 9,
    sha256: 'a'.repeat(64),
    archive: null,
    says: SAYS,
  });
});

describe('what came late', () => {
  it('stands in the status, which asks for attention, and in the history of the file', async () => {
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(3);
    expect(out).toContain(`Came after the file was taken`);
    expect(out).toContain(SAYS);
    expect(out).toContain('paydrop acknowledge FILE');
    expect(JSON.parse((await world.paydrop('status', '--json')).out)).toMatchObject({
      cameLate: [{ fileId, name: 'june.csv', says: SAYS }],
    });
    expect((await world.paydrop('why', 'june.csv')).out).toContain(`paydrop acknowledge ${fileId}`);
  });

  it('is acknowledged once, with a plan first', async () => {
    const plan = await world.paydrop('acknowledge', 'june.csv', '--plan');
    expect(plan.out).toContain(`After june.csv was taken: ${SAYS}.`);
    expect(plan.out).toContain('Nothing more of it is sent.');
    expect(await world.paydrop('acknowledge', 'june.csv', ...WHY)).toMatchObject({ status: 0, err: '' });
    expect((await world.paydrop('status', '--check')).status).toBe(0);
    const again = await world.paydrop('acknowledge', 'june.csv', ...WHY);
    expect(again).toMatchObject({ status: 5, out: '' });
    expect(again.err).toContain('nothing came late');
  });
});
