import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import WatchedRunner from './run-watched.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = process.env['PAYDROP_TEST_PROGRAM'];

/**
 * Runs test files as they were compiled for the run: Node loads a compiled tree in a tenth of the time. A run of pure
 * tests alone compiles nothing.
 */
export default class extends WatchedRunner {
  importFile(path, source) {
    if (source !== 'collect' || PROGRAM === undefined) return super.importFile(path, source);
    // Node takes a linked folder that it has seen before for a plain one while the last thing asked of the disk was a pipe or
    // a socket (nodejs/node, lib/fs.js, realpathSync), and would load packages a second time.
    statSync(PROGRAM);
    return import(pathToFileURL(`${PROGRAM}/dist/${relative(ROOT, path).replace(/\.ts$/, '.js')}`).href);
  }
}
