import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { trace } from '@opentelemetry/api';
import { PipelineError } from '../../src/kernel/errors.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { sendSpans, traceIdsOf } from '../../src/telemetry/send-spans.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { closedUrl } from '../workers/support/step-world.ts';
import { openApp } from '../../src/app.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { findCanaries } from '../support/canaries.ts';
import { CARD, cardRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await receiver.close();
});

describe('sendSpans', () => {
  it('puts all work on a file into one trace, nested as it was done', async () => {
    const telemetry = sendSpans(receiver.url);
    await telemetry.trace('intake', { fileId: 'f' }, async () => {
      telemetry.note({ account: 'main' });
      await telemetry.trace('ask', { fileId: 'f', batchNo: 1 }, async () => {});
      await telemetry.trace('other', { fileId: 'g' }, async () => {});
    });
    await telemetry.trace('deliver', { fileId: 'f' }, async () => {});
    await telemetry.close();
    expect(receiver.received[0]!.path).toBe('/v1/traces');
    const spans = new Map(receivedSpans(receiver).map((span) => [span.name, span]));
    const { traceId, spanId } = traceIdsOf('f');
    expect(spans.get('intake')).toMatchObject({
      traceId,
      parentSpanId: spanId,
      attributes: { 'paydrop.account': 'main' },
    });
    expect(spans.get('ask')).toMatchObject({ traceId, attributes: { 'paydrop.file_id': 'f', 'paydrop.batch_no': 1 } });
    expect(spans.get('ask')!.parentSpanId).not.toBe(spanId);
    expect(spans.get('deliver')).toMatchObject({ traceId, parentSpanId: spanId });
    expect(spans.get('other')).toMatchObject({
      traceId: traceIdsOf('g').traceId,
      parentSpanId: traceIdsOf('g').spanId,
    });
  });

  it('says of what went wrong its code and no more', async () => {
    const telemetry = sendSpans(receiver.url);
    const fail = (error: Error) =>
      telemetry.trace('submit', { fileId: 'f' }, async () => {
        throw error;
      });
    await expect(fail(new Error('row 4111111111111111'))).rejects.toThrow('row');
    await expect(fail(new PipelineError('DISK_FULL', 'write "secret"'))).rejects.toThrow('secret');
    await telemetry.close();
    expect(receivedSpans(receiver).map(({ status }) => status.message)).toEqual(['INTERNAL', 'DISK_FULL']);
    expect(receiver.received.map(({ body }) => body.toString()).join()).not.toMatch(/4111111111111111|secret/);
  });

  it('has the name of the program, unless the environment gives another', async () => {
    for (const given of [undefined, 'nightly']) {
      vi.stubEnv('OTEL_SERVICE_NAME', given);
      const telemetry = sendSpans(receiver.url);
      await telemetry.trace('intake', { fileId: 'f' }, async () => {});
      await telemetry.close();
    }
    expect(receiver.received.map(({ body }) => serviceName(JSON.parse(body.toString())))).toEqual([
      'paydrop',
      'nightly',
    ]);
  });

  it('takes a share of the files, each whole, and nothing that is about no file', async () => {
    const telemetry = sendSpans(receiver.url, 0.5);
    const files = Array.from({ length: 40 }, () => newFileId());
    for (const fileId of files)
      for (const stage of ['intake', 'deliver']) await telemetry.trace(stage, { fileId }, async () => {});
    trace.getTracer('bullmq').startSpan('moveStalledJobsToWait').end();
    await telemetry.close();
    const counts = groupCounts(receivedSpans(receiver).map(({ traceId }) => traceId));
    expect(new Set(counts.values())).toEqual(new Set([2]));
    expect(counts.size).toBeGreaterThan(0);
    expect(counts.size).toBeLessThan(files.length);
    expect(receivedSpans(receiver).map(({ name }) => name)).not.toContain('moveStalledJobsToWait');
  });

  it('sends nothing of a share of 0', async () => {
    const telemetry = sendSpans(receiver.url, 0);
    await telemetry.trace('intake', { fileId: 'f' }, async () => {});
    await telemetry.close();
    expect(receiver.received).toEqual([]);
  });

  it('keeps an address that has a path', async () => {
    const telemetry = sendSpans(`${receiver.url}/otlp/v1/traces`);
    await telemetry.trace('intake', { fileId: 'f' }, async () => {});
    await telemetry.close();
    expect(receiver.received[0]!.path).toBe('/otlp/v1/traces');
  });

  it('does its work and ends although nobody takes the spans', async () => {
    const telemetry = sendSpans(await closedUrl());
    expect(await telemetry.trace('intake', { fileId: 'f' }, async () => 'done')).toBe('done');
    await telemetry.close();
  });
});

let world: PipelineWorld;
beforeAll(async () => {
  receiver = await startReceiver();
  world = await openPipelineWorld();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

describe('the trace of a file', () => {
  it('is one from the claim to the output, over every stage, and holds no number', async () => {
    await world.app.close();
    const settings = { ...world.settings, otlpUrl: receiver.url };
    world.app = await openApp(settings, { log: silentLog(), env: {} });
    await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
    const { rows } = await world.app.ledger.pool.query<{ file_id: string; state: string }>('SELECT * FROM file');
    expect(rows).toMatchObject([{ state: 'completed' }]);
    await world.app.close();

    const { traceId } = traceIdsOf(rows[0]!.file_id);
    const own = receivedSpans(receiver).filter((span) => JSON.stringify(span).includes(rows[0]!.file_id));
    expect(new Set(own.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const names = new Set(own.map(({ name }) => name));
    for (const stage of ['claim', 'intake', 'submit', 'poll', 'deliver']) expect(names).toContain(stage);
    for (const name of ['intake', 'submit', 'poll', 'deliver'])
      expect(own.find((span) => span.name === name)!.attributes['paydrop.account']).toBe('main');

    const folder = await mkdtemp(join(tmpdir(), 'paydrop-spans-'));
    for (const [index, { body }] of receiver.received.entries()) await writeFile(join(folder, `${index}.json`), body);
    expect(await findCanaries([folder], [CARD])).toEqual([]);
    expect(receiver.received.map(({ body }) => body.toString()).join()).not.toContain('monday.csv');
    await rm(folder, { recursive: true });
  });
});

type ReceivedSpan = {
  name: string;
  traceId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  status: { code?: number; message?: string };
};

type Value = { stringValue?: string; intValue?: number };
type Sent = {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: { key: string; value: Value }[] })[] }[];
  }[];
};

/** Returns the spans of all requests that an OTLP receiver got as JSON. */
function receivedSpans({ received }: Receiver): ReceivedSpan[] {
  return received
    .flatMap(({ body }) => (JSON.parse(body.toString()) as Sent).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
      ),
    }));
}

function groupCounts(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Returns the service name of one request. */
function serviceName({ resourceSpans }: Sent): string | undefined {
  const [first] = resourceSpans;
  return first?.resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
}
