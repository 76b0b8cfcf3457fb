/** Public API of `paydrop/sandbox`. Anything not exported here may change at any time. */
export { type Sandbox, type SandboxOptions, startSandbox } from './start-sandbox.ts';
export type { BankControls } from './time/step-by-hand.ts';
export type { HistoryOptions } from './history/plan-history.ts';
export type { BookRow } from './books/book-row.ts';
export type { Account } from './handlers/handler.ts';
export type { SandboxClock } from './sandbox-clock.ts';
export type { NotedCall } from './calls/note-call.ts';
export { readScript, type ScriptedCall } from './calls/play-script.ts';
export type { FaultPlan, Faults } from './faults/plan-faults.ts';
