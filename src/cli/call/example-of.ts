import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { quoteWord } from '../print/paydrop-line.ts';
import { isSecret, needsMopBeside, parametersOf } from './parameters-of.ts';

/**
 * Returns a line for the help with every required parameter that may be typed; the service would accept it as it is.
 */
export function exampleOf(operation: OperationName): string {
  const flags = parametersOf(operation)
    .required.filter((name) => !isSecret(name))
    .map((name) => `--${name} ${quoteWord(sampleOf(name, operation))}`);
  const beside = needsMopBeside(operation) ? ['--mop VISA'] : [];
  return ['call', operation, '--account main', ...flags, ...beside].join(' ');
}

/** Texts missing here may be empty. */
const SAMPLES: Readonly<Partial<Record<FieldName, string>>> = {
  firstName: 'Ada',
  lastName: 'Byron',
  address: '1 Mill Lane',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  customerCode: 'A10000001',
  transactionId: 'A6DE6F24',
  batchId: '1000001',
  accountType: 'CHECKING',
  mop: 'VISA',
};

function sampleOf(name: FieldName, operation: OperationName): string {
  if (name === 'total') return operation.includes('Refund') ? '-5.00' : '25.00';
  switch (FIELDS[name].kind) {
    case 'boolean':
      return 'false';
    case 'dateTime':
      return name.startsWith('to') || name.startsWith('end') ? '2026-11-30' : '2026-11-20';
    case 'expiry':
      return '12/35';
    case 'base64':
      return 'monday.csv';
    case 'text':
    case 'decimal':
    case 'digits':
    case 'enum':
    case 'ipv4':
      return SAMPLES[name] ?? '';
  }
}
