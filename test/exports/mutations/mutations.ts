import { AMOUNT_MUTATIONS } from './amount-mutations.ts';
import { CELL_MUTATIONS } from './cell-mutations.ts';
import { COLUMN_MUTATIONS } from './column-mutations.ts';
import type { Mutation } from './mutation.ts';
import { ROW_MUTATIONS } from './row-mutations.ts';
import { TITLE_MUTATIONS } from './title-mutations.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...TITLE_MUTATIONS,
  ...COLUMN_MUTATIONS,
  ...AMOUNT_MUTATIONS,
  ...ROW_MUTATIONS,
  ...CELL_MUTATIONS,
];
