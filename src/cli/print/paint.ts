import { styleText } from 'node:util';

/** Styles a text. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string) => string;

/** Returns how texts for a stream are styled: on a terminal with colors. `NO_COLOR` and `FORCE_COLOR` decide otherwise. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}
