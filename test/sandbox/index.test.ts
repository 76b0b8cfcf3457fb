import { describe, expect, it } from 'vitest';
import * as exported from '../../src/sandbox/index.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';

// test/gateway/index.soak.test.ts tests the whole package, compiled and imported by its name.
describe('paydrop/sandbox', () => {
  it('offers the sandbox and nothing else to run', () => {
    expect({ ...exported }).toEqual({ startSandbox });
  });
});
