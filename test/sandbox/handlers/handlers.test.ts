import { describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationName } from '../../../schemas/operations.ts';
import { HANDLERS, servedOperations } from '../../../src/sandbox/handlers/handlers.ts';

describe('HANDLERS', () => {
  it.each(Object.entries(HANDLERS))('%s asks only for elements that its operation has', (operation, handler) => {
    const wire: readonly string[] = OPERATIONS[operation as OperationName].wire;
    expect(handler.needs.every((name) => wire.includes(name))).toBe(true);
  });
});

describe('servedOperations', () => {
  it('lists what has a handler, by service', () => {
    for (const service of ['ProcessLink', 'CustomerLink'] as const) {
      expect(servedOperations(service).sort()).toEqual(operationsOf(service));
    }
  });
});

function operationsOf(service: string): string[] {
  const rows = Object.entries(OPERATIONS).filter(([, row]) => row.service === service);
  return rows.map(([operation]) => operation).sort();
}
