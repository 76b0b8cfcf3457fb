import { styleText } from 'node:util';

/** Styles a text, such as `red` or `bold`. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Returns how texts for a stream are styled: on a terminal with colors. `NO_COLOR` and `FORCE_COLOR` decide otherwise. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}
