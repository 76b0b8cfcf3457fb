import { type ColumnName, COLUMNS, columnsOf, type LayoutName, LAYOUTS } from '../../schemas/layouts.ts';
import { FIELDS } from '../../schemas/fields.ts';
import { code, codes, page, sentence, table } from './markdown.ts';

const NAMES = Object.keys(LAYOUTS) as LayoutName[];

export function renderLayouts(): string {
  return page(
    '# Layouts',
    'The layouts of batch files. The operation of the folder and the number of columns select exactly one of them, so the layout is never guessed from the cells.',
    overview(),
    'In a free text column commas, quotes and line ends are replaced by a space, because the service splits rows on plain commas; in any other column they make the row invalid. Lengths are in characters.',
    ...NAMES.flatMap((name) => [`## ${name}`, sentence(LAYOUTS[name].title), describeColumns(name)]),
  );
}

function overview(): string {
  return table(
    ['Layout', 'Folders', 'Columns', 'Clients', 'Meant for'],
    NAMES.map((name) => {
      const layout = LAYOUTS[name];
      return [
        `[${name}](#${name})`,
        codes(layout.operations),
        String(layout.columns.length),
        'countries' in layout ? layout.countries.join(', ') : 'all',
        layout.title,
      ];
    }),
  );
}

function describeColumns(name: LayoutName): string {
  return table(
    ['#', 'Column', 'Kind', 'Required', 'Longest', 'Free text', 'Field of the service'],
    columnsOf(name).map((columnName, index) => {
      const column = COLUMNS[columnName];
      return [
        String(index + 1),
        column.title,
        column.kind,
        column.required ? 'yes' : '',
        longestOf(columnName),
        column.freeText ? 'yes' : '',
        'field' in column ? code(column.field) : '',
      ];
    }),
  );
}

function longestOf(columnName: ColumnName): string {
  const column = COLUMNS[columnName];
  const field = 'field' in column ? FIELDS[column.field] : undefined;
  return field && 'maxLength' in field ? String(field.maxLength) : '';
}
