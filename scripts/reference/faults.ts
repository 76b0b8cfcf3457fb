import { FAULT_KINDS } from '../../src/sandbox/faults/fault-kinds.ts';
import type { FaultKind } from '../../src/sandbox/faults/fault-kind.ts';
import { code, table } from './markdown.ts';

/** Renders the fault kinds as docs/sandbox.md shows them. */
export function renderFaults(): string {
  const kinds: readonly (readonly [string, FaultKind])[] = Object.entries(FAULT_KINDS);
  return table(
    ['Kind', 'What happens', 'Booked', 'Strikes'],
    kinds.map(([name, kind]) => [code(name), kind.about, kind.books === 'before' ? 'yes' : 'no', placeOf(kind)]),
  );
}

/** Replaces everything between the marks of the page with the current table of faults. */
export function renewFaults(text: string): string {
  const [before, , after] = text.split(MARK);
  if (before === undefined || after === undefined) throw new Error('docs/sandbox.md has lost the marks of its table');
  return [before, `\n\n${renderFaults()}\n\n`, after].join(MARK);
}

const MARK = '<!-- Table of src/sandbox/faults/fault-kinds.ts, written by "npm run docs" -->';

function placeOf(kind: FaultKind): string {
  switch (kind.strikes) {
    case 'planned':
      return `at once, for ${code('delayMs')} (${kind.delayMs} ms)`;
    case 'accept':
    case 'first-byte':
      return 'any connection';
    case 'head':
    case 'half-body':
      return 'any call, by its headers';
    case 'request':
      return 'any call';
    case 'answer':
      return placeOfAnswer(kind);
  }
}

function placeOfAnswer({ needs, delayMs }: { needs?: string; delayMs?: number }): string {
  if (needs === 'result-file') return 'a result file';
  if (needs === 'earlier-batch') return 'a batch after the first';
  return delayMs === undefined ? 'any call' : `any call; ${code('delayMs')} is ${delayMs} when left out`;
}
