import { BodyRefusal } from './take-upload.ts';

/** How many uploads are read at once, and how many may wait. */
type TurnLimits = {
  readonly atOnce: number;
  readonly atOnceOfPerson: number;
  readonly waiting: number;
  readonly waitingOfPerson: number;
};

/** Each upload takes memory for its rows, and all share one processor. One user gets half of it at most. */
export const UPLOAD_TURNS: TurnLimits = { atOnce: 4, atOnceOfPerson: 2, waiting: 20, waitingOfPerson: 5 };

type Turns = <Result>(person: string, work: () => Promise<Result>) => Promise<Result>;

type Waiting = { readonly person: string; begin(): void };

/**
 * Runs a limited number of tasks at once, and fewer of each user; later ones wait in order of arrival, but pass those
 * whose user has all their turns. A waiting upload is not read, so it costs nothing here.
 * @throws BodyRefusal BUSY when too many wait already
 */
export function openTurns({ atOnce, atOnceOfPerson, waiting: most, waitingOfPerson }: TurnLimits): Turns {
  const busy: string[] = [];
  const waiting: Waiting[] = [];
  const mayBegin = (person: string) => busy.length < atOnce && countOf(busy, person) < atOnceOfPerson;
  const take = (person: string) => void busy.push(person);
  const leave = (person: string) => {
    busy.splice(busy.indexOf(person), 1);
    const index = waiting.findIndex((next) => mayBegin(next.person));
    if (index < 0) return;
    const [next] = waiting.splice(index, 1);
    // Taken at once, so that a new caller cannot overtake it.
    take(next!.person);
    next!.begin();
  };
  return async (person, work) => {
    if (mayBegin(person)) take(person);
    else {
      const ofPerson = waiting.filter((other) => other.person === person).length;
      if (waiting.length >= most || ofPerson >= waitingOfPerson) throw tooBusy();
      await new Promise<void>((begin) => waiting.push({ person, begin }));
    }
    try {
      return await work();
    } finally {
      leave(person);
    }
  };
}

function countOf(people: readonly string[], person: string): number {
  return people.filter((one) => one === person).length;
}

function tooBusy(): BodyRefusal {
  return new BodyRefusal('BUSY', 'Too many files are being checked at the moment. Try again in half a minute.');
}
