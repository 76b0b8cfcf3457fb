import { dropToResult, overSandbox } from './drop-to-result.ts';
import type { Part } from './part.ts';
import { polling } from './polling.ts';
import { profile } from './profile.ts';
import { questions } from './questions.ts';
import { smallFiles } from './small-files.ts';
import { start } from './start.ts';
import { stations } from './stations.ts';
import { validate } from './validate.ts';

/** In the order in which they run and appear in the report. */
export const PARTS: readonly Part[] = [
  validate,
  stations,
  dropToResult,
  smallFiles,
  start,
  polling,
  questions,
  overSandbox,
  profile,
];

/** The parts that the guard compares. */
export const QUICK_PARTS: readonly Part[] = [validate, stations, dropToResult, smallFiles];
