import { describe, expect, it } from 'vitest';
import { renderProfile } from '../../../bench/report/render-profile.ts';
import { measured } from '../support/measured.ts';

const profile = (condition: string, figures: Record<string, number>) =>
  measured(
    { part: 'profile', condition, rows: 1_000 },
    [1],
    Object.fromEntries(Object.entries(figures).map(([name, ms]) => [name, [ms]])),
  );

const rowsOf = (page: readonly string[]) => page.filter((line) => line.startsWith('|')).slice(2);

describe('renderProfile', () => {
  it('tells each owner beside the others, those who take most first, and what was no JavaScript', () => {
    const page = renderProfile([
      measured({ part: 'stations' }, [1], { 'src/web allMs': [9_000] }),
      profile('checking', { 'src/csv allMs': 500, 'src/csv nativeMs': 200, 'pg allMs': 100, 'pg nativeMs': 2 }),
      profile('small files', { 'pg allMs': 2_000, 'pg nativeMs': 1_500, 'Node and V8 allMs': 1_000 }),
    ]);
    expect(page).toContain('| For | checking, 1,000 rows | small files, 1,000 rows |');
    expect(rowsOf(page)).toEqual([
      '| `pg` | 0.10 | 2.00 (1.50) |',
      '| Node and V8 |  | 1.00 |',
      '| `src/csv` | 0.50 (0.20) |  |',
      '| all of it | 0.6 | 3 |',
    ]);
  });

  it('passes over those who take next to nothing anywhere, and counts them into the whole', () => {
    const page = renderProfile([profile('checking', { 'src/csv allMs': 990, 'zod allMs': 10 })]);
    expect(rowsOf(page)).toEqual(['| `src/csv` | 0.99 |', '| all of it | 1 |']);
  });

  it('says that there is no profile', () => {
    expect(renderProfile([])).toContain('Not measured in this run.');
  });
});
