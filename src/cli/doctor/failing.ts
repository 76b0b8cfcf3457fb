import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { bad, type Check, ok } from './check.ts';

/** What does not go on: work that fails again and again, and what nobody takes up. Drops in quarantine have a line of their own. */
export const failing: Check = {
  name: 'Work',
  needs: 'ledger',
  async look({ ledger, settings }) {
    const obstacles = (await readObstacles(ledger, settings)).filter(({ key }) => key !== 'quarantine');
    if (obstacles.length === 0) return [ok('nothing fails again and again')];
    return obstacles.map(({ what, why, next }) => bad(`${what}: ${why}`, next));
  },
};
