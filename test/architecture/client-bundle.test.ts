import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundleModule } from '../packages/client/bundle.ts'

const maxBytes = 15 * 1024

describe('the bundled client', () => {
  it(`is at most ${maxBytes / 1024} KiB when compressed`, async () => {
    const { text } = await bundleModule(`export * from '#client/index.ts'`)
    const { byteLength } = await promisify(gzip)(text)
    expect(byteLength).toBeGreaterThan(4000)
    expect(byteLength).toBeLessThan(maxBytes)
  })

  it('contains only its own files and openapi-fetch, and imports nothing else', async () => {
    const { metafile } = await bundleModule(`export * from '#client/index.ts'`)
    const inputs = Object.keys(metafile.inputs).filter((input) => input !== '<stdin>')
    expect(inputs).toContain('packages/client/src/send.ts')
    expect(
      inputs.filter((input) => !/^(?:packages\/client\/src|node_modules\/openapi-fetch)\//.test(input)),
    ).toEqual([])
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
    expect(imported).toEqual([])
  })

  it('leaves out helpers that an application does not import', async () => {
    const { text } = await bundleModule(`export { createClient } from '#client/index.ts'`)
    expect(text).toContain('idempotency-key')
    expect(text).not.toContain('XMLHttpRequest')
  })
})
