import { FIELDS } from '../../schemas/fields.ts';
import { code, codes, page, table } from './markdown.ts';

const FIELD_ROWS = Object.entries(FIELDS);

export function renderFields(): string {
  return page(
    '# Fields',
    'Every named field of the service. The specification states no lengths; those given here, in characters, come from public clients and are our assumption. A *secret* is never shown, logged or stored in the clear.',
    table(
      ['Field', 'Kind', 'Longest', 'Values', 'Secret', 'Meaning'],
      FIELD_ROWS.map(([name, field]) => [
        code(name),
        field.kind,
        'maxLength' in field ? String(field.maxLength) : '',
        'values' in field ? codes(field.values) : '',
        'secret' in field ? 'yes' : '',
        field.about,
      ]),
    ),
  );
}
