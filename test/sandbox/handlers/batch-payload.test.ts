import { describe, expect, it } from 'vitest';
import {
  BAD_LOGIN_BATCH_PAYLOAD,
  BATCH_TEXTS,
  batchPayload,
  FAILED_BATCH_PAYLOAD,
} from '../../../src/sandbox/handlers/batch-payload.ts';

describe('batchPayload', () => {
  it('carries no padding', () => {
    expect(batchPayload(BATCH_TEXTS.running, '1000001')).toBe(
      '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>Batch Processing, Please Wait ....</AUTHORIZATIONRESULT>' +
        '<BATCHID>1000001</BATCHID></BATCHPROCESSRESULT>',
    );
  });

  it('adds what comes after the batch id', () => {
    expect(batchPayload(BATCH_TEXTS.done, '7', '<X />')).toMatch(/<BATCHID>7<\/BATCHID><X \/><\/BATCHPROCESSRESULT>$/);
  });

  it('escapes a batch id that a client made up', () => {
    expect(batchPayload(BATCH_TEXTS.unknown, '<x>')).toContain('<BATCHID>&lt;x&gt;</BATCHID>');
  });
});

describe('the payloads without a batch', () => {
  it('name none', () => {
    expect(FAILED_BATCH_PAYLOAD).toBe('<BATCHPROCESSRESULT><AUTHORIZATIONRESULT /></BATCHPROCESSRESULT>');
    expect(BAD_LOGIN_BATCH_PAYLOAD).toBe(
      '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>REJECT: 1</AUTHORIZATIONRESULT><BATCHID /></BATCHPROCESSRESULT>',
    );
  });
});
