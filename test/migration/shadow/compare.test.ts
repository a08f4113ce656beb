import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { isResponseShape } from '#migration/model/gate/response-shapes.ts'
import type { CopiedResponse } from '#migration/shadow/comparison-tasks.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import {
  copied,
  describeResult,
  fetchAsCore,
  openComparer,
  parseJson,
  shadowedRequest,
} from './comparer-fixtures.ts'
import { createTargets, insertShared } from './shadow-fixtures.ts'

const reads = labels.filter(
  (label) => rowOf(label).method === 'GET' && handlers[label] && !label.startsWith('internal.'),
)
const nativeLabels = reads.filter((label) => rowOf(label).runtime === 'proxy')

describe('the comparison of a shadowed request', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({
    nativeLabels,
    environment: { RATE_LIMIT_ACCESS_CODES: 'off', RATE_LIMIT_PUBLIC_READS: 'off' },
  })
  const { compare, log, pid } = openComparer(gateway)
  let shared: Awaited<ReturnType<typeof insertShared>>
  beforeAll(async () => {
    shared = await insertShared(gateway)
  })

  it.each(reads)('finds no difference if the core returns the same as native for %s', async (label) => {
    const { path, auth } = rowOf(label)
    for (const account of auth === 'public' ? [null] : [shared.owner, null])
      for (const target of createTargets(path, shared)) {
        const core = await fetchAsCore(gateway, target, account)
        const result = await compare({
          kind: 'shadow',
          label,
          request: shadowedRequest(target, account),
          core,
        })
        expect(result, target).toEqual({
          kind: 'compared',
          class: 'equal',
          differences: [],
          shapes: expect.toSatisfy((found: readonly string[]) =>
            found.every((shape) => isResponseShape(label, shape)),
          ),
        })
      }
  })

  const readLibrary = async (change: (core: CopiedResponse) => CopiedResponse) => {
    const target = `/v1/libraries/${shared.libraryId}`
    const core = await fetchAsCore(gateway, target, shared.owner)
    return compare({
      kind: 'shadow',
      label: 'libraries.detail',
      request: shadowedRequest(target, shared.owner),
      core: change(core),
    })
  }
  const renamed = (core: CopiedResponse) => ({ ...parseJson(core), name: 'Renamed' })
  const difference = ['value at body.name, regression']

  it('finds a difference if the core returns a different body', async () => {
    const result = await readLibrary((core) => copied(200, renamed(core)))
    expect(describeResult(result)).toEqual(difference)
    expect(JSON.stringify(result)).not.toContain('Renamed')
  })

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['deflate, gzip', (body: string) => gzipSync(deflateSync(body))],
    ['identity', Buffer.from],
  ])('reads a body with the encoding %s', async (encoding, encode: (body: string) => Buffer) => {
    const result = await readLibrary((core) =>
      copied(200, encode(JSON.stringify(renamed(core))), { 'content-encoding': encoding }),
    )
    expect(describeResult(result)).toEqual(difference)
  })

  it('finds a read that contradicts a write, without showing values', async () => {
    const target = `/v1/libraries/${shared.libraryId}`
    const core = await fetchAsCore(gateway, target, shared.owner)
    const compareWrite = (response: CopiedResponse, request: object) =>
      compare({
        kind: 'shadow',
        label: 'libraries.detail',
        request: shadowedRequest(target, shared.owner),
        core,
        write: {
          label: 'libraries.update',
          params: { libraryId: shared.libraryId },
          request: Buffer.from(JSON.stringify(request)),
          response,
        },
      })
    const { name } = parseJson(core)
    const [correct, wrong] = [
      await compareWrite(core, { name }),
      await compareWrite(core, { name: 'Renamed' }),
    ]
    expect(describeResult(correct)).toEqual([])
    expect(describeResult(wrong)).toEqual(['effect at body.name, regression'])
    expect(describeResult(await compareWrite(copied(200, renamed(core)), { name }))).toEqual(
      describeResult(wrong),
    )
    expect(JSON.stringify(wrong)).not.toContain('Renamed')
  })

  const tooLong = 1024 * 1024 + 1
  it.each([
    ['is too long', 'body_too_long', 'identity', Buffer.alloc(tooLong, ' ')],
    ['is too long when it is decoded', 'body_too_long', 'gzip', gzipSync(Buffer.alloc(tooLong, ' '))],
    ['expands a thousand times, twice', 'body_too_long', 'gzip, gzip', gzipSync(gzipSync(Buffer.alloc(1e8)))],
    ['is not encoded as stated', 'body_encoding', 'br', Buffer.from('{}')],
    ['was truncated', 'body_encoding', 'gzip', gzipSync('{"a":1}').subarray(0, 15)],
    ['has an unknown encoding', 'body_encoding', 'zstd', Buffer.from('{}')],
  ])("is impossible if the core's body %s", async (_, reason, encoding, body) => {
    const result = await readLibrary(() => copied(200, body, { 'content-encoding': encoding }))
    expect(result).toEqual({ kind: 'not_comparable', reason })
  })

  it('is impossible if the core does not split the list into pages', async () => {
    const target = '/v1/libraries'
    const core = await fetchAsCore(gateway, target, shared.owner)
    const request = shadowedRequest(`${target}?limit=1`, shared.owner)
    const result = await compare({ kind: 'shadow', label: 'libraries.list', request, core })
    expect(result).toEqual({ kind: 'not_comparable', reason: 'not_paged' })
  })

  it('is impossible if the core returns 429 or is unavailable', async () => {
    const results = await Promise.all(
      [429, 503].map((status) => readLibrary(() => copied(status, { error: 'rate_limited' }))),
    )
    expect(results.map((result) => 'reason' in result && result.reason)).toEqual([
      'rate_limited',
      'core_unavailable',
    ])
  })

  it('confirms a difference that persists, but not one that has passed', async () => {
    const target = `/v1/libraries/${shared.libraryId}`
    const core = await fetchAsCore(gateway, target, shared.owner)
    const label = 'libraries.detail'
    const wrong = copied(200, renamed(core))
    for (const [id, after, paths] of [
      ['persists', wrong, ['body.name']],
      ['has passed', core, []],
    ] as const) {
      const request = shadowedRequest(target, shared.owner)
      expect(await compare({ kind: 'keep-native', id, label, request })).toEqual({ kind: 'kept' })
      const result = await compare({ kind: 'confirm', id, label, before: wrong, after, first: null })
      const differences = 'differences' in result ? result.differences : []
      expect([result.kind, differences.map(({ path }) => path)]).toEqual(['confirmed', paths])
    }
  })

  it('runs in one process, which does not fail', () => {
    expect(pid()).toEqual(expect.any(Number))
    expect(log.lines).toEqual([])
  })

  it("also works if native's response is given", async () => {
    const target = `/v1/libraries/${shared.libraryId}`
    const core = await fetchAsCore(gateway, target, shared.owner)
    const native = { ...core, headers: [...core.headers, 'Cache-Control', 'no-store'] }
    const task = { kind: 'compare', label: 'libraries.detail', request: shadowedRequest(target) } as const
    expect(await compare({ ...task, native, core })).toMatchObject({ kind: 'compared', class: 'equal' })
    const changed = { ...native, body: Buffer.from(JSON.stringify(renamed(core))) }
    expect(describeResult(await compare({ ...task, native: changed, core }))).toEqual(difference)
  })
})
