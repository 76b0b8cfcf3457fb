import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../../src/app.ts';
import { batchOf, customsOf, fileOf, startOf } from '../../../../src/web/pages/files/read-address.ts';
import { type LedgerWorld, openTestLedger } from '../../../support/ledger-world.ts';

let world: LedgerWorld;
let app: App;
beforeAll(async () => {
  world = await openTestLedger();
  app = { ledger: world.ledger } as unknown as App;
});
afterAll(() => world.close());

const asked = (params: Record<string, string>, query: Record<string, string> = {}) =>
  ({ params, query }) as unknown as FastifyRequest;

describe('fileOf and batchOf', () => {
  it('read what the address names', async () => {
    const { file_id: fileId } = await world.accepted();
    expect(await fileOf(app, asked({ fileId }))).toMatchObject({ file_id: fileId });
    const found = await batchOf(app, asked({ fileId, batchNo: '1' }));
    expect(found).toMatchObject({ file: { file_id: fileId }, batch: { batch_no: 1 } });
  });

  it.each(['4222222222222220', '../../etc/passwd', '', 'ABCDEFGHJKMNPQRS', 'zzzzzzzzzzzzzzzz'])(
    'know no file "%s", and do not repeat it',
    async (fileId) => {
      const thrown: unknown = await fileOf(app, asked({ fileId })).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: 'NOT_FOUND', message: 'There is nothing here (any more).' });
    },
  );

  it.each(['0', '-1', '1.5', '2', 'x', '9999999', '1;DROP'])('know no batch "%s"', async (batchNo) => {
    const { file_id: fileId } = await world.accepted();
    await expect(batchOf(app, asked({ fileId, batchNo }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('startOf', () => {
  it.each([
    ['17', 17],
    ['0', 0],
    ['-3', 0],
    ['1e9', 0],
    ['99999999999999999999', 0],
    ['', 0],
  ])('of "%s" is %i', (from, start) => {
    expect(startOf(asked({}, { from }), 'from')).toBe(start);
  });
});

describe('customsOf', () => {
  it('has zone and currency of the account, and UTC of one that is not configured any more', () => {
    const accounts = new Map([['main', { timeZone: 'America/Toronto', currency: 'USD' }]]);
    const settings = { accounts } as unknown as App['settings'];
    expect(customsOf({ settings }, 'main')).toEqual({ timeZone: 'America/Toronto', currency: 'USD' });
    expect(customsOf({ settings }, 'gone')).toEqual({ timeZone: 'UTC', currency: undefined });
  });
});
