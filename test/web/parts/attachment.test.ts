import { expect, it } from 'vitest';
import { attachmentOf } from '../../../src/web/pages/files/file-outputs.tsx';

it.each([
  ['monday.csv', `attachment; filename="monday.csv"; filename*=UTF-8''monday.csv`],
  ['a "b" \\c%.csv', `attachment; filename="a _b_ _c_.csv"; filename*=UTF-8''a%20%22b%22%20%5Cc%25.csv`],
  ['Löhne.csv', `attachment; filename="L_hne.csv"; filename*=UTF-8''L%C3%B6hne.csv`],
  [`it's (1)*.csv`, `attachment; filename="it's (1)*.csv"; filename*=UTF-8''it%27s%20%281%29%2A.csv`],
  ['a\r\nset-cookie: x', `attachment; filename="a__set-cookie: x"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x`],
  ['half \ud800.csv', `attachment; filename="half _.csv"; filename*=UTF-8''half%20_.csv`],
])('attachmentOf writes the name %j so that no header breaks', (name, header) => {
  expect(attachmentOf(name)).toBe(header);
  expect(() => new Headers({ 'content-disposition': header })).not.toThrow();
});
