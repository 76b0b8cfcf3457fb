import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../scripts/house/outline.ts';
import { filesOfFeature, folderOf, mutualPairs, roomOf } from '../../../scripts/house/rooms.ts';

it.each([
  ['src/ledger/engine/move.ts', 'src/ledger'],
  ['src/app.ts', 'src'],
  ['workers/intake/intake.ts', 'workers/intake'],
  ['workers/main.ts', 'workers'],
  ['schemas/sandbox/faults.ts', 'schemas'],
])('roomOf(%j) is %j', (path, room) => {
  expect(roomOf(path)).toBe(room);
});

describe('mutualPairs', () => {
  const files = [
    { path: 'src/a/one.ts', text: "import { b } from '../b/x/b.ts';" },
    { path: 'src/a/two.ts', text: "export * from '../c/c.ts';" },
    { path: 'src/b/b.ts', text: "import type { A } from '../a/one.ts';\nimport { x } from './x/b.ts';" },
    { path: 'src/b/x/b.ts', text: "import { y } from '../b.ts';" },
    { path: 'src/c/c.ts', text: "import { b } from '../b/b.ts';" },
  ].map(outlineOf);

  it.each([
    { places: 'rooms', placeOf: roomOf, pairs: [['src/a', 'src/b']] },
    { places: 'folders', placeOf: folderOf, pairs: [['src/b', 'src/b/x']] },
  ])('finds $places that import each other', ({ placeOf, pairs }) => {
    expect(mutualPairs(files, placeOf)).toEqual(pairs);
  });
});

it('filesOfFeature finds words in paths and identifiers, not in comments and texts', () => {
  const files = [
    { path: 'src/a/archive.ts', text: '' },
    { path: 'src/a/b.ts', text: 'export const readArchive = 1;' },
    { path: 'src/a/c.ts', text: "/** The archive. */\nexport const c = 'archive';" },
  ].map(outlineOf);
  expect(filesOfFeature(files, /archiv/i).map(({ path }) => path)).toEqual(['src/a/archive.ts', 'src/a/b.ts']);
});
