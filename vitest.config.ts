import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globals: false,
    // Tests open sockets, child processes and a database, which a worker thread would share with its neighbours.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    // The first use of the embedded PostgreSQL creates its data folder.
    hookTimeout: 60_000,
    reporters: ['default'],
    coverage: { provider: 'v8', include: ['schemas/**/*.ts', 'src/**/*.ts', 'workers/**/*.ts'] },
  },
});
