import { ALARM_KINDS } from '../../schemas/alarms.ts';
import { code, page, table, withStop } from './markdown.ts';

export function renderAlarms(): string {
  return page(
    '# Alarms',
    'What paydrop tells by mail or webhook when `alarms` is in the configuration. A message says counts, totals and what to do next; nothing of a row and no name stands in it. [operating.md](../operating.md#alarms) says of each what it means.',
    table(
      ['Kind', 'Means', 'What to do', 'Told'],
      Object.entries(ALARM_KINDS).map(([kind, { means, next, lasts, asked }]) => [
        code(kind),
        withStop(means),
        next.startsWith('paydrop') ? code(next) : next,
        `${lasts ? 'Once while it lasts, and when it is over' : 'Once'}${asked ? '; only to those who list it in `kinds`' : ''}.`,
      ]),
    ),
  );
}
