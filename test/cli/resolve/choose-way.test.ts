import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../../../src/cli/command.ts';
import { chooseWay, readReport, WAY_OPTIONS } from '../../../src/cli/resolve/choose-way.ts';
import { describeInDoubt, nextSteps, showInDoubt } from '../../../src/cli/resolve/describe-in-doubt.ts';
import type { InDoubt, Neighbour } from '../../../src/ledger/doubt/in-doubt.ts';
import { ACCOUNT, CALLED_AT, foundDoubt } from '../../workers/support/resolve-context.ts';
import { FEATURES } from '../../../src/features.ts';

function choose(options: Call['options']) {
  return chooseWay({ arguments: ['monday.csv/1'], dir: '.', options, features: FEATURES });
}

describe('a way out of doubt', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-reports-'));
    await writeFile(join(folder, 'r.csv'), 'a,b');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  describe('chooseWay', () => {
    it.each<[Call['options'], object | undefined]>([
      [{}, undefined],
      [{ adopt: ' 1002 ' }, { action: 'adopt', filled: { batchId: '1002' } }],
      [{ probe: true }, { action: 'probe' }],
      [{ probe: '10..20' }, { action: 'probe', filled: { from: '10', to: '20' } }],
      [
        { notReceived: true, evidence: 'Ann, ticket 4' },
        { action: 'not-received', filled: { evidence: 'Ann, ticket 4' } },
      ],
      [{ notReceived: true }, { action: 'not-received', filled: { evidence: '' } }],
      [{ closeInDoubt: true }, { action: 'close-in-doubt' }],
      [{ disown: true }, { action: 'disown' }],
    ])('reads %j', async (options, way) => {
      expect(await choose(options)).toEqual(way);
    });

    it('reads the report that --report names', async () => {
      const file = { name: 'r.csv', bytes: Buffer.from('a,b') };
      expect(await choose({ report: join(folder, 'r.csv') })).toEqual({ action: 'journal', file });
    });

    it.each<[Call['options'], string]>([
      [{ adopt: '1', probe: true }, '2 options are given'],
      [{ probe: '10-20' }, 'not written as FROM..TO'],
      [{ probe: '1..1234567890123456789' }, 'not written as FROM..TO'],
      [{ adopt: '1', evidence: 'x' }, '--evidence belongs to --not-received'],
    ])('refuses %j', async (options, words) => {
      await expect(choose(options)).rejects.toThrow(words);
      await expect(choose(options)).rejects.toMatchObject({ code: 'USAGE' });
    });

    it('has an option for every way', () => {
      expect(WAY_OPTIONS.map(([flags]) => flags.split(' ')[0])).toEqual([
        '--adopt',
        '--probe',
        '--not-received',
        '--report',
        '--close-in-doubt',
        '--disown',
      ]);
    });
  });
  describe('readReport', () => {
    it('refuses what is missing, no file, or larger than any report, without naming more than the file', async () => {
      const missing = readReport(join(folder, 'nowhere.csv'));
      await expect(missing).rejects.toThrow('Cannot read the report "nowhere.csv": there is no such file');
      await expect(readReport(folder)).rejects.toThrow('EISDIR');
      const large = join(folder, 'large.csv');
      await writeFile(large, '');
      await truncate(large, 1024 ** 3);
      await expect(readReport(large)).rejects.toThrow('it is too large for a report of the service');
    });
  });
});

const MERCHANT = 'service.test, USD';

function show(change: Partial<InDoubt> = {}) {
  const now = new Date(CALLED_AT.getTime() + 7_500_000);
  return showInDoubt(foundDoubt(change), { account: ACCOUNT, merchant: MERCHANT, now, dir: '.' });
}

describe('showInDoubt', () => {
  it('holds what a program needs', () => {
    expect(show()).toMatchObject({
      batch: 'g7fhpaqs00000000/2',
      name: 'monday.csv',
      account: 'main',
      merchant: MERCHANT,
      rows: 3,
      cents: 7_500,
      calledAt: CALLED_AT,
      waitingMs: 7_500_000,
      notReceivedFrom: new Date('2026-06-16T10:00:00Z'),
      seenBatchIds: [],
      nextSteps: { length: 5 },
    });
  });

  it('counts from the change of state for a batch that has no call on record', () => {
    expect(show({ attempts: [] }).calledAt).toEqual(CALLED_AT);
  });
});

describe('describeInDoubt', () => {
  it('says the second of the attempt in both zones, how much left, what came back, and what waits', () => {
    const text = describeInDoubt(show());
    for (const words of [
      'Batch g7fhpaqs00000000/2 of monday.csv',
      `Merchant      ${MERCHANT}`,
      'Total         75.00',
      'Sent          2026-06-15T10:00:00.000Z (2026-06-15 06:00:00 -04:00), attempt 1, to service.test',
      'Written       900 bytes; the request has 900 and its headers',
      'Returned      nothing',
      'Why in doubt  the connection was reset',
      'Waits         2 hours 5 minutes; it can be marked as not received from 2026-06-16T10:00:00.000Z',
      'Next steps',
    ])
      expect(text).toContain(words);
  });

  it('says what is not known, what came too late, and what reports said', () => {
    const [attempt] = foundDoubt().attempts;
    const answered = { httpStatus: 500, bytesRead: 40, answerText: '<h1>Server Error</h1>' };
    const text = describeInDoubt(
      show({
        attempts: [{ ...attempt!, evidence: answered }],
        lateAnswers: [{ at: CALLED_AT, reason: 'the service gave it batch id 1002', evidence: {} }],
        reports: [{ name: 'r.csv', at: CALLED_AT, covers: false, newestAt: null, found: 2, absent: 1 }],
      }),
    );
    expect(text).toContain('not known; the request has 900 and its headers');
    expect(text).toContain('HTTP 500, 40 bytes, <h1>Server Error</h1>');
    expect(text).toContain(': the service gave it batch id 1002');
    expect(text).toContain('2 rows found, 1 missing; missing rows prove nothing');
  });
});

function steps(change: Partial<InDoubt> = {}, dir = '.') {
  return nextSteps(foundDoubt(change), { account: ACCOUNT, calledAt: CALLED_AT, dir });
}

function words(change: Partial<InDoubt> = {}, dir = '.'): string[] {
  return steps(change, dir).map(({ command }) => command.replace(/^.*?(?=--dir|resolve|confirm|refuse)/, ''));
}

function neighbour(batchId: string): Neighbour {
  return { fileId: 'f', batchNo: 1, batchId, submittedAt: CALLED_AT };
}

const LATE = { at: CALLED_AT, reason: 'the service gave it batch id 1002', evidence: { batchId: '1002' } };

describe('nextSteps', () => {
  it('has a line to paste for every way', () => {
    expect(words()).toEqual([
      'resolve g7fhpaqs00000000/2 --adopt BATCH-ID',
      'resolve g7fhpaqs00000000/2 --probe FROM..TO',
      'resolve g7fhpaqs00000000/2 --report report.csv',
      `resolve g7fhpaqs00000000/2 --not-received --evidence '…' --reason WHY`,
      'resolve g7fhpaqs00000000/2 --close-in-doubt --reason WHY',
    ]);
    expect(words({}, '/srv/my pay')[0]).toBe(`--dir '/srv/my pay' resolve g7fhpaqs00000000/2 --adopt BATCH-ID`);
  });

  it('offers the id that came too late, and the range between the neighbours', () => {
    const known = { lateAnswers: [LATE], before: neighbour('1000'), after: neighbour('1010') };
    expect(words(known).slice(0, 2)).toEqual([
      'resolve g7fhpaqs00000000/2 --adopt 1002',
      'resolve g7fhpaqs00000000/2 --probe 1001..1009',
    ]);
    expect(steps(known)[1]!.when).toContain('1000 before it and 1010 after it');
  });

  it('says from when it may be declared not received, and which report to fetch by the time of the service', () => {
    const [, , journal, notReceived] = steps();
    expect(notReceived!.when).toContain('from 2026-06-16 06:00:00 -04:00 on');
    expect(journal!.when).toContain('approved credit card payments');
    expect(journal!.when).toContain('2026-06-15 03:00 in the time of the service');
    const batch = { ...foundDoubt().batch, operation: 'ach-charge' } as InDoubt['batch'];
    expect(steps({ batch })[2]!.when).toContain('approved ACH/EFT payments');
  });

  it('refers a reader to the second person while a proposal waits', () => {
    const proposal = { proposalNo: 7, action: 'not-received', madeBy: 'operator:ada' };
    expect(words({ proposal })).toEqual(['confirm 7', 'refuse 7 --reason WHY']);
  });
});
