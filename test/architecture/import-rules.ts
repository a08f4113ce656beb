/**
 * What the files of a folder may import beside files of the same folder: folders of the repository, packages, and
 * built-in modules (`node:` is any of them). A folder that is named here is not ruled by the one that it lies in. The
 * folders of the gateway are ruled by their layers alone.
 */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  contracts: ['zod'],

  shared: ['node:async_hooks', 'node:crypto', 'node:url'],
  'shared/processes': ['node:child_process', 'node:fs/promises', 'node:util'],

  'db/client': ['shared', 'drizzle-orm', 'postgres'],
  db: ['db/migrate', 'shared', 'quick-lru', 'uuid', 'node:crypto'],
  'db/migrate': [
    'db/client',
    'shared',
    'drizzle-orm',
    'postgres',
    'node:fs',
    'node:url',
    'node:timers/promises',
  ],
  'db/schema': ['drizzle-orm'],
  'db/queries': ['db/client', 'db', 'db/schema', 'shared', 'drizzle-orm'],
  'db/embedded': ['shared', 'postgres', 'node:'],

  'native-routes': ['contracts', 'db', 'db/client', 'db/queries', 'shared', 'zod'],

  'proxy/headers': ['shared', 'ipaddr.js', 'quick-lru'],
  proxy: ['proxy/headers', 'shared'],
  'proxy/node-streams': ['undici', 'node:http', 'node:net', 'node:stream', 'node:diagnostics_channel'],
  'proxy/undici': [
    'proxy',
    'proxy/headers',
    'proxy/node-streams',
    'shared',
    'undici',
    'node:http',
    'node:https',
    'node:net',
    'node:stream',
  ],
  'proxy/fetch': ['proxy', 'proxy/headers'],

  jobs: [
    'db',
    'db/client',
    'db/queries',
    'native-routes/ports.ts',
    'shared',
    'shared/processes',
    '@audio/decode-wav',
    'file-type',
    'image-size',
    'music-metadata',
    'strtok3',
    'pg-boss',
    'node:',
  ],

  'migration/model': ['contracts', 'shared', 'zod', 'node:crypto'],
  'migration/live/comparison': ['contracts', 'migration/parity/diff'],
  migration: [
    'contracts',
    'migration/live/comparison',
    'migration/model',
    'shared',
    'crossfade:build',
    'es-module-lexer',
    'hono',
    'zod',
    'node:',
  ],

  // The client depends on what the API description says, and on nothing else of the service.
  'packages/client': ['openapi-fetch'],
  'packages/client/scripts': ['esbuild', 'openapi-typescript', 'node:'],

  sandbox: [
    'db/client/database-tls.ts',
    'db/library-name-key.ts',
    'db/hashes.ts',
    'shared',
    'shared/processes',
    '@20minutes',
    '@audio/decode-wav',
    'aws4fetch',
    '@hono/node-server',
    'fastify',
    'fft.js',
    'hono',
    'jose',
    'music-tempo',
    'postgres',
    'uuid',
    'zod',
    'node:',
  ],
}

/** The folders outside of which nothing imports a package or a module of a platform. */
export const homesOf: Readonly<Record<string, readonly string[]>> = {
  '@opentelemetry': ['gateway/adapters'],
  '@redis/client': ['gateway/adapters'],
  'eventsource-parser': ['gateway/adapters'],
  pino: ['gateway/adapters'],
  'prom-client': ['gateway/adapters'],
  stripe: ['gateway/adapters'],
  aws4fetch: ['gateway/adapters', 'sandbox'],
  jose: ['gateway/pipeline', 'sandbox'],
  'pg-boss': ['jobs'],
  'drizzle-orm': ['db'],
  postgres: ['db', 'sandbox'],
  undici: ['gateway/adapters', 'proxy'],
  'node:http': ['gateway/node', 'proxy', 'sandbox'],
  'cloudflare:workers': ['gateway/workers'],
}
