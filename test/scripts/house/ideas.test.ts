import { describe, expect, it } from 'vitest';
import { ideasOf } from '../../../scripts/house/ideas.ts';
import { outlineOf } from '../../../scripts/house/outline.ts';

const THREE = 'export const a = 1;\nexport type B = 2;\nexport function c() {}\nexport const unused = 3;';

/** What a file `x` holds, who imports it, and its ideas: by importers alone, and with uses inside the file joined. */
describe('ideasOf', () => {
  it.each([
    {
      what: 'three names that three files import',
      x: THREE,
      importers: ["import { a } from './x.ts';", "import type { B } from './x.ts';", "import { c } from './x.ts';"],
      ideas: ['a', 'B', 'c'],
      joined: ['a', 'B', 'c'],
    },
    {
      what: 'names that one file imports',
      x: THREE,
      importers: ["import { a, type B } from './x.ts';", "import { c as d } from './x.ts';"],
      ideas: ['a B', 'c'],
      joined: ['a B', 'c'],
    },
    {
      what: 'a file that another imports whole',
      x: THREE,
      importers: ["import * as x from './x.ts';"],
      ideas: ['a B c unused'],
      joined: ['a B c unused'],
    },
    {
      what: 'names that use each other, one through a private name',
      x: 'export const a = 1;\nconst hidden = () => a;\nexport const b = () => hidden();\nexport const c = 1;',
      importers: [
        "import { a } from './x.ts';",
        "import { b } from './x.ts';",
        "const { c } = await import('./x.ts');",
      ],
      ideas: ['a b c'],
      joined: ['a b c'],
    },
    {
      what: 'names that share only a private name',
      x: 'const SIZE = 1;\nexport const a = () => SIZE;\nexport const b = () => SIZE + a.length;\nexport const c = SIZE;',
      importers: ["import { a } from './x.ts';", "import { b } from './x.ts';", "import { c } from './x.ts';"],
      ideas: ['a', 'b', 'c'],
      joined: ['a b', 'c'],
    },
    {
      what: 'names that another file passes on',
      x: THREE,
      importers: [
        "export { a as first } from './x.ts';\nexport * from './x.ts';",
        "import { first, c } from './importer-0.ts';",
      ],
      ideas: ['a c'],
      joined: ['a c'],
    },
  ])('sees $what', ({ x, importers, ideas, joined }) => {
    const files = [x, ...importers].map((text, index) =>
      outlineOf({ path: index === 0 ? 'src/x.ts' : `src/importer-${index - 1}.ts`, text }),
    );
    const groupsOf = (joinsUses: boolean) => ideasOf(files, { joinsUses })[0]!.groups.map((group) => group.join(' '));
    expect(groupsOf(false)).toEqual(ideas);
    expect(groupsOf(true)).toEqual(joined);
  });
});
