import { describe, expect, it } from 'vitest';
import { readParameters } from '../../../src/sandbox/soap/read-parameters.ts';

describe('readParameters', () => {
  it.each([
    ['QUI=', 'AB'],
    ['QUJD', 'ABC'],
    ['QQ==', 'A'],
    [' QU\n JD\t', 'ABC'],
    ['', ''],
  ])('decodes the base64 %j', (text, plain) => {
    const parameters = readParameters('processCreditCardBatch', new Map([['batchFile', text]]));
    expect('fault' in parameters ? parameters.fault : parameters.bytes('batchFile')?.toString()).toBe(plain);
  });

  it.each(['QUI', 'QUJD=', 'Q===', 'QU=D', 'QU-_', 'QUJ*', '====', 'QUJDé==='])('refuses the base64 %j', (text) => {
    const parameters = readParameters('processCreditCardBatch', new Map([['batchFile', text]]));
    expect(parameters).toEqual({
      fault:
        'Server was unable to read request. ---> There is an error in XML document. ---> ' +
        'Invalid length for a Base-64 char array or string.',
    });
  });

  it('tells absent from empty', () => {
    const parameters = readParameters('getBatchProcessResultFile', new Map([['batchId', '']]));
    if ('fault' in parameters) throw new Error(parameters.fault);
    expect(parameters.text('batchId')).toBe('');
    expect(parameters.text('customerIPAddress')).toBeUndefined();
    expect(parameters.bytes('batchFile')).toBeUndefined();
  });
});
