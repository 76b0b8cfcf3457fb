import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mutate } from './try-defect.ts';
import { DEFECTS } from './defects.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the seeded defects', () => {
  it('are at least 20, and no two are one', () => {
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
    expect(DEFECTS.length).toBeGreaterThanOrEqual(20);
  });

  it('stand in CONTRIBUTING.md with the test files that catch them', () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const rows = DEFECTS.map(
      ({ name, caughtBy }) => `| ${name} | ${caughtBy.map((path) => `\`${path}\``).join(', ')} |`,
    );
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  it.each(DEFECTS)('$name: can still be made, and machines that could see it are there', (defect) => {
    const text = readFileSync(join(ROOT, defect.file), 'utf8');
    expect(mutate(defect, text)).not.toHaveProperty('fault');
    expect(defect.replace).not.toBe(defect.find);
    expect(defect.caughtBy.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(defect.caughtBy).not.toEqual([]);
  });
});

describe('mutate', () => {
  const defect = { ...DEFECTS[0]!, find: 'a > b', replace: '$& false' };
  it('replaces the one place, word for word', () => {
    expect(mutate(defect, 'if (a > b) {}')).toEqual({ text: 'if ($& false) {}' });
  });
  it.each(['if (b) {}', 'a > b, a > b'])('says so when the place is not there once: %s', (text) => {
    expect(mutate(defect, text)).toHaveProperty('fault');
  });
});
