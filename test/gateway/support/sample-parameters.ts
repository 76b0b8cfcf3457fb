import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { BODY, CANARIES } from './cases.ts';

export const SECURITY_CODE = '9173';

const SAMPLES: Readonly<Partial<Record<FieldName, unknown>>> = {
  customerIPAddress: '10.0.0.1',
  customerCode: 'A10000001',
  scheduleType: 'Weekly',
  scheduleDate: '7',
  amount: '5.00',
  mop: 'VISA',
  accountType: 'CHECKING',
  accountNum: CANARIES.account,
  creditCardNum: CANARIES.card,
  ccNum: CANARIES.card,
  cvv2: SECURITY_CODE,
  creditCardExpiry: '12/30',
  ccExp: '12/30',
  batchId: '1000001',
  batchFile: BODY,
};

/** Returns every parameter of an operation, valid on NA. Each name and number differs from all other text. */
export function sampleParameters(operation: OperationName): Record<string, unknown> {
  const { required, optional, unstated } = OPERATIONS[operation];
  const names: FieldName[] = [...required, ...optional, ...unstated];
  return Object.fromEntries(names.map((name) => [name, sampleOf(name, operation)]));
}

function sampleOf(name: FieldName, operation: OperationName): unknown {
  if (name === 'total') return operation.includes('Refund') ? '-5.00' : '5.00';
  if (name in SAMPLES) return SAMPLES[name];
  const { kind } = FIELDS[name];
  if (kind === 'boolean') return true;
  return kind === 'dateTime' ? '2026-06-15T10:00:00+02:00' : `${name}Canary`;
}
