import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { type CheckedUpload, checkUpload, toVerdict } from '../../../src/web/drop/check-upload.ts';
import { encrypt, makeKey } from '../../support/openpgp.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Folder } from '../../../src/config/config.ts';
import type { Fault } from '../../../src/rows/rows.ts';
import { unreadCheck } from '../../../src/explain/validate/check-content.ts';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { openTurns } from '../../../src/web/drop/upload-turns.ts';

let world: PipelineWorld;
let message: Buffer;
beforeAll(async () => {
  const own = await makeKey();
  world = await openPipelineWorld();
  const account = world.settings.accounts.get('main')!;
  Object.assign(account, { openpgp: { key: own.privateKey.armor(), senders: [] } });
  message = Buffer.from(await encrypt(lines([cardRow(1)]), { to: own }));
});
afterAll(() => world.close());

async function* bytesOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 5) yield content.subarray(at, at + 5);
}

const check = (name: string, content: Uint8Array) =>
  checkUpload(world.app, world.app.folder('drop/card')!, { name, source: bytesOf(content) });

describe('checkUpload', () => {
  it('foresees the verdict', async () => {
    const content = Buffer.from(lines([cardRow(1)]));
    const found = await check('june.csv', content);
    expect(found).toMatchObject({ decision: { verdict: 'accept' }, check: { sha256: sha256Of(content), records: 1 } });
  });

  it('says what a file is that is no CSV', async () => {
    const found = await check('june.csv', gzipSync('a,b\n'));
    expect(found).toMatchObject({
      decision: { verdict: 'reject', code: 'NOT_CSV', reason: 'the file is not CSV: a gzip archive' },
      faultCount: 1,
    });
  });

  it('leaves an encrypted file to the intake, but for bytes that came before', async () => {
    const later = { decision: 'later', bytes: message.length, sha256: sha256Of(message) };
    expect(await check('june.csv.pgp', message)).toMatchObject(later);
    await world.drop('card', 'june.csv.pgp', message);
    await world.finish();
    expect(await world.states()).toEqual({ 'june.csv.pgp': 'completed' });
    expect(await check('again.csv.gpg', message)).toMatchObject({
      decision: { verdict: 'reject', code: 'DUPLICATE_FILE', duplicateOf: expect.any(String) },
      faultCount: 1,
    });
    // The same payments unencrypted: the decrypted content counts too.
    const plain = await check('june.csv', Buffer.from(lines([cardRow(1)])));
    expect(plain).toMatchObject({ decision: { verdict: 'reject', code: 'DUPLICATE_FILE' } });
  });
});

const ACCOUNT = AccountConfig.parse({ server: 'NA', country: 'CA', currency: 'CAD', agentCode: 'A', password: 'P' });
const APP = {
  settings: { schedules: {} },
  clock: handClock('2026-06-15T10:00:00Z'),
  account: () => ACCOUNT,
} as unknown as App;

function folderWith(settings: object): Folder {
  const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation: 'card', ...settings });
  return { ...folder, id: 'drop', work: '-', routingCheck: false };
}

function looked(change: object): CheckedUpload {
  const { check } = unreadCheck({ code: 'EMPTY' }, { bytes: 3, sha256: 'ab' });
  const read = {
    ...check,
    layout: 'card-ca',
    records: 3,
    valid: { rows: 2, cents: 123_450 },
    invalid: { rows: 1 },
  } as const;
  return {
    check: read,
    decision: { verdict: 'accept' },
    faults: [],
    faultCount: 0,
    ...change,
  };
}

const verdictOf = (change: object, settings: object = {}, name = 'june.csv') =>
  toVerdict(APP, folderWith(settings), name, looked(change), []);

describe('toVerdict', () => {
  it('has the figures in the words and the money of the account', () => {
    expect(verdictOf({})).toMatchObject({
      verdict: 'accept',
      says: '1 row would be withheld, the others sent.',
      code: null,
      rows: { records: 3, valid: 2, withheld: 1, totalCents: 123_450, total: '1,234.50', currency: 'CAD' },
    });
  });

  it.each([
    ['hold', 'Needs approval', 'CONTROL_FILE'],
    ['reject', 'Rejected', 'EMPTY'],
  ] as const)('says why of a file to %s', (verdict, title, code) => {
    const decision = { verdict, code, reason: 'the reason', duplicateOf: 'f1' };
    expect(verdictOf({ decision })).toMatchObject({ verdict, title, says: 'The reason.', code, duplicateOf: 'f1' });
  });

  it('takes what follows from a fault from the folder', () => {
    const faults: Fault[] = [
      { code: 'DUPLICATE_ROW', line: 4 },
      { code: 'NAME_SEEN_BEFORE', line: 0 },
    ];
    const decision = { verdict: 'hold', code: 'DUPLICATE_ROW', reason: 'the reason' };
    const effects = (settings: object) =>
      verdictOf({ faults, faultCount: 2, decision }, settings).faults.map(({ line, effect }) => [line, effect]);
    expect(effects({})).toEqual([
      [4, 'file held'],
      [null, 'note'],
    ]);
    expect(effects({ duplicateRows: 'warn' })[0]).toEqual([4, 'note']);
  });

  it('does not say of a file that would be refused that a row would be withheld', () => {
    const faults: Fault[] = [{ code: 'AMOUNT_FORMAT', line: 4 }];
    const decision = { verdict: 'reject', code: 'COLUMN_COUNT', reason: 'the reason' };
    expect(verdictOf({ faults, faultCount: 1, decision }).faults).toMatchObject([{ effect: 'refused with the file' }]);
  });

  it('shows 200 faults and masks the name', () => {
    const faults = upTo(300).map((line): Fault => ({ code: 'AMOUNT_FORMAT', line }));
    const verdict = verdictOf({ faults, faultCount: 900 }, {}, `${CARD}.csv`);
    expect([verdict.faults.length, verdict.faultCount, verdict.name]).toEqual([200, 900, '************2220.csv']);
  });

  it('has no figures of a file that was not read', () => {
    const later: CheckedUpload = { decision: 'later', bytes: 9, sha256: 'cd' };
    const verdict = toVerdict(APP, folderWith({}), 'june.csv.pgp', later, []);
    expect(verdict).toMatchObject({ verdict: 'later', rows: null, bytes: 9, sha256: 'cd', faults: [] });
    expect(verdict.says).toContain('checked when they are dropped');
  });
});

const MANY = { atOnce: 10, atOnceOfPerson: 10, waiting: 10, waitingOfPerson: 10 };

describe('openTurns', () => {
  it('lets so many work at once, the others in their order, also after one that failed', async () => {
    const turns = openTurns({ ...MANY, atOnce: 2 });
    const events: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const begin = (name: string) =>
      turns(name, () => {
        events.push(name);
        return new Promise<string>((resolve, reject) => {
          ends.set(name, (error) => (error ? reject(error) : resolve(name)));
        });
      });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(begin) as [
      Promise<string>,
      Promise<string>,
      Promise<string>,
      Promise<string>,
    ];
    expect(events).toEqual(['a', 'b']);
    ends.get('b')!(new Error('it broke off'));
    await expect(b).rejects.toThrow('it broke off');
    await expect.poll(() => events).toEqual(['a', 'b', 'c']);
    const late = begin('late');
    ends.get('a')!();
    ends.get('c')!();
    expect(await Promise.all([a, c])).toEqual(['a', 'c']);
    await expect.poll(() => events).toEqual(['a', 'b', 'c', 'd', 'late']);
    ends.get('d')!();
    ends.get('late')!();
    expect(await Promise.all([d, late])).toEqual(['d', 'late']);
    const free = begin('free');
    expect(events.at(-1)).toBe('free');
    ends.get('free')!();
    await free;
  });

  it('lets one user have their share only, and others pass', async () => {
    const turns = openTurns({ ...MANY, atOnce: 3, atOnceOfPerson: 2 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (person: string) =>
      turns(person, () => {
        begun.push(person);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = ['eve', 'eve', 'eve', 'eve', 'bob', 'ann'].map(begin);
    expect(begun).toEqual(['eve', 'eve', 'bob']);
    // A turn that eve gives back goes to her next upload only when nobody before it may begin.
    ends[2]!();
    await expect.poll(() => begun).toEqual(['eve', 'eve', 'bob', 'ann']);
    ends[0]!();
    await expect.poll(() => begun).toEqual(['eve', 'eve', 'bob', 'ann', 'eve']);
    for (let n = 0; n < all.length; n += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(n);
      ends[n]!();
    }
    await Promise.all(all);
  });

  it('refuses what is too much to wait, of one user and of all', async () => {
    const turns = openTurns({ atOnce: 1, atOnceOfPerson: 1, waiting: 3, waitingOfPerson: 2 });
    let end: () => void = () => {};
    const first = turns('eve', () => new Promise<void>((resolve) => (end = resolve)));
    const nothing = async () => {};
    const waiting = ['eve', 'eve', 'bob'].map((person) => turns(person, nothing));
    const busy = { code: 'BUSY', statusCode: 503 };
    await expect(turns('eve', nothing)).rejects.toMatchObject(busy);
    await expect(turns('ann', nothing)).rejects.toMatchObject(busy);
    end();
    await Promise.all([first, ...waiting]);
    await turns('ann', nothing);
  });

  it('never exceeds a limit, runs all that it takes, and leaves no turn behind', async () => {
    const limits = { atOnce: 3, atOnceOfPerson: 2, waiting: 6, waitingOfPerson: 3 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ person: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(4) })),
        async (jobs) => {
          const turns = openTurns(limits);
          const busy: string[] = [];
          let most = 0;
          const work = (person: string, ticks: number) => async () => {
            busy.push(person);
            most = Math.max(most, busy.length);
            expect(busy.filter((one) => one === person).length).toBeLessThanOrEqual(limits.atOnceOfPerson);
            for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
            busy.splice(busy.indexOf(person), 1);
            return 'done';
          };
          const results = await Promise.allSettled(jobs.map(({ person, ticks }) => turns(person, work(person, ticks))));
          expect(most).toBeLessThanOrEqual(limits.atOnce);
          for (const result of results)
            if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'BUSY' });
          expect(await turns('a', work('a', 0))).toBe('done');
        },
      ),
      { numRuns: 100 },
    );
  });
});
