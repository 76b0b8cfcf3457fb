import type { App } from '../../../src/app.ts';
import type { AlarmTarget } from '../../../src/config/config.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../support/pipeline-world.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

export type AlarmWorld = PipelineWorld & {
  mail: MailServer;
  hook: Receiver;
  /** Returns the world's app, which sends alarms of these kinds, or the default ones, to both targets. */
  watched(kinds?: AlarmTarget['kinds']): App;
  /** What the webhook received, as `event kind`. */
  told(): string[];
};

/** Opens a pipeline world with a mail server and a webhook on the loopback. */
export async function openAlarmWorld(options: WorldOptions = {}): Promise<AlarmWorld> {
  const world = await openPipelineWorld(options);
  const [mail, hook] = await Promise.all([startMailServer(), startReceiver()]);
  return {
    ...world,
    mail,
    hook,
    watched: (kinds) => {
      const wish = kinds ? { kinds } : {};
      const alarms: AlarmTarget[] = [
        { by: 'mail', smtpUrl: mail.url, from: 'paydrop@example.test', to: ['ann@example.test'], ...wish },
        { by: 'webhook', url: hook.url, secret: 'the key', ...wish },
      ];
      return { ...world.app, settings: { ...world.settings, alarms } };
    },
    told: () =>
      hook.received.flatMap(({ body }) => {
        const { alarms } = JSON.parse(body.toString()) as { alarms: { event: string; kind: string }[] };
        return alarms.map(({ event, kind }) => `${event} ${kind}`);
      }),
    close: async () => {
      await Promise.all([mail.close(), hook.close()]);
      await world.close();
    },
  };
}
