import type { Sample } from '../measure/record.ts';
import { type Service, startService } from '../service/start-service.ts';
import { type Installation, makeInstallation } from '../world/installation.ts';
import type { Bench } from './part.ts';

/**
 * A service that is new, so that it has no more to remember than this run. What it did goes into the sample.
 * @param program the stand-in unless said otherwise
 */
export async function withService(
  { programs }: Bench,
  work: (service: Service) => Promise<Sample>,
  program = 'programs/serve-lean',
): Promise<Sample> {
  const service = await startService(programs.of(program));
  try {
    const sample = await work(service);
    const { busySeconds, rows = 0, batches = 0 } = await service.figures();
    const figures = { ...sample.figures, serviceBusySeconds: busySeconds, resultRows: rows, batches };
    return { ...sample, figures };
  } finally {
    await service.stop();
  }
}

/** A place where paydrop has never run, gone when the work is done. */
export async function withInstallation<Result>(
  options: Parameters<typeof makeInstallation>[0],
  work: (place: Installation) => Promise<Result>,
): Promise<Result> {
  const place = await makeInstallation(options);
  try {
    return await work(place);
  } finally {
    await place.remove();
  }
}
