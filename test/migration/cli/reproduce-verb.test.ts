import { describe, expect, it } from 'vitest'
import { reproduce } from '#migration/cli/reproduce-verb.ts'
import type { Send } from '#migration/cli/verb.ts'

const mismatch = (signature: string, path: string) => ({
  signature,
  kind: 'value',
  path,
  class: 'regression',
  count: 3,
  exampleNative: 'string #0123456789',
  exampleCore: 'string #abcdef0123',
  requestIds: ['req_1'],
})

const mismatches = [
  mismatch('1111111111111111', 'body.title'),
  mismatch('2222222222222222', 'body.artist'),
  mismatch('2222222222222233', 'body.isrc'),
  mismatch('2222222222333333', 'body.iswc'),
]

const run = (args: readonly string[], evidence: unknown) => {
  const requests: string[] = []
  const send: Send = async (schema, method, path) => {
    requests.push(`${method} ${path}`)
    return schema.parse(evidence)
  }
  return Promise.resolve(reproduce.run(args, send)).then((result) => ({ ...result, requests }))
}

describe('routes reproduce', () => {
  it("prints a mismatch's scenario, and with --json also the file it belongs in", async () => {
    const args = ['tracks.detail', '2222222222222222', '--json']
    const { json, text, requests } = await run(args, { label: 'tracks.detail', mismatches })
    expect(requests).toEqual(['GET /api/routes/tracks.detail/evidence'])
    expect(text).toContain("agrees with the core on body.artist (value: native string, core string)'")
    expect(json).toEqual({
      label: 'tracks.detail',
      signature: '2222222222222222',
      file: 'test/scenarios/tracks.detail.2222222222222222.ts',
      scenario: text,
    })
  })

  it('names the nearest signatures if the signature is unknown', async () => {
    await expect(
      run(['tracks.detail', '222222222222222'], { label: 'tracks.detail', mismatches }),
    ).rejects.toMatchObject({
      exitCode: 1,
      message:
        'tracks.detail has no mismatch with the signature 222222222222222. Closest: 2222222222222222 (value at body.artist), 2222222222222233 (value at body.isrc), 2222222222333333 (value at body.iswc)',
      body: { error: 'signature_unknown' },
    })
  })

  it('says that a route has no mismatches, even if the response does not contain a list of them', async () => {
    for (const evidence of [{ label: 'tracks.list' }, { label: 'tracks.list', mismatches: [] }])
      await expect(run(['tracks.list', '1'], evidence)).rejects.toMatchObject({
        exitCode: 1,
        message: 'tracks.list has no mismatch with the signature 1. It has no mismatches at all.',
      })
  })

  it('rejects a route that is not a GET', async () => {
    await expect(
      run(['tracks.create', '1111111111111111'], { label: 'tracks.create', mismatches }),
    ).rejects.toMatchObject({ exitCode: 1, body: { error: 'route_not_reproducible' } })
  })

  it('requires a label and a signature', async () => {
    await expect(run(['tracks.list'], {})).rejects.toMatchObject({ exitCode: 2 })
  })

  it('rejects a signature that is a path', async () => {
    const evidence = { label: 'tracks.list', mismatches: [mismatch('../../x', 'body')] }
    await expect(run(['tracks.list', '../../x'], evidence)).rejects.toThrow()
  })
})
