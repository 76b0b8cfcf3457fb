import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot, readPackageVersion } from '../../src/cli/package-version.ts';

it('packageRoot is the folder of package.json and of the samples', () => {
  expect(existsSync(join(packageRoot(), 'package.json'))).toBe(true);
  expect(existsSync(join(packageRoot(), 'samples', 'paydrop.yaml'))).toBe(true);
});

it('readPackageVersion is a version', () => {
  expect(readPackageVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
