import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWorkerBundle, type WorkerBundle } from '#test/support/worker-bundle.ts'

const largestBytes = 210 * 1024

let folder: string
let bundle: WorkerBundle
let inputs: readonly string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfade-bundle-'))
  bundle = await buildWorkerBundle(folder)
  inputs = Object.keys(JSON.parse(await readFile(bundle.metafile, 'utf8')).inputs)
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const inputsOf = (place: RegExp) => inputs.filter((input) => place.test(input))

describe('the Workers bundle', () => {
  it('holds the gateway and its native routes', () => {
    expect(inputsOf(/^gateway\/worker\.ts$/)).toHaveLength(1)
    expect(inputsOf(/^native-routes\/libraries\/create\.ts$/)).toHaveLength(1)
    expect(inputsOf(/node_modules\/postgres\/cf\//).length).toBeGreaterThan(0)
  })

  it.each([
    ['undici', /node_modules\/undici\//],
    ['the sandbox', /^sandbox\//],
    ['tests', /^test\//],
    ['the log of Node', /node_modules\/pino\//],
    ['the reader of the docs page', /node_modules\/@scalar\//],
    ['the HTTP server of Node', /node_modules\/@hono\/node-server\//],
    ['jobs', /node_modules\/pg-boss\//],
  ])('holds nothing of %s', (_, place) => {
    expect(inputsOf(place)).toEqual([])
  })

  it('stays under 210 KiB compressed', async () => {
    const compressed = await promisify(gzip)(await readFile(bundle.script))
    expect(compressed.length).toBeGreaterThan(20_000)
    expect(compressed.length).toBeLessThan(largestBytes)
  })
})
