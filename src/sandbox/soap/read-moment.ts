/**
 * Reads an XML Schema dateTime, or a bare date, which ASP.NET takes as its midnight. Assumption: without an offset it
 * is UTC.
 * @returns undefined when the text is neither, or names a day or an hour that does not exist
 */
export function readMoment(text: string): Date | undefined {
  const found = MOMENT.exec(text.trim());
  if (!found) return undefined;
  const [, day = '', time = 'T00:00:00', fraction = '', offset = 'Z'] = found;
  const unshifted = new Date(`${day}${time}Z`);
  // JavaScript rolls February 30 over into March.
  if (Number.isNaN(unshifted.getTime()) || unshifted.toISOString().slice(0, 10) !== day) return undefined;
  const moment = new Date(`${day}${time}${fraction.slice(0, 4)}${offset}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;
