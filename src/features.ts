import type { Feature } from './feature.ts';
import * as list from './feature-list.ts';

/** The features of this build by their names, a folder of `src/features` each. */
export const FEATURES: readonly Feature[] = Object.values(list);
