import { describe, expect, it } from 'vitest';
import { FIELDS, type FieldName } from '../../schemas/fields.ts';
import { OPERATIONS } from '../../schemas/operations.ts';
import { REPORTS } from '../../schemas/reports.ts';
import { isReport, isSecret, WIRE_OPERATIONS, wireKind, wireRow } from '../../schemas/wire.ts';

describe('WIRE_OPERATIONS', () => {
  it('are the operations of the spec and the reports, none of them twice', () => {
    expect(WIRE_OPERATIONS).toEqual([...Object.keys(OPERATIONS), ...Object.keys(REPORTS)]);
    expect(new Set(WIRE_OPERATIONS).size).toBe(37);
  });
});

describe('wireRow', () => {
  it('puts the address of the payer first in an operation of the spec', () => {
    expect(wireRow('getBatchProcessResultFile')).toEqual({
      service: 'ProcessLink',
      servers: ['NA', 'UK'],
      effect: 'read',
      purpose: 'Get the results of a batch',
      elements: ['customerIPAddress', 'batchId'],
    });
  });

  it('puts it behind the date in a report', () => {
    expect(wireRow('getACHEFTReturnSpecificDateXML')).toEqual({
      service: 'ReportLink',
      servers: ['NA'],
      effect: 'read',
      purpose: 'Returned bank payments of a day, as XML',
      elements: ['date', 'customerIPAddress'],
    });
  });

  it.each(WIRE_OPERATIONS.filter(isReport))('%s only reads, so it may be repeated', (report) => {
    expect(wireRow(report).effect).toBe('read');
  });
});

describe('isReport', () => {
  it('tells the two tables apart', () => {
    expect(WIRE_OPERATIONS.filter(isReport)).toEqual(Object.keys(REPORTS));
  });
});

describe('wireKind', () => {
  it.each([
    ['date', 'dateTime'],
    ['summaryOnly', 'boolean'],
    ['startIndex', 'digits'],
    ['batchFile', 'base64'],
    ['customerIPAddress', 'ipv4'],
  ] as const)('%s is %s', (field, kind) => {
    expect(wireKind(field)).toBe(kind);
  });
});

describe('isSecret', () => {
  it('says of the fields of the spec what their table says, and of no element of a report', () => {
    const names = Object.keys(FIELDS) as FieldName[];
    expect(names.filter(isSecret)).toEqual(names.filter((name) => 'secret' in FIELDS[name]));
    expect((['date', 'currency', 'endIndex'] as const).some(isSecret)).toBe(false);
  });
});
