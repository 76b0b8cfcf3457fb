import type { Profile } from '../../../schemas/profiles.ts';
import type { RawLines } from '../read/read-raw-lines.ts';
import { type ProfileContext, type ProfileLine, readProfileLines } from './read-profile.ts';

/**
 * Reads the payments of a file again, in file order and with the line numbers of the check, as `readRawLines` does for
 * a file in a layout of its own. The cells are those of the layout.
 */
export async function* readMadeLines(
  source: AsyncIterable<Uint8Array>,
  profile: Profile,
  context: ProfileContext,
): AsyncGenerator<RawLines> {
  for await (const lines of readProfileLines(source, profile, context)) yield linesOf(lines, false);
  yield linesOf([], true);
}

function linesOf(group: readonly ProfileLine[], isLast: boolean): RawLines {
  const payments = group.filter(({ made }) => made !== undefined);
  const nowhere = payments.map(() => 0);
  return {
    bytes: NO_BYTES,
    lines: payments.map(({ line }) => line),
    starts: nowhere,
    ends: nowhere,
    cells: new Map(payments.map(({ made }, place) => [place, made!])),
    sender: new Map(payments.map(({ cells }, place) => [place, cells])),
    misread: new Map(payments.flatMap(({ misread }, place) => (misread ? [[place, misread]] : []))),
    isLast,
  };
}

const NO_BYTES = Buffer.alloc(0);
