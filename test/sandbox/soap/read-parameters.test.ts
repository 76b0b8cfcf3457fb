import { describe, expect, it } from 'vitest';
import { readMoment, readParameters } from '../../../src/sandbox/soap/read-parameters.ts';

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

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    [' true\n', true],
  ])('reads the boolean %j', (text, value) => {
    const parameters = readParameters('createCreditCardCustomerCode', new Map([['recurring', text]]));
    expect('fault' in parameters ? parameters.fault : parameters.flag('recurring')).toBe(value);
  });

  it.each(['', 'TRUE', 'yes', '2', 'on'])('refuses the boolean %j', (text) => {
    const parameters = readParameters('updateCreditCardCustomerCode', new Map([['updateCreditCardNum', text]]));
    expect(parameters).toEqual({
      fault:
        'Server was unable to read request. ---> There is an error in XML document. ---> ' +
        'The string is not a valid Boolean value.',
    });
  });

  it.each(['2017-06-16', '2017-06-16T00:00:00+00:00'])('reads the moment %j', (text) => {
    const parameters = readParameters('createCreditCardCustomerCode', new Map([['beginDate', text]]));
    const moment = 'fault' in parameters ? undefined : parameters.moment('beginDate');
    expect(moment?.toISOString()).toBe('2017-06-16T00:00:00.000Z');
  });

  it.each(['', 'today', '2017-02-30'])('refuses the moment %j', (text) => {
    const parameters = readParameters('getCustomerListByCreationTimeXML', new Map([['toDate', text]]));
    expect(parameters).toEqual({
      fault:
        'Server was unable to read request. ---> There is an error in XML document. ---> ' +
        'The string is not a valid AllXsd value.',
    });
  });

  it('passes over a typed element that its operation does not have', () => {
    expect(readParameters('processCreditCard', new Map([['recurring', 'maybe']]))).not.toHaveProperty('fault');
  });

  it('tells absent from empty', () => {
    const parameters = readParameters('getBatchProcessResultFile', new Map([['batchId', '']]));
    if ('fault' in parameters) throw new Error(parameters.fault);
    expect(parameters.text('batchId')).toBe('');
    expect(parameters.text('customerIPAddress')).toBeUndefined();
    expect(parameters.bytes('batchFile')).toBeUndefined();
    expect(parameters.flag('recurring')).toBeUndefined();
    expect(parameters.moment('beginDate')).toBeUndefined();
  });
});

describe('readMoment', () => {
  it.each([
    ['2017-06-16T00:00:00+00:00', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16T00:00:00Z', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16T01:30:00+01:30', '2017-06-16T00:00:00.000Z'],
    ['2017-06-15T17:00:00-07:00', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16T10:11:12', '2017-06-16T10:11:12.000Z'],
    ['2017-06-16T10:11:12.3456789Z', '2017-06-16T10:11:12.345Z'],
    ['2017-06-16T10:11:12.5', '2017-06-16T10:11:12.500Z'],
    [' 2017-06-16\n', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16-07:00', '2017-06-16T07:00:00.000Z'],
    ['2020-02-29', '2020-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z'],
  ])('reads %j', (text, moment) => {
    expect(readMoment(text)?.toISOString()).toBe(moment);
  });

  it.each([
    '',
    'today',
    '06/16/2017',
    '2017-6-16',
    '2017-02-29',
    '2017-13-01',
    '2017-06-31T00:00:00',
    '2017-06-16 00:00:00',
    '2017-06-16T24:00:00',
    '2017-06-16T00:60:00',
    '2017-06-16T00:00',
    '2017-06-16T00:00:00+15:00',
    '2017-06-16T00:00:00z',
    '20170616',
  ])('refuses %j', (text) => {
    expect(readMoment(text)).toBeUndefined();
  });
});
