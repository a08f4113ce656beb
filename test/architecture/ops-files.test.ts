import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveServers } from '#db/client/database-tls.ts'
import { productionOptions } from '#dev/bench/gateway-process.ts'
import { nodePrograms } from '#dev/tools/bundle/node-programs.ts'
import { Environment } from '#gateway/settings/settings.ts'
import { root } from './source-files.ts'

const files = [
  'Dockerfile',
  'compose.yaml',
  'ops/compose/env.example',
  'ops/kubernetes/base/gateway.yaml',
  'ops/kubernetes/base/jobs.yaml',
  'ops/kubernetes/base/migrate.yaml',
  'ops/kubernetes/overlays/production/settings.env',
  'ops/kubernetes/overlays/staging/settings.env',
  'ops/systemd/crossfade@.service',
  'ops/systemd/crossfade-jobs.service',
]
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The variables that a file sets for programs of the project: at the start of a line, as a key, or as `- name:`. */
const listVariables = (text: string) =>
  [...text.matchAll(/^\s*(?:- name: |ENV )?([A-Z][A-Z0-9_]{2,})(?:[:=]|$| (?=[A-Z_]+=))/gm)].map(
    ([, name = '']) => name,
  )

// They belong to the services that stand in for those of a cloud.
const ofOtherServices =
  /^(?:POSTGRES_|MINIO_|DB_|STORAGE_PASSWORD$|PASSWORD$|AUTH_TYPE$|POOL_MODE$|LISTEN_PORT$|MAX_CLIENT_CONN$|DEFAULT_POOL_SIZE$|MAX_PREPARED_STATEMENTS$)/

// Instructions of the Dockerfile.
const instructions = /^(?:FROM|RUN|COPY|USER|WORKDIR|EXPOSE|HEALTHCHECK|CMD|ENV)$/

describe.each(files)('%s', (file) => {
  it('sets no variable that is no setting', () => {
    const unknown = listVariables(read(file)).filter(
      (name) => !(name in Environment.shape) && !ofOtherServices.test(name) && !instructions.test(name),
    )
    expect(unknown).toEqual([])
  })

  it('starts no program that the bundle lacks', () => {
    const started = [...read(file).matchAll(/\/(?:app|opt\/crossfade)\/([\w-]+)\.mjs/g)].map(
      ([, name]) => name,
    )
    expect(started.filter((name = '') => !(name in nodePrograms))).toEqual([])
  })
})

it('the gateway starts with the same options of Node everywhere', () => {
  const starts = ['Dockerfile', 'ops/systemd/crossfade@.service', 'ops/prove-image.sh', 'package.json']
    .concat('docs/deployment.md', 'docs/operations.md')
    .flatMap((file) => read(file).split('\n'))
    .filter((line) => /^(?!.*`).*\bnode\b.*server\.(?:mjs|ts)/.test(line))
  expect(starts).toHaveLength(7)
  for (const start of starts) for (const option of productionOptions) expect(start).toContain(option)
})

// None of its services has a certificate, and a gateway that expects one does not start.
it('compose.yaml reaches its databases without TLS', () => {
  const urls = [...read('compose.yaml').matchAll(/postgres:\/\/.+$/gm)].map(([url]) =>
    url.replace(/\$\{[^}]*\}/g, 'password'),
  )
  expect(urls).toHaveLength(3)
  for (const url of urls) expect(resolveServers(url, undefined)).toMatchObject([{ ssl: false }])
})

it('compose.yaml publishes its store at the address that is signed for clients', () => {
  const endpoint = /^STORAGE_ENDPOINT=(.+)$/m.exec(read('ops/compose/env.example'))?.[1] ?? ''
  const { hostname, port } = new URL(endpoint)
  const compose = read('compose.yaml')
  expect(compose).toMatch(/^ +STORAGE_ENDPOINT: \$\{STORAGE_ENDPOINT:/m)
  expect(compose).toContain(`ports: ['127.0.0.1:${port}:${port}']`)
  expect(compose).toContain(`aliases: [${hostname}]`)
})

it('the image and version managers have the Node of the npm scripts', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'))
  const ofScripts = Object.entries(optionalDependencies).flatMap(([name, version]) =>
    /^node-(?:bin-)?(?:linux|darwin|win)-/.test(name) ? [version] : [],
  )
  const ofImages = [...read('Dockerfile').matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version)
  expect(ofImages).toHaveLength(2)
  expect(new Set([...ofScripts, ...ofImages, read('.nvmrc').trim()]).size).toBe(1)
})

it('compose.yaml sets the settings that production requires', () => {
  const required = Object.entries(Environment.shape)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => name)
  const compose = `${read('compose.yaml')}\n${read('ops/compose/env.example')}`
  expect(required.length).toBeGreaterThan(5)
  expect(required.filter((name) => !compose.includes(name))).toEqual([])
})
