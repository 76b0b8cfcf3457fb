import { listQuarantine } from '../../files/claims/quarantine-drop.ts';
import { type Check, type Finding, ok, warn } from './check.ts';

const SHOWN = 20;

/** Lists quarantined drops; their senders may be waiting for a result. */
export const quarantine: Check = {
  name: 'Quarantine',
  needs: 'nothing',
  async look({ settings }) {
    const root = settings.paths.quarantine;
    const found = await listQuarantine(root);
    if (found.length === 0) return [ok('nothing lies in it')];
    const shown = found.slice(0, SHOWN).map(describeDrop);
    return found.length > SHOWN ? [...shown, warn(`and ${found.length - SHOWN} more in "${root}"`, DEAL_WITH)] : shown;
  },
};

function describeDrop({ id, reason }: Awaited<ReturnType<typeof listQuarantine>>[number]): Finding {
  if (!reason) return warn(`${id}: its reason.json cannot be read`, DEAL_WITH);
  const { code, name, from, at, mend } = reason;
  return warn(`${id}: "${name}" from ${from} since ${at}: ${code}`, `${mend} ${DEAL_WITH}`);
}

const DEAL_WITH = 'Tell the sender; remove its folder in quarantine when that is done.';
