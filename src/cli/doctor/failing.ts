import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { bad, type Check, ok } from './check.ts';

/** Work that fails repeatedly or is never picked up. Quarantined drops have their own check. */
export const failing: Check = {
  name: 'Work',
  needs: 'ledger',
  async look({ ledger, settings }) {
    const obstacles = (await readObstacles(ledger, settings)).filter(({ key }) => key !== 'quarantine');
    if (obstacles.length === 0) return [ok('nothing fails again and again')];
    return obstacles.map(({ what, why, next }) => bad(`${what}: ${why}`, next));
  },
};
