import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBatchFile, readRow } from '../../../src/sandbox/batch/process-batch.ts';
import { firstIdsOf } from '../../../src/sandbox/books/book-row.ts';
import { openBooks } from '../../../src/sandbox/books/open-books.ts';
import { planHistory } from '../../../src/sandbox/history/plan-history.ts';
import { ACCOUNT, BANK_NUMBER, callSandbox, messageOf, valueOf } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { submitBatch } from '../support/soap-request.ts';

const world = useSandboxes();

describe('makeHistory', () => {
  const now = '2026-06-15T09:30:00Z';

  it('makes the same books of the same seed, others of another, and as many payments as it is told', async () => {
    const rowsOf = async (seed: number, size?: number) => {
      const sandbox = await world.start({ now, history: { days: 30, seed, ...(size === undefined ? {} : { size }) } });
      return sandbox.books();
    };
    const rows = await rowsOf(7);
    expect(await rowsOf(7)).toEqual(rows);
    expect(await rowsOf(8)).not.toEqual(rows);
    expect(rows).toHaveLength(1200);
    expect(await rowsOf(7, 10)).toHaveLength(10);
    const times = rows.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect([times[0]! >= '2026-05-16T09', times.at(-1)! <= '2026-06-15T09:00:00.000Z']).toEqual([true, true]);
    const onDay = (weekday: number) => times.filter((at) => new Date(at).getUTCDay() === weekday).length;
    expect(onDay(2) + onDay(3)).toBeGreaterThan(1.5 * (onDay(6) + onDay(0)));
    const outcomes = new Set(rows.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(new Set(['approved', 'accepted_pending', 'declined']));
    const operations = new Set(rows.map(({ operation }) => operation));
    for (const kind of ['recurring', 'processCreditCardRefundWithTransactionId', 'processACHEFTWithCustomerCode']) {
      expect(operations).toContain(kind);
    }
    expect(new Set(rows.flatMap(({ message }) => /REJECT: \d+/.exec(message) ?? [])).size).toBeGreaterThan(4);
  });

  it('keeps to cards on the UK server, in batches too, whose result files answer each row', async () => {
    const accounts = [
      { agentCode: 'UDDD88', password: 'UDDD88', server: 'UK' as const },
      { agentCode: 'TEST88', password: 'TEST88', server: 'NA' as const },
    ];
    const sandbox = await world.start({ now, accounts, history: { days: 60 } });
    const rows = sandbox.books();
    const operationsOf = (agentCode: string) =>
      new Set(rows.flatMap(({ account, operation }) => (account === agentCode ? operation : [])));
    expect([...operationsOf('UDDD88')].filter((operation) => operation.includes('ACHEFT'))).toEqual([]);
    expect(operationsOf('UDDD88')).toContain('processCreditCardBatch');
    expect(operationsOf('TEST88')).toContain('processACHEFTChargeBatch');
    const batches = [...new Set(rows.flatMap(({ batchId }) => batchId || []))];
    expect(batches).toEqual(batches.map((_, index) => String(1_000_001 + index)));
    for (const batchId of batches) {
      const own = rows.filter((row) => row.batchId === batchId);
      expect(own.map(({ position }) => position)).toEqual(own.map((_, index) => index + 1));
      const agentCode = own[0]!.account;
      const fields = { agentCode, password: agentCode, batchId };
      const answer = await callSandbox(sandbox, 'GetBatchProcessResultFile', {}, { login: fields });
      const file = Buffer.from(valueOf(answer, 'BATCHPROCESSRESULTFILE'), 'base64').toString();
      const kind = own[0]!.operation === 'processCreditCardBatch' ? 'card' : 'ach-charge';
      const sent = readBatchFile(Buffer.from(file)).rows.map((cells) => ({
        row: readRow(kind, cells.slice(0, -1)),
        message: cells.at(-1),
      }));
      expect(sent.map(({ row, message }) => [row.invoice, row.amountCents, row.lastFour, message])).toEqual(
        own.map(({ invoice, amountCents, lastFour, message }) => [invoice, amountCents, lastFour, message]),
      );
    }
    const since = batches.at(-2)!;
    const text = await (await fetch(`${sandbox.url}/sandbox/books?since=${since}`)).text();
    expect(text.trim().split('\n')).toHaveLength(
      rows.length - 1 - rows.findLastIndex(({ batchId }) => batchId === since),
    );
  });

  it('gives no batch or transaction id and no customer code twice in a year, as in all starts of that year', async () => {
    const sandbox = await world.start({ now, history: { days: 365, size: 5000 }, firstBatchId: 'time' });
    await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', `1,Ada,Byron,CHECKING,${BANK_NUMBER},5.00,Gift`);
    const rows = sandbox.books();
    const batches = rows.flatMap(({ batchId }, index) => (batchId !== rows[index - 1]?.batchId ? batchId || [] : []));
    expect(new Set(batches).size).toBe(batches.length);
    const books = await openBooks(undefined, firstIdsOf('time', new Date(now)));
    await books.beginWith(planHistory({ days: 365, size: 5000 }, [ACCOUNT], new Date(now)));
    const ids = books.payments.list().flatMap(({ transactionId }) => transactionId || []);
    expect(new Set(ids).size).toBe(ids.length);
    const codes = books.customers.list('TEST88').map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(60);
    expect(new Set(codes).size).toBe(codes.length);
    const days = Array.from({ length: 366 }, (_, day) => new Date(Date.parse('2026-06-15') + day * 86_400_000));
    const firsts = days.map((day) => firstIdsOf('time', day).customer);
    expect(new Set(firsts).size).toBe(366);
    const sorted = firsts.toSorted((one, other) => one - other);
    for (const [index, first] of sorted.slice(1).entries()) expect(first - sorted[index]!).toBeGreaterThan(10_000);
  });

  it('goes on where it ended: no id or recurring payment comes twice, and its charges can be paid back', async () => {
    const sandbox = await world.start({ now, history: { days: 60, size: 2000 } });
    const before = sandbox.books();
    sandbox.clock.advance(40 * 86_400_000);
    await sandbox.settle();
    const charge = before.find(({ operation, charged }) => operation === 'processCreditCard' && charged)!;
    const fields = { transactionId: charge.transactionId!, total: `-${charge.amountCents / 100}` };
    const twice = [1, 2].map(() => messageOf(sandbox, 'ProcessCreditCardRefundWithTransactionId', fields));
    const refunded = before.some(({ amountCents, invoice }) => amountCents < 0 && invoice === charge.invoice);
    expect((await Promise.all(twice)).toSorted()).toEqual([refunded ? 'REJECT: 15' : 'OK: 678594:', 'REJECT: 15']);
    const rows = sandbox.books();
    const ids = rows.flatMap(({ transactionId }) => transactionId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const runs = rows
      .filter(({ operation }) => operation === 'recurring')
      .map(({ at, customerCode }) => at + customerCode);
    expect(new Set(runs).size).toBe(runs.length);
    expect(rows.filter(({ operation }) => operation === 'recurring').length).toBeGreaterThan(
      before.filter(({ operation }) => operation === 'recurring').length,
    );
  });

  it.each([1_000_001, 'time'] as const)(
    'is one line of a data folder, and there again after a restart and a reset (first id: %s)',
    async (firstBatchId) => {
      const dataDir = await world.folder();
      const options = { now, dataDir, firstBatchId, history: { days: 30, seed: 3 } };
      const first = await world.start(options);
      const rows = first.books();
      await first.bank.reject({ all: true });
      await first.close();
      const lines = (await readFile(join(dataDir, 'books.jsonl'), 'utf8')).trim().split('\n');
      expect(lines.filter((line) => !/"kind":"(?:step|ids)"/.test(line))).toHaveLength(1);
      const again = await world.start({ ...options, now: '2026-06-16T00:00:00Z' });
      expect(again.books()).toEqual(rows);
      await again.reset();
      expect(again.books()).toHaveLength(rows.length);
      const full = await world.folder();
      const plain = await world.start({ dataDir: full });
      await submitBatch(plain.url, 'ProcessACHEFTChargeBatch', 'a');
      await plain.close();
      await expect(world.start({ ...options, dataDir: full })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );

  it.each([{ days: 0 }, { days: 1.5 }, { days: 3661 }, { days: 1, seed: -1 }, { days: 1, size: 0 }])(
    'refuses %j',
    async (history) => {
      await expect(world.start({ history })).rejects.toMatchObject({ code: 'USAGE' });
    },
  );
});
