import { describe, expect, it } from 'vitest';
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts';
import { startReceiver } from '../support/receiver.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { traceIdsOf } from '../../src/telemetry/send-spans.ts';

describe('openTelemetry', () => {
  it('does the work and nothing else when it is off', async () => {
    const telemetry = await openTelemetry(undefined);
    expect(await telemetry.trace('intake', { fileId: 'f' }, async () => 'done')).toBe('done');
    telemetry.note({ account: 'main' });
    await telemetry.close();
  });

  it('sends spans when it is told where to', async () => {
    const receiver = await startReceiver();
    const telemetry = await openTelemetry(receiver.url);
    await telemetry.trace('intake', { fileId: 'f' }, async () => {});
    await telemetry.close();
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });
});

describe('traceIdsOf', () => {
  it('is the same for the same file, and another for another', () => {
    const [one, other] = [newFileId(), newFileId()];
    expect(traceIdsOf(one)).toEqual(traceIdsOf(one));
    expect(traceIdsOf(one)).not.toEqual(traceIdsOf(other));
  });

  it('has the form that OpenTelemetry wants', () => {
    expect(traceIdsOf(newFileId())).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });
});
