import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { bundleWorker, type WorkerBundle } from '#dev/worker/bundle-worker.ts'
import { closureOfRoute, handlerFileOf } from '#migration/evidence-keys/evidence-key.ts'
import { createImportGraph } from '#migration/evidence-keys/import-closure.ts'
import { openSourceTree } from '#migration/evidence-keys/source-tree.ts'
import { handlers } from '#native-routes/index.ts'
import { itThoroughly } from '#test/support/count-cases.ts'

const root = join(import.meta.dirname, '../..')
const handled = labels.filter((label) => label in handlers)
const maxStartBytes = 152 * 1024
const maxTotalBytes = 232 * 1024

let bundle: WorkerBundle
let inputs: readonly string[]
let importsOf: (input: string) => readonly string[]

beforeAll(async () => {
  bundle = await bundleWorker()
  const { metafile } = bundle
  inputs = Object.keys(metafile.inputs)
  importsOf = (input) => metafile.inputs[input]?.imports.map(({ path }) => path) ?? []
}, 60_000)

const outputOf = (name: string) => bundle.metafile.outputs[`dist/worker/${name}`]

/**
 * Lists the modules that the runtime evaluates before the first request: the entry and everything it imports
 * statically.
 */
const listStartModules = () => {
  const names = new Set<string>()
  const nameOf = (path: string) => path.replace(/^.*\//, '')
  const add = (name: string) => {
    if (names.has(name)) return
    names.add(name)
    for (const { path, kind, external } of outputOf(name)?.imports ?? [])
      if (kind === 'import-statement' && !external) add(nameOf(path))
  }
  add('worker.js')
  return bundle.modules.filter(({ name }) => names.has(name))
}

const compress = promisify(gzip)
const measure = async (modules: WorkerBundle['modules']) => {
  const compressed = await Promise.all(modules.map(({ contents }) => compress(contents)))
  return compressed.reduce((total, { length }) => total + length, 0)
}

/** Runs `wrangler deploy` without uploading, and reads what it would upload. */
const deployInto = async (folder: string) => {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  const options = ['--env', 'production', '--dry-run', '--outdir', folder]
  await promisify(execFile)(process.execPath, [wrangler, 'deploy', ...options], {
    cwd: root,
    env: {
      ...process.env,
      // The build command in wrangler.toml runs `node`, which has to be the Node that runs this test.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_LOG_PATH: folder,
    },
  })
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  return Promise.all(
    names.map(async (name) => ({ name, contents: await readFile(join(folder, name), 'utf8') })),
  )
}

const inputsOf = (pattern: RegExp) => inputs.filter((input) => pattern.test(input))

describe('the Workers bundle', () => {
  it('contains the gateway and its native routes', () => {
    expect(inputsOf(/^bin\/worker\.ts$/)).toHaveLength(1)
    expect(inputsOf(/^native-routes\/libraries\/create\.ts$/)).toHaveLength(1)
    expect(inputsOf(/node_modules\/postgres\/cf\//).length).toBeGreaterThan(0)
  })

  // The example proves that the pattern matches an existing file, so the check can fail.
  it.each([
    ['undici', /node_modules\/undici\//, 'node_modules/undici/index.js'],
    ['the sandbox', /^dev\//, 'dev/sandbox/page.ts'],
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
      /^migration\/evidence-keys\/(?!embedded-build)/,
      'migration/evidence-keys/own-build.ts',
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

  it("contains no handler code that is missing from the handler's evidence key", () => {
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

  it('evaluates no handler before its first request', () => {
    const loaded = listStartModules().flatMap(({ name }) => Object.keys(outputOf(name)?.inputs ?? {}))
    expect(loaded).toContain('bin/worker.ts')
    expect(handled.map(handlerFileOf).filter((file) => loaded.includes(file))).toEqual([])
  })

  it('evaluates less than 152 KiB before its first request and contains less than 232 KiB, both compressed', async () => {
    const start = listStartModules()
    expect(start.length).toBeLessThan(bundle.modules.length)
    expect(await measure(start)).toBeGreaterThan(50_000)
    expect(await measure(start)).toBeLessThan(maxStartBytes)
    expect(await measure(bundle.modules)).toBeLessThan(maxTotalBytes)
  })

  itThoroughly('matches what wrangler uploads', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-bundle-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
    expect((await deployInto(folder)).sort(byName)).toEqual([...bundle.modules].sort(byName))
  })
})
