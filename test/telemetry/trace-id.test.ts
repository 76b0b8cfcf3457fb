import { describe, expect, it } from 'vitest';
import { newFileId } from '../../src/kernel/ids.ts';
import { traceIdsOf } from '../../src/telemetry/send-spans.ts';

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
