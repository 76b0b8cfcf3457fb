/** The rows of each feature, a line each (schemas/features.ts puts them into the tables). */
export { rows as archive } from '../src/features/archive/rows.ts';
export { rows as transfers } from '../src/features/transfers/rows.ts';
