import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELDS, type FieldName } from '../../schemas/fields.ts';
import { OPERATIONS } from '../../schemas/operations.ts';
import { checkParameters } from '../../src/gateway/check-parameters.ts';
import { buildRequest } from '../../src/gateway/soap/build-request.ts';
import { wireName } from '../../schemas/wsdl.ts';
import { ALL_OPERATIONS } from './support/call.ts';
import { sampleParameters } from './support/sample-parameters.ts';

const now = new Date('2026-06-15T12:00:00Z');

describe('checkParameters', () => {
  it('fills in what the wire demands and keeps what was given', () => {
    expect(check('updateACHEFTCustomerCode', { customerCode: 'A1', email: undefined, beginDate: now })).toEqual({
      kind: 'valid',
      values: {
        customerCode: 'A1',
        recurring: 'false',
        updateAccountNum: 'false',
        beginDate: '2026-06-15T12:00:00.000Z',
        endDate: '2026-06-15T12:00:00.000Z',
      },
    });
    expect(check('deleteCustomerCode', { customerCode: 'A1' })).toEqual({
      kind: 'valid',
      values: { customerCode: 'A1' },
    });
  });

  it.each([
    ['Quarterly', ''],
    ['Annually', ''],
    ['', undefined],
  ])('writes the day of the schedule "%s" as %j', (scheduleType, scheduleDate) => {
    const checked = check('updateACHEFTCustomerCode', { customerCode: 'A1', scheduleType });
    expect(checked.kind === 'valid' && checked.values.scheduleDate).toBe(scheduleDate);
  });

  it('names unknown fields, but not what may be a value', () => {
    expect(check('deleteCustomerCode', { customerCode: 'A1', custmerCode: '1', 4222222222222220: 1 })).toEqual({
      kind: 'invalid',
      faults: [
        { field: 'custmerCode', message: 'is not a parameter of this operation' },
        { field: '(not a name)', message: 'is not a parameter of this operation' },
      ],
    });
  });

  it.each([undefined, null, 'text', 5, []])('answers %j with a fault', (parameters) => {
    expect(check('deleteCustomerCode', parameters)).toMatchObject({
      kind: 'invalid',
      faults: [{ field: 'parameters' }],
    });
  });

  it.each(ALL_OPERATIONS)('lets the parameters of %s through to the XML unchanged', async (operation) => {
    const row = OPERATIONS[operation];
    const names: FieldName[] = [...row.required, ...row.optional, ...row.unstated];
    const texts = names.filter((name) => FIELDS[name].kind === 'text' && name !== 'scheduleDate');
    const change = fc.record(Object.fromEntries(texts.map((name) => [name, anyText(name)])));
    let accepted = 0;
    const promise = fc.asyncProperty(change, async (changed) => {
      const checked = check(operation, { ...sampleParameters(operation), ...changed });
      if (checked.kind === 'invalid') return;
      accepted += 1;
      const { values } = checked;
      for (const [name, text] of Object.entries(changed)) expect(values[name as FieldName]).toBe(text);
      const { body } = await buildRequest({ operation, address: 'https://x/', login, values });
      expect(readElements(body.toString('utf8'), wireName(operation))).toEqual({ ...login, ...values });
    });
    await fc.assert(promise, { numRuns: 8 });
    expect(accepted).toBeGreaterThan(0);
  });
});

const login = { agentCode: 'TEST88', password: 'a<&>"\'b]]>' };

function anyText(name: FieldName): fc.Arbitrary<string> {
  const row = FIELDS[name];
  const longest = 'maxLength' in row ? row.maxLength : 1;
  const unit = fc.oneof(fc.constantFrom(...'&<>"\'; ]\t\n\ré漢😀'), fc.string({ unit: 'grapheme', maxLength: 1 }));
  const any = fc.array(unit, { maxLength: 20 }).map((units) => `x${units.join('')}`);
  return fc.oneof(any, fc.constant('é'.repeat(longest)), fc.constant('&'.repeat(longest)));
}

function check(operation: keyof typeof OPERATIONS, parameters: unknown) {
  return checkParameters({ operation, server: 'NA', parameters, now });
}

/** Reads the children of one element independently, so the client's code does not check itself. */
function readElements(xml: string, operation: string): Record<string, string> {
  const inside = new RegExp(`<${operation} [^>]*>([^]*)</${operation}>`).exec(xml)?.[1] ?? '';
  const elements = [...inside.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  const plain = (text: string) =>
    text
      .replaceAll('\r', '\n')
      .replaceAll('&#xD;', '\r')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  return Object.fromEntries(elements.map(([, name = '', text = '']) => [name, plain(text)]));
}
