import { describe, expect, it } from 'vitest';
import { encodeLines, EXAMPLE_FILES, EXAMPLE_NAMES, exampleProfile } from './support/example-files.ts';
import { judge } from './support/read-example.ts';

describe.each(EXAMPLE_NAMES)('the file of %s', (name) => {
  const { lines } = EXAMPLE_FILES[name];
  const profile = exampleProfile(name);

  it('becomes the file that a person would write in the layout, line by line', async () => {
    const { made, codes, verdict } = await judge(
      name,
      profile,
      encodeLines(
        lines.map(([sender]) => sender),
        profile,
      ),
    );
    expect(made).toBe(lines.map(([, layout]) => `${layout}\n`).join(''));
    expect(codes.filter((code) => code !== 'PROFILE_SKIPPED')).toEqual([]);
    expect(verdict).toBe('T');
  });
});
