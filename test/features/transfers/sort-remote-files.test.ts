import { describe, expect, it } from 'vitest';
import type { FolderConfig } from '../../../schemas/config.ts';
import { type RemoteSightings, sortRemoteFiles } from '../../../src/features/transfers/pull.ts';
import { tryEach } from '../../../src/features/transfers/try-each.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';

const QUIET = { complete: { by: 'quiet', quietMs: 1_000, probes: 2 } } as const;
const MARKER = { complete: { by: 'marker', suffix: '.done' } } as const;

function file(name: string, bytes = 10, mtimeMs = 5_000) {
  return { name, bytes, mtimeMs };
}

/** Scans at the given moments. @returns the result of the last scan */
function lookAt(folder: { complete: FolderConfig['complete'] }, looks: [nowMs: number, ReturnType<typeof file>[]][]) {
  const sightings: RemoteSightings = new Map();
  const found = looks.map(([nowMs, files]) => sortRemoteFiles(files, { folder, sightings, nowMs }));
  const { ready, waiting } = found.at(-1)!;
  return { ready: ready.map(({ name }) => name), waiting: waiting.map(({ name }) => name), sightings };
}

describe('sortRemoteFiles', () => {
  it.each([
    ['seen once', [[0, [file('a')]]], false],
    [
      'seen twice, too soon',
      [
        [0, [file('a')]],
        [999, [file('a')]],
      ],
      false,
    ],
    [
      'seen twice, long enough',
      [
        [0, [file('a')]],
        [1_000, [file('a')]],
      ],
      true,
    ],
    [
      'grown meanwhile',
      [
        [0, [file('a')]],
        [1_000, [file('a', 11)]],
      ],
      false,
    ],
    [
      'written again meanwhile',
      [
        [0, [file('a')]],
        [1_000, [file('a', 10, 6_000)]],
      ],
      false,
    ],
    [
      'gone in between',
      [
        [0, [file('a')]],
        [500, []],
        [1_000, [file('a')]],
      ],
      false,
    ],
  ] as [string, [number, ReturnType<typeof file>[]][], boolean][])('a file that was %s', (_, looks, isReady) => {
    const { ready, waiting } = lookAt(QUIET, looks);
    expect({ ready, waiting }).toEqual(isReady ? { ready: ['a'], waiting: [] } : { ready: [], waiting: ['a'] });
  });

  it('waits for a control file that is still written', () => {
    const looks: [number, ReturnType<typeof file>[]][] = [
      [0, [file('a')]],
      [1_000, [file('a'), file('a.ctl')]],
    ];
    expect(lookAt(QUIET, looks)).toMatchObject({ ready: [], waiting: ['a'] });
    expect(lookAt(QUIET, [...looks, [2_000, [file('a'), file('a.ctl')]]])).toMatchObject({ ready: ['a'], waiting: [] });
  });

  it('goes by the marker alone where there is one', () => {
    expect(lookAt(MARKER, [[0, [file('a'), file('a.ctl')]]])).toMatchObject({ ready: [], waiting: ['a'] });
    expect(lookAt(MARKER, [[0, [file('a'), file('a.done')]]])).toMatchObject({ ready: ['a'], waiting: [] });
  });

  it('waits until a control file that is the marker as well is written to its end', () => {
    const folder = { complete: { by: 'marker', suffix: '.ctl' } } as const;
    const looks: [number, ReturnType<typeof file>[]][] = [
      [0, [file('a'), file('a.ctl', 0)]],
      [1_000, [file('a'), file('a.ctl', 7)]],
    ];
    expect(lookAt(folder, looks)).toMatchObject({ ready: [], waiting: ['a'] });
    expect(lookAt(folder, [...looks, [2_000, [file('a'), file('a.ctl', 7)]]])).toMatchObject({ ready: ['a'] });
  });

  it.each([
    ['marker', { by: 'marker', suffix: '.done' }, 'a.done'],
    ['control', { by: 'control' }, 'a.ctl'],
  ] as const)('does not believe a marker older than its file (complete by %s)', (_by, complete, marker) => {
    const folder = { complete };
    const looks = (markedMs: number): [number, ReturnType<typeof file>[]][] =>
      [0, 2_000].map((nowMs) => [nowMs, [file('a', 10, 5_000), file(marker, 1, markedMs)]]);
    expect(lookAt(folder, looks(4_999))).toMatchObject({ ready: [], waiting: ['a'] });
    expect(lookAt(folder, looks(5_000))).toMatchObject({ ready: ['a'], waiting: [] });
  });

  it('hands out the oldest first, each with what belongs to it', () => {
    const files = [file('b', 1, 2_000), file('a', 1, 3_000), file('a.ctl'), file('a.done'), file('b.done')];
    const { ready } = sortRemoteFiles(files, { folder: MARKER, sightings: new Map(), nowMs: 0 });
    expect(ready).toMatchObject([
      { name: 'b', marker: { name: 'b.done' } },
      { name: 'a', marker: { name: 'a.done' }, sidecar: { name: 'a.ctl' } },
    ]);
  });

  it('forgets what is gone', () => {
    const { sightings } = lookAt(QUIET, [
      [0, [file('a')]],
      [1, [file('b')]],
    ]);
    expect([...sightings.keys()]).toEqual(['b']);
  });
});

/** Returns what was tried, and the final error. */
async function tried(faults: Record<string, Error>): Promise<{ seen: string[]; error: unknown }> {
  const seen: string[] = [];
  const error = await tryEach(['a', 'b', 'c'], async (name) => {
    seen.push(name);
    if (faults[name]) throw faults[name];
  }).catch((thrown: unknown) => thrown);
  return { seen, error };
}

describe('tryEach', () => {
  const refused = new PipelineError('REMOTE_FAILED', 'rename a file', 'permission denied');

  it('does the work for each', async () => {
    expect(await tried({})).toEqual({ seen: ['a', 'b', 'c'], error: undefined });
  });

  it('goes on after a refusal, and throws the first at the end', async () => {
    const later = new PipelineError('REMOTE_FAILED', 'fetch a file', 'permission denied');
    const { seen, error } = await tried({ a: refused, b: later });
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(error).toBe(refused);
  });

  it('ends at once when the server or this host is at fault', async () => {
    const gone = new PipelineError('REMOTE_UNREACHABLE', 'fetch a file', 'ECONNRESET');
    expect(await tried({ a: refused, b: gone })).toEqual({ seen: ['a', 'b'], error: gone });
    const full = new Error('ENOSPC');
    expect(await tried({ a: full })).toEqual({ seen: ['a'], error: full });
  });
});
