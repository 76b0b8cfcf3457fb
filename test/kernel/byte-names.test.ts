import { expect, it } from 'vitest';
import * as names from '../../src/kernel/byte-names.ts';

it('each name is that of its byte', () => {
  const { LF, CR, SPACE, QUOTE, APOSTROPHE, STAR, COMMA, MINUS, POINT, SLASH, ZERO, NINE } = names;
  const bytes = [LF, CR, SPACE, QUOTE, APOSTROPHE, STAR, COMMA, MINUS, POINT, SLASH, ZERO, NINE];
  expect(Buffer.from(bytes).toString()).toBe('\n\r "\'*,-./09');
  expect(Object.keys(names)).toHaveLength(bytes.length);
});
