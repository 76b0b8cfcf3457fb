/** Each feature of this build, a line each (src/features.ts). */
export { archive } from './features/archive/index.ts';
export { transfers } from './features/transfers/index.ts';
