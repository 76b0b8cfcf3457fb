import { type ColumnKind, COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { FIELDS, type FieldName } from '../../../schemas/fields.ts';

/** Returns the length limit of the field that a column carries. */
export function maxLengthOf(column: ColumnName): number {
  const row: { kind: ColumnKind; field?: FieldName } = COLUMNS[column];
  const field: { kind: string; maxLength?: number } | undefined = row.field && FIELDS[row.field];
  return field?.maxLength ?? Infinity;
}
