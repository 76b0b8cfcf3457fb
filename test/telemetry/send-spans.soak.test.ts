import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { sendSpans, traceIdsOf } from '../../src/telemetry/send-spans.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { closedUrl } from '../workers/support/step-world.ts';
import { receivedSpans, serviceName } from './support/received-spans.ts';

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
