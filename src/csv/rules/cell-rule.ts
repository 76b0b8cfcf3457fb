import type { FaultCode } from '../../../schemas/errors.ts';

/** Reports a fault of the current cell. `detail` never holds the cell. */
export type Report = (code: FaultCode, detail?: string) => void;

/**
 * Checks one cell, trimmed and not empty.
 * @returns the form to send, or an empty text after a fault that leaves none
 */
export type CellRule = (cell: string, report: Report) => string;
