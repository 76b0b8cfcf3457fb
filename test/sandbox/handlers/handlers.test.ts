import { describe, expect, it } from 'vitest';
import { WIRE_OPERATIONS, type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { HANDLERS, servedOperations } from '../../../src/sandbox/handlers/handlers.ts';

describe('HANDLERS', () => {
  it.each(Object.entries(HANDLERS))('%s asks only for elements that its operation has', (operation, handler) => {
    const { elements } = wireRow(operation as WireOperation);
    expect(handler.needs.every((name) => elements.includes(name))).toBe(true);
  });
});

describe('servedOperations', () => {
  it('lists what has a handler, by service', () => {
    for (const service of ['ProcessLink', 'CustomerLink', 'ReportLink'] as const) {
      expect(servedOperations(service).sort()).toEqual(operationsOf(service));
    }
  });
});

function operationsOf(service: string): string[] {
  return WIRE_OPERATIONS.filter((operation) => wireRow(operation).service === service).sort();
}
