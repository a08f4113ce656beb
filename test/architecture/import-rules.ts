/**
 * What a part's files may import besides each other. `packages` includes Node's modules; `node:` allows all of those.
 */
interface Part {
  readonly parts: readonly string[]
  /** Null if only `homesOf` restricts the packages. */
  readonly packages: readonly string[] | null
}

const service = ['contracts', 'db', 'native-routes', 'shared']
const gateway = [...service, 'migration/model', 'proxy']
const control = [...gateway, 'gateway']

/** The parts of the source tree. A file follows the rules of the most specific part that contains it. */
export const parts: Readonly<Record<string, Part>> = {
  shared: { parts: [], packages: ['node:'] },
  contracts: { parts: [], packages: ['zod'] },
  db: { parts: ['shared'], packages: ['drizzle-orm', 'postgres', 'quick-lru', 'uuid', 'node:'] },
  // Forwarding knows nothing about routes, sides or accounts.
  proxy: { parts: ['shared'], packages: ['ipaddr.js', 'quick-lru', 'undici', 'node:'] },
  'native-routes': { parts: ['contracts', 'db', 'shared'], packages: ['zod'] },
  'migration/model': { parts: ['contracts', 'shared'], packages: ['zod', 'node:crypto'] },
  jobs: {
    parts: ['contracts', 'db', 'native-routes', 'shared'],
    packages: [
      '@audio/decode-wav',
      'file-type',
      'image-size',
      'ipaddr.js',
      'music-metadata',
      'pg-boss',
      'strtok3',
      'undici',
      'zod',
      'node:',
    ],
  },
  gateway: { parts: gateway, packages: null },
  migration: { parts: control, packages: null },
  bin: { parts: [...control, 'jobs', 'migration', 'scripts'], packages: null },
  // The client depends on nothing in the service except the API description.
  'packages/client': { parts: [], packages: ['openapi-fetch'] },
  'packages/client/scripts': { parts: [], packages: ['esbuild', 'openapi-typescript', 'node:'] },
}

/** Parts whose folders are ordered. A folder may import nothing from the folders in later groups. */
export const orderedFolders: Readonly<Record<string, readonly (readonly string[])[]>> = {
  db: [['db/client', 'db/schema'], ['db/migrate'], ['db'], ['db/queries']],
  proxy: [['proxy/headers'], ['proxy'], ['proxy/node-streams'], ['proxy/undici', 'proxy/fetch']],
  gateway: [
    ['gateway/edge'],
    ['gateway/request'],
    ['gateway/observability'],
    ['gateway/settings'],
    ['gateway/adapters', 'gateway/rate-limits'],
    ['gateway/pipeline'],
    ['gateway/openapi'],
    ['gateway/pages'],
    ['gateway/app'],
    ['gateway/node', 'gateway/workers'],
  ],
  migration: [
    ['migration/diff'],
    ['migration/evidence-keys', 'migration/parity', 'migration/shadow'],
    ['migration/control'],
    ['migration/live', 'migration/api'],
    ['migration/console', 'migration/cli'],
    ['migration/node-control.ts', 'migration/workers-control.ts'],
  ],
}

/** Packages and platform modules that production code may import only in these folders. */
export const homesOf: Readonly<Record<string, readonly string[]>> = {
  '@opentelemetry': ['gateway/observability'],
  '@redis/client': ['gateway/rate-limits'],
  'eventsource-parser': ['gateway/adapters'],
  pino: ['gateway/observability'],
  'prom-client': ['gateway/observability'],
  stripe: ['gateway/adapters'],
  aws4fetch: ['gateway/adapters'],
  jose: ['gateway/node', 'gateway/pipeline'],
  'pg-boss': ['jobs'],
  'drizzle-orm': ['db'],
  postgres: ['db'],
  undici: ['jobs/adapters', 'proxy'],
  yaml: ['migration/cli'],
  'node:http': ['gateway/node', 'proxy'],
  'cloudflare:workers': ['gateway/workers', 'migration/workers-control.ts'],
}
