import type { FaultCode } from '../../../schemas/errors.ts';

/** Says what is wrong with the cell at hand. `detail` never holds the cell. */
export type Report = (code: FaultCode, detail?: string) => void;

/**
 * Checks one cell, trimmed and not empty.
 * @returns the form that is sent, or an empty text after a fault that leaves none
 */
export type CellRule = (cell: string, report: Report) => string;
