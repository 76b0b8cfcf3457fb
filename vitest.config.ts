import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { findPureTests } from './test/support/pure-tests.ts';

/** Files that take longest, longest first. Begun last, they would run alone at the end while the other core waits. */
const SLOW: readonly string[] = [
  'simulation/simulation',
  'pipeline/bad-input',
  'deliver/deliver.test',
  'admission/admit',
];

/**
 * Tests that mock modules, which all others share with their worker: that saves loading them for each file.
 */
const ALONE = ['test/files/write-output-without-links.test.ts', 'test/chaos/journal-sync.test.ts'];
/** Tests that answer within seconds when they run alone: they wait for no database and no compiled tree. */
const PURE = findPureTests(import.meta.dirname).filter((path) => !ALONE.includes(path));
/** Tests of what people and other programs see, which test the core once more through it: `npm run soak`. */
const FACES = ['actions', 'cli', 'explain', 'web'].map((room) => `test/${room}/**/*.test.ts`);
/** One worker for each core: more of them take as long, since each has to load and warm up the same code. */
const SHORT = { maxWorkers: Math.max(2, availableParallelism()) };
/** Stories wait more than they work. */
const LONG = { maxWorkers: SHORT.maxWorkers + 1, sequence: { groupOrder: 1 } };
/** These fill the cores by themselves, with many processes whose times are limited. Beside others, limits would end them. */
const STORIES = ['test/chaos/**/*.soak.test.ts', 'test/simulation/**/*.soak.test.ts'];
const APART = { maxWorkers: 1, sequence: { groupOrder: 2 } };
/** What takes long or runs by the clock: `npm run soak`. */
const SOAK = ['test/**/*.soak.test.ts'];
const ALL = ['test/**/*.test.ts'];

const COUNTS_COVERAGE = process.argv.some((word) => word.startsWith('--coverage'));
/** These run the product in processes or through a browser of their own: they take long and cover no line of a room. */
const UNSEEN = COUNTS_COVERAGE ? ['chaos', 'simulation', 'browser', 'web/clicks'].map((name) => `test/${name}/**`) : [];

/** What the tests of a project wait for. */
const PREPARED = { globalSetup: 'test/support/start-run.ts' };
/** A run compiles the tree once. Watch mode and coverage take the sources. */
const COMPILED = process.argv[2] === 'run' && !COUNTS_COVERAGE ? { runner: 'test/support/run-compiled.mjs' } : {};

/** A worker is kept for the next file of its project only, so the projects follow one another. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification) => {
      const place = SLOW.findIndex((name) => file.moduleId.includes(name));
      return place < 0 ? SLOW.length : place;
    };
    return files.toSorted(
      (one, other) =>
        one.project.name.localeCompare(other.project.name) ||
        rank(one) - rank(other) ||
        one.moduleId.localeCompare(other.moduleId),
    );
  }
}

/** `npm run coverage`: the least of each room, in percent of its lines. */
const LEAST = { lines: 95 };
const ROOMS = ['schemas', 'workers', ...readdirSync('src').map((name) => `src/${name}`)].filter(
  (room) => !room.includes('.'),
);

export default defineConfig({
  test: {
    globals: false,
    // Processes that tests start answer no dashboard on the usual address; those that want one name another.
    // Texts have no colors, whatever the shell of the run asks for.
    env: { PAYDROP_DASHBOARD: 'off', FORCE_COLOR: '0' },
    // Tests open sockets, child processes and a database, which a worker thread would share with its neighbours.
    runner: 'test/support/run-watched.mjs',
    server: { deps: { external: [/run-(?:compiled|watched)\.mjs$/] } },
    pool: 'forks',
    sequence: { sequencer: SlowFirst },
    // What is awaited comes at once on a free machine. A busy one gets its time, so these limits only end what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    reporters: ['default', './test/support/run-summary.ts'],
    projects: [
      {
        extends: true,
        test: {
          ...SHORT,
          name: 'shared',
          include: ALL,
          exclude: [...ALONE, ...PURE, ...SOAK, ...FACES, ...UNSEEN],
          isolate: false,
          ...PREPARED,
          ...COMPILED,
        },
      },
      {
        extends: true,
        test: {
          ...SHORT,
          name: 'faces',
          include: FACES,
          exclude: [...PURE, ...SOAK, ...UNSEEN],
          isolate: false,
          ...PREPARED,
          ...COMPILED,
        },
      },
      { extends: true, test: { ...SHORT, name: 'pure', include: PURE, isolate: false, ...COMPILED } },
      { extends: true, test: { ...SHORT, name: 'alone', include: ALONE, exclude: SOAK, ...PREPARED } },
      {
        extends: true,
        test: {
          ...LONG,
          name: 'soak',
          include: SOAK,
          exclude: [...STORIES, ...UNSEEN],
          isolate: false,
          ...PREPARED,
          ...COMPILED,
        },
      },
      {
        extends: true,
        test: {
          ...APART,
          name: 'stories',
          include: STORIES,
          exclude: UNSEEN,
          isolate: false,
          ...PREPARED,
          ...COMPILED,
        },
      },
    ],
    coverage: {
      reportOnFailure: true,
      provider: 'v8',
      include: ['schemas/**/*.{ts,tsx}', 'src/**/*.{ts,tsx}', 'workers/**/*.ts'],
      // It runs in a thread, which this provider does not see; open-thread.soak.test.ts covers it.
      exclude: ['src/thread/serve-tasks.ts'],
      reporter: ['text-summary'],
      thresholds: Object.fromEntries(ROOMS.map((room) => [`${room}/**`, LEAST])),
    },
  },
});
