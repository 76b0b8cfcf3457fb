import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { TestRunner } from 'vitest';

/** How often this process says that it is not blocked. */
const BEAT_MS = 1_000;

/** The process takes one file after another, each with a runner of its own. */
let watchdog;

function startWatchdog() {
  // A debugger blocks the process at each breakpoint.
  const limitS = debuggerUrl() === undefined ? Number(process.env['PAYDROP_TEST_BLOCKED_S'] ?? 300) : Infinity;
  const thread = new Worker(new URL('end-blocked-run.mjs', import.meta.url), {
    workerData: { beatMs: BEAT_MS, limitS },
  });
  thread.unref();
  setInterval(() => thread.postMessage({}, []), BEAT_MS).unref();
  return thread;
}

/**
 * Ends a process that an endless loop blocks, and says in which test. Time limits of tests are timers, which do not fire
 * in such a process.
 */
export default class extends TestRunner {
  constructor(config) {
    super(config);
    watchdog ??= startWatchdog();
  }

  importFile(path, source) {
    watchdog.postMessage({ work: path }, []);
    return super.importFile(path, source);
  }

  async onBeforeRunSuite(suite) {
    watchdog.postMessage({ work: suite.fullName }, []);
    await super.onBeforeRunSuite(suite);
  }

  onBeforeTryTask(test, options) {
    watchdog.postMessage({ work: test.fullName }, []);
    return super.onBeforeTryTask(test, options);
  }
}
