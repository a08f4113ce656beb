import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { buildWorkerBundle, type WorkerBundle } from '#gateway/start/worker/build-worker-bundle.ts'
import { closureOfRoute, handlerFileOf } from '#migration/evidence/evidence-key.ts'
import { createImportGraph } from '#migration/evidence/import-closure.ts'
import { openSourceTree } from '#migration/evidence/source-tree.ts'
import { handlers } from '#native-routes/index.ts'

const root = join(import.meta.dirname, '../..')
const handled = labels.filter((label) => label in handlers)
const maxBytes = 209 * 1024

interface Metafile {
  readonly inputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>
}

let folder: string
let bundle: WorkerBundle
let inputs: readonly string[]
let importsOf: (input: string) => readonly string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfade-bundle-'))
  bundle = await buildWorkerBundle(folder)
  const metafile: Metafile = JSON.parse(await readFile(bundle.metafile, 'utf8'))
  inputs = Object.keys(metafile.inputs)
  importsOf = (input) => metafile.inputs[input]?.imports.map(({ path }) => path) ?? []
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const inputsOf = (pattern: RegExp) => inputs.filter((input) => pattern.test(input))

describe('the Workers bundle', () => {
  it('contains the gateway and its native routes', () => {
    expect(inputsOf(/^gateway\/worker\.ts$/)).toHaveLength(1)
    expect(inputsOf(/^native-routes\/libraries\/create\.ts$/)).toHaveLength(1)
    expect(inputsOf(/node_modules\/postgres\/cf\//).length).toBeGreaterThan(0)
  })

  // The example shows that the pattern matches a file which exists, so that the exclusion can fail.
  it.each([
    ['undici', /node_modules\/undici\//, 'node_modules/undici/index.js'],
    ['the sandbox', /^sandbox\//, 'sandbox/page.ts'],
    ['tests', /^test\//, 'test/architecture/worker-bundle.test.ts'],
    ['the metrics registry for Node', /node_modules\/prom-client\//, 'node_modules/prom-client/index.js'],
    ['the logger for Node', /node_modules\/pino\//, 'node_modules/pino/pino.js'],
    ['the docs page', /node_modules\/swagger-ui-dist\//, 'node_modules/swagger-ui-dist/swagger-ui-bundle.js'],
    [
      'the HTTP server for Node',
      /node_modules\/@hono\/node-server\//,
      'node_modules/@hono/node-server/package.json',
    ],
    ['the listener for Node', /^gateway\/node\/(listener|http-server)\.ts$/, 'gateway/node/http-server.ts'],
    ['the Redis client', /node_modules\/@redis\//, 'node_modules/@redis/client/package.json'],
    [
      'the computation of evidence keys',
      /^migration\/evidence\/(?!embedded-build)/,
      'migration/evidence/own-build.ts',
    ],
    [
      'OpenTelemetry',
      /node_modules\/@opentelemetry\/|tracing-opentelemetry/,
      'node_modules/@opentelemetry/api/package.json',
    ],
    ["the billing provider's client library", /node_modules\/stripe\//, 'node_modules/stripe/package.json'],
    [
      'the client for models',
      /model-chat-completions|node_modules\/eventsource-parser\//,
      'node_modules/eventsource-parser/package.json',
    ],
    ['the job queue', /node_modules\/pg-boss\//, 'node_modules/pg-boss/package.json'],
  ])('excludes %s', (_, pattern, example) => {
    expect(example).toMatch(pattern)
    expect(existsSync(join(root, example))).toBe(true)
    expect(inputsOf(pattern)).toEqual([])
  })

  it('contains no code of a handler that its evidence key does not cover', () => {
    const graph = createImportGraph(openSourceTree())
    const isListOfRoutes = (input: string) => /^contracts\/(?:route-table|registry)\.ts$/.test(input)
    const gaps = handled.flatMap((label) => {
      const { files } = closureOfRoute(graph, label)
      return [...files]
        .flatMap(importsOf)
        .filter((input) => inputs.includes(input) && !input.includes('node_modules/'))
        .filter((input) => !files.has(input) && !isListOfRoutes(input))
        .map((input) => `${label}: ${input}`)
    })
    expect(handled.flatMap((label) => importsOf(handlerFileOf(label))).length).toBeGreaterThan(handled.length)
    expect(gaps).toEqual([])
  })

  it('is smaller than 209 KiB compressed', async () => {
    const compressed = await promisify(gzip)(await readFile(bundle.script))
    expect(compressed.length).toBeGreaterThan(20_000)
    expect(compressed.length).toBeLessThan(maxBytes)
  })
})
