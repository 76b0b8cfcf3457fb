import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { evidenceFacts } from '../../src/actions/evidence-facts.ts';

describe('evidenceFacts', () => {
  it.each([
    [{ evidence: 'Ann, ticket 4711', waitMs: 86_400_000 }, [['Evidence', 'Ann, ticket 4711']]],
    [{ batchId: '1002', rows: 2 }, [['Batch id that matches', '1002']]],
    [{ sha256: 'a'.repeat(64) }, [['SHA-256 of the report', 'aaaaaaaaaaaa…']]],
    [{ overrides: ['SAME_ROWS'] }, [['Held because', `SAME_ROWS (${ERRORS.SAME_ROWS.means})`]]],
    [{ overrides: ['OF_OLD'] }, [['Held because', 'OF_OLD (not known any more)']]],
    [{ overrides: [] }, []],
    [{ evidence: 7, batchId: null, unknown: 'x' }, []],
  ])('of %j are %j', (evidence, facts) => {
    expect(evidenceFacts(evidence)).toEqual(facts);
  });
});
