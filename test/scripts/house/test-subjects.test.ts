import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../scripts/house/outline.ts';
import { subjectsOf, unnamedTests } from '../../../scripts/house/test-subjects.ts';

describe('unnamedTests', () => {
  const sources = [{ path: 'src/csv/read-rows.ts' }];
  it.each([
    { path: 'test/csv/read-rows.soak.test.ts', text: '', isUnnamed: false },
    { path: 'test/csv/csv.property.test.ts', text: '', isUnnamed: false },
    { path: 'test/csv/odd-bytes.test.ts', text: "it.each([1])('reads odd bytes as $value', read);", isUnnamed: false },
    { path: 'test/csv/odd-bytes.test.ts', text: 'describe(`odd bytes of ${name}`, read);', isUnnamed: false },
    { path: 'test/csv/odd-bytes.test.ts', text: "it('reads oddbytes', read);", isUnnamed: true },
    { path: 'test/csv/rows.test.ts', text: '// rows', isUnnamed: true },
  ])('$path with "$text": $isUnnamed', ({ path, text, isUnnamed }) => {
    expect(unnamedTests([outlineOf({ path, text })], sources)).toHaveLength(isUnnamed ? 1 : 0);
  });
});

describe('subjectsOf', () => {
  const sources = new Set(['src/a.ts', 'src/b.ts']);
  it.each([
    { what: 'one source used by two', uses: ['a()', 'a() + world()'], subjects: [['0', '1']] },
    { what: 'a helper of the tests used by two', uses: ['a() + world()', 'b() + world()'], subjects: [['0'], ['1']] },
    { what: 'two sources tied by a third describe', uses: ['a()', 'b()', 'a(b())'], subjects: [['0', '1', '2']] },
  ])('joins describes by $what', ({ uses, subjects }) => {
    const imports =
      "import { a } from '../src/a.ts';\nimport { b } from '../src/b.ts';\nimport { world } from './w.ts';\n";
    const describes = uses.map((use, index) => `describe('${index}', () => { it('works', () => ${use}); });`);
    const test = outlineOf({ path: 'test/a.test.ts', text: imports + describes.join('\n') });
    expect(subjectsOf(test, sources)).toEqual(subjects);
  });
});
