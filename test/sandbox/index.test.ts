import { describe, expect, it } from 'vitest';
import * as exported from '../../src/sandbox/index.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';

// The package as a whole, compiled and imported by its name, is tried in test/gateway/index.soak.test.ts.
describe('paydrop/sandbox', () => {
  it('offers the sandbox and nothing else to run', () => {
    expect({ ...exported }).toEqual({ startSandbox });
  });
});
