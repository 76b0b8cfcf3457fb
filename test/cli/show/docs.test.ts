import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/cli/package-version.ts';
import { forTerminal } from '../../../src/cli/show/docs.ts';
import { CARD } from '../../support/payment-rows.ts';
import { expecting, runHere } from '../support/run-here.ts';

const { says, refusal } = expecting((...words) => runHere(words));
const DOCS = join(packageRoot(), 'docs');

describe('docs', () => {
  it('lists every page with its title, and the decisions as one', async () => {
    const out = await says('docs');
    for (const folder of ['', 'reference'])
      for (const name of readdirSync(join(DOCS, folder)).filter((one) => one.endsWith('.md')))
        expect(out).toMatch(new RegExp(`^${name.slice(0, -3)} +\\S`, 'm'));
    expect(out).toMatch(/^decisions +Decisions$/m);
    expect(out).not.toContain('money-is-integer-cents');
    expect(JSON.parse(await says('docs', '--json'))).toContainEqual({ topic: 'security', title: 'Security' });
  });

  it.each([
    ['operating', 'operating.md'],
    ['errors', 'reference/errors.md'],
    ['reference/errors.md', 'reference/errors.md'],
    ['Sandbox', 'sandbox.md'],
    ['decisions', 'decisions/README.md'],
    ['money-is-integer-cents', 'decisions/money-is-integer-cents.md'],
  ])('%s prints %s as it is where there is no terminal', async (topic, path) => {
    expect(await says('docs', topic)).toBe(`${readFileSync(join(DOCS, path), 'utf8')}\n`);
  });

  it('guesses what was meant, and quotes no number', async () => {
    expect(await refusal('docs', 'operatng')).toContain('(did you mean "operating"?). "paydrop docs" lists all.');
    expect(await refusal('docs', CARD)).not.toContain(CARD);
  });
});

it('forTerminal shows headings in bold and links as texts, and leaves code alone', () => {
  const text = '# One\n\nSee [a\npage](b.md#c), ![x](y.svg).\n\n```sh\n# a comment [x](y)\n```\n\n## Two\n';
  const shown = forTerminal(text, (style, words) => `<${style}>${words}</>`);
  expect(shown).toBe('<bold>One</>\n\nSee a\npage, x.\n\n```sh\n# a comment [x](y)\n```\n\n<bold>Two</>\n');
});
