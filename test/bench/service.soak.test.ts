import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../bench/peers/afternoon/call-service.ts';
import { type LeanService, resultOf, startLeanService } from '../../bench/service/lean-service.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import { cardRows, ORDINARY } from '../../bench/files/card-file.ts';
import { processBatch, readBatchFile } from '../../src/sandbox/batch/process-batch.ts';
import { planNight } from '../../bench/files/night.ts';
import { makePlan } from '../../bench/plan.ts';
import { countResults, waitForOutputs } from '../../bench/world/wait-for-outputs.ts';

const ROW = '06/15/2026,1001,Ada,Byron,1 Mill Lane,Troy,NY,12180,5.00,VISA,4222222222222220,12/35';

let service: LeanService;
let gateway: Gateway;
beforeEach(async () => {
  service = await startLeanService();
  const times = { connectTimeoutMs: 30_000, answerTimeoutMs: 30_000 };
  const login = { agentCode: 'TEST88', password: 'TEST88' };
  gateway = createGateway({ server: 'NA', currency: 'USD', baseUrl: service.url, ...login, ...times });
});
afterEach(() => service.close());

async function submit(): Promise<string> {
  const body = Buffer.from(ROW);
  const answer = await gateway.submitBatch({
    operation: 'processCreditCardBatch',
    body,
    beforeFirstByte: async () => true,
  });
  if (answer.kind !== 'submitted') throw new Error(answer.kind);
  return answer.batchId;
}

describe('startLeanService', () => {
  it('takes a batch of paydrop and has its result at once', async () => {
    const batchId = await submit();
    expect(await gateway.fetchBatchResult({ batchId })).toMatchObject({
      kind: 'done',
      file: Buffer.from(`${ROW.replace('4222222222222220', '4***********2220')},OK: 678594:\r\n`),
    });
    expect(service.figures()).toEqual({ batches: 1, rows: 1 });
  });

  it('serves the afternoon script as well', async () => {
    const script = await connect(service.url);
    const id = await script.submit(Buffer.from(ROW).toString('base64'));
    expect(await script.fetchResult(id)).toEqual([{ invoice: '1001', amount: '5.00', message: 'OK: 678594:' }]);
  });

  it('tells no agent of the batches of another', async () => {
    const batchId = await submit();
    const login = { agentCode: 'OTHER', password: 'TEST88', connectTimeoutMs: 30_000, answerTimeoutMs: 30_000 };
    const other = createGateway({ server: 'NA', currency: 'USD', baseUrl: service.url, ...login });
    expect(await other.fetchBatchResult({ batchId })).toMatchObject({ kind: 'running' });
  });

  it('gives each batch an id of its own', async () => {
    expect(await submit()).not.toBe(await submit());
  });

  it('says that a batch is not done when it is told to hold, and of one that it does not know', async () => {
    const batchId = await submit();
    expect(await gateway.fetchBatchResult({ batchId: '77' })).toMatchObject({ kind: 'running' });
    service.hold();
    expect(await gateway.fetchBatchResult({ batchId })).toMatchObject({ kind: 'running' });
  });
});

const ROWS = [...cardRows({ ...ORDINARY, quoted: 0, invalid: 0, rows: 20 })].map(({ line }) => line).join('');

describe('resultOf', () => {
  it.each([
    ['as the script sends them', ROWS],
    ['as paydrop sends them, the last without an end', ROWS.trimEnd()],
    ['with the line ends of Windows', ROWS.replaceAll('\n', '\r\n')],
  ])('gives the result that the sandbox gives for rows %s', (_, text) => {
    const { result } = processBatch(readBatchFile(Buffer.from(text)), {
      kind: 'card',
      account: 'TEST88',
      server: 'NA',
      ipAddress: '',
      findsDuplicates: false,
      isTaken: () => false,
      keyOf: (parts) => parts.join('|'),
    });
    const { bytes, rows } = resultOf(Buffer.from(text));
    expect(rows).toBe(20);
    expect(shapeOf(bytes)).toEqual(shapeOf(result));
  });

  it('gives nothing for nothing', () => {
    expect(resultOf(Buffer.alloc(0))).toEqual({ bytes: Buffer.alloc(0), rows: 0 });
  });
});

/** Replaces the messages: the sandbox declines some amounts and has codes of its own. All before them must match. */
function shapeOf(result: Buffer): string[] {
  return result
    .toString()
    .split('\r\n')
    .map((line) => line.replace(/,(?:OK|REJECT)[^,]*$/, ',message'));
}

describe('makePlan', () => {
  it('goes up to a million rows, and to ten millions in the ledger', () => {
    const plan = makePlan({ isQuick: false });
    expect(plan.sizes.dropToResult).toEqual([10_000, 100_000, 1_000_000]);
    expect(plan.ledgerRows).toBe(10_000_000);
  });

  it('keeps below the limit that it is given, with no size twice', () => {
    const plan = makePlan({ isQuick: false, rows: 50_000, rounds: 1 });
    expect(plan.sizes.validate).toEqual([10_000, 50_000]);
    expect([plan.rounds, plan.ledgerRows]).toEqual([1, 500_000]);
  });

  it('has one size of each for the guard', () => {
    const { sizes, smallFiles } = makePlan({ isQuick: true });
    expect(smallFiles.map(({ rows }) => rows)).toEqual([100]);
    expect([sizes.validate, sizes.stations, sizes.dropToResult].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});

describe('planNight', () => {
  const NIGHT = { files: 3_000, accounts: 20, largest: 100_000 };

  it('is the same night each time, mostly of small files, for all accounts', () => {
    const files = planNight(NIGHT);
    expect(planNight(NIGHT)).toEqual(files);
    const sizes = files.map(({ rows }) => rows).sort((one, other) => other - one);
    expect(sizes.slice(0, 3)).toEqual([100_000, 5_000, 5_000]);
    expect(sizes.filter((rows) => rows === 5_000)).toHaveLength(30);
    expect(sizes.filter((rows) => rows <= 300 && rows > 0)).toHaveLength(2_969);
    expect(new Set(files.map(({ account }) => account)).size).toBe(20);
  });

  it('keeps to a smaller largest file', () => {
    expect(Math.max(...planNight({ ...NIGHT, largest: 1_000 }).map(({ rows }) => rows))).toBe(1_000);
  });
});

describe('the outputs of a run', () => {
  let out: string;
  beforeEach(async () => (out = await mkdtemp(join(tmpdir(), 'paydrop-outputs-'))));
  afterEach(() => rm(out, { recursive: true }));

  const put = (name: string, text = '') => writeFile(join(out, name), text);

  describe('waitForOutputs', () => {
    it('waits for the last output of each file', async () => {
      let isDone = false;
      const waiting = waitForOutputs(out, 2).then(() => (isDone = true));
      await put('a__1.result.csv');
      await put('a__1.summary.txt');
      expect(isDone).toBe(false);
      await put('b__2.summary.txt');
      await waiting;
      expect(isDone).toBe(true);
    });

    it.each(['a__1.nak.csv', 'a__1.held.csv'])('does not wait for what will never come: %s', async (name) => {
      await put(name);
      await expect(waitForOutputs(out, 1)).rejects.toThrow(name);
    });

    it('loses its patience when nothing comes', async () => {
      await expect(waitForOutputs(out, 1, { patienceMs: 20 })).rejects.toThrow('in time');
    });
  });

  describe('countResults', () => {
    it('counts the rows of results below their titles, and no other outputs', async () => {
      await put('a__1.result.csv', 'Line,Amount\n1,5.00\n2,6.00\n');
      await put('b__2.result.csv', 'Line,Amount\n1,5.00\n');
      await put('b__2.ack.csv', 'one\ntwo\nthree\n');
      expect(await countResults(out)).toBe(3);
    });
  });
});
