import { z } from 'zod';
import { Interval, Name, Patience, Secret } from '../../../schemas/config-parts.ts';
import type { SettingEffect } from '../../../schemas/setting-effects.ts';
import { type FeatureRows, lasting, stopped } from '../../../schemas/table-rows.ts';

const RemoteConfig = z
  .strictObject({
    host: z.string().min(1).describe('Name or address of the SFTP server'),
    port: z.int().min(1).max(65_535).default(22),
    user: z.string().min(1).describe('Name to log in with'),
    password: Secret.optional().describe('Password: env:NAME or file:PATH'),
    key: Secret.optional().describe('Private key in the form of OpenSSH: file:PATH or env:NAME'),
    passphrase: Secret.optional().describe('Passphrase of the private key: env:NAME or file:PATH'),
    hostKey: z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'it is not SHA256: and 43 characters, as "ssh-keygen -lf" prints it')
      .describe("Fingerprint of the server's key, SHA256:...; a server with another key is refused"),
    timeoutMs: Patience.default(20_000).describe('Longest wait for the log-in, and for any one answer, in ms'),
  })
  .refine(({ password, key }) => (password === undefined) !== (key === undefined), 'it needs a password or a key');

export type RemoteConfig = z.infer<typeof RemoteConfig>;

const PULLED: SettingEffect = {
  by: 'itself',
  drops: 'are fetched by the new value. A fetched file is known by its name, size and time, wherever it lay',
};

const REMOTE: SettingEffect = {
  by: 'restart',
  drops: 'are fetched with the new value',
  delivered: 'outputs that were not uploaded yet are uploaded with the new value',
};

const PUSHED: SettingEffect = {
  by: 'restart',
  delivered: 'outputs that were written before are not uploaded to the new place, and no longer to the former one',
};

/** What transfers by SFTP add to the tables. */
export const rows = {
  tables: new URL('./tables.sql', import.meta.url),
  settings: {
    remotes: z.record(Name, RemoteConfig).default({}).describe('SFTP servers by name'),
    push: z
      .array(
        z.strictObject({
          remote: z.string().describe('Name of one of the remotes'),
          path: z.string().min(1).describe('Folder there'),
          accounts: z.array(z.string()).optional().describe('Only outputs of these accounts; left out, of all'),
          marker: z.string().optional().describe('An empty file with this ending follows each, such as .done'),
        }),
      )
      .default([])
      .describe('Also uploads output files'),
  },
  folderSettings: {
    pull: z
      .strictObject({
        remote: z.string().describe('Name of one of the remotes'),
        path: z.string().min(1).describe('Folder there'),
        after: z
          .enum(['move', 'delete', 'keep'])
          .default('move')
          .describe('What happens there to a fetched file: moved into a folder, deleted, or left and remembered'),
        claimed: z.string().optional().describe('Folder there for moved files; default "claimed" in that folder'),
        everyMs: Interval.default(60_000).describe('How often the folder there is listed, in ms'),
      })
      .optional()
      .describe('Fetches files into this folder from an SFTP server; `complete` decides there as it does here'),
  },
  secrets: ['remotes.*.password', 'remotes.*.key', 'remotes.*.passphrase'],
  settingEffects: {
    'folders[].pull.remote': PULLED,
    'folders[].pull.path': PULLED,
    'folders[].pull.after': PULLED,
    'folders[].pull.claimed': PULLED,
    'folders[].pull.everyMs': PULLED,
    'remotes.*.host': REMOTE,
    'remotes.*.port': REMOTE,
    'remotes.*.user': REMOTE,
    'remotes.*.password': REMOTE,
    'remotes.*.key': REMOTE,
    'remotes.*.passphrase': REMOTE,
    'remotes.*.hostKey': REMOTE,
    'remotes.*.timeoutMs': REMOTE,
    'push[].remote': PUSHED,
    'push[].path': PUSHED,
    'push[].accounts': {
      by: 'restart',
      delivered: 'outputs of an added account are uploaded if they were written since the place was set up',
    },
    'push[].marker': { by: 'restart', note: 'Outputs that are uploaded from now on get the new marker.' },
  },
  alarms: {
    transfer: lasting('an SFTP server cannot be used; nothing is fetched or uploaded', 'paydrop doctor'),
  },
  errors: {
    REMOTE_UNREACHABLE: stopped(
      'the SFTP server cannot be reached',
      'Check name, port and network of the remote; paydrop retries automatically.',
    ),
    REMOTE_KEY: stopped(
      'the SFTP server presents another key than "hostKey" of the remote',
      'Ask its administrator for the fingerprint; change "hostKey" only after they confirm it.',
    ),
    REMOTE_LOGIN: stopped('the SFTP server refused the log-in', 'Check user, password or key of the remote.'),
    REMOTE_FAILED: stopped(
      'the SFTP server refused an operation',
      'Check the folder and its permissions there; paydrop retries automatically.',
    ),
  },
  duties: {
    pull: { role: 'watch', does: 'fetches files by SFTP', thing: 'folder', waitsFor: 'for files of its SFTP server' },
    push: { role: 'deliver', does: 'uploads output files', thing: 'output file', waitsFor: 'to be uploaded' },
  },
  work: {
    pull: {
      doing: 'fetch files from the SFTP server for folder',
      next: ['See the line SFTP servers of ', { run: 'doctor' }, '; the files stay on the server.'],
    },
    push: {
      doing: 'upload output files to',
      next: ['See the line SFTP servers of ', { run: 'doctor' }, '; the output files stay here.'],
    },
  },
  gauges: {
    paydrop_transfers_failing: { help: 'SFTP transfers of this process whose last try failed', labels: [] },
  },
  counters: {
    paydrop_transfers_total: {
      help: 'Tries to fetch from an SFTP server (pull) or upload to one (push), done or failed; with nothing to upload, done',
      labels: ['way', 'remote', 'result'],
    },
  },
} as const satisfies FeatureRows;
