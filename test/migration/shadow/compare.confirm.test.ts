import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { FirstComparison } from '#migration/diff/compare-live.ts'
import type { CopiedResponse } from '#migration/shadow/comparison-tasks.ts'
import { KeptResponses } from '#migration/shadow/run-comparison.ts'
import { createLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { copied, fetchAsCore, openComparer, parseJson, shadowedRequest } from './comparer-fixtures.ts'

describe('the confirmation of a difference', { timeout: 60_000 }, () => {
  const gateway = startTestGateway()
  const { compare, log } = openComparer(gateway)
  let library: { readonly target: string; readonly core: CopiedResponse }
  let request: ReturnType<typeof shadowedRequest>
  beforeAll(async () => {
    const owner = await gateway.signUp()
    const { id } = await createLibrary(owner)
    const target = `/v1/libraries/${id}`
    library = { target, core: await fetchAsCore(gateway, target, owner) }
    request = shadowedRequest(target, owner)
  })

  const label = 'libraries.detail'
  const change = (fields: object) => copied(200, { ...parseJson(library.core), ...fields })
  const keep = (id: string) => compare({ kind: 'keep-native', id, label, request })
  const confirm = (
    id: string,
    before: CopiedResponse,
    after: CopiedResponse,
    first: FirstComparison<CopiedResponse> | null = null,
  ) => compare({ kind: 'confirm', id, label, before, after, first })

  it.each([
    ['persists', change, change, ['value body.trackCount', 'value body.shareCount']],
    ['has passed', change, () => library.core, []],
    [
      'persists at one of two locations',
      change,
      (fields: object) => change({ ...fields, shareCount: 8 }),
      ['value body.trackCount'],
    ],
  ] as const)('returns the differences that remain if one %s', async (id, before, after, expected) => {
    const wrong = { trackCount: 7, shareCount: 7 }
    expect(await keep(id)).toEqual({ kind: 'kept' })
    const result = await confirm(id, before(wrong), after(wrong))
    if (result.kind !== 'confirmed') throw new Error(JSON.stringify(result))
    expect(result.differences.map(({ kind, path }) => `${kind} ${path}`)).toEqual(expected)
    const shadowed = await compare({ kind: 'shadow', label, request, core: change(wrong) })
    const found = 'differences' in shadowed ? shadowed.differences.map(({ signature }) => signature) : []
    expect(found).toEqual(expect.arrayContaining(result.differences.map(({ signature }) => signature)))
  })

  it('returns a difference that native showed only once, if the core responded the same before and after', async () => {
    const { core } = library
    const wrongOnce = { kind: 'compare', label, request, native: change({ trackCount: 7 }), core } as const
    const found = await compare(wrongOnce)
    if (found.kind !== 'compared') throw new Error(JSON.stringify(found))
    const differences = found.differences.filter((difference) => difference.path === 'body.trackCount')
    expect(differences).toHaveLength(1)
    const persisting = differences.map(({ signature }) => expect.objectContaining({ signature }))
    for (const [firstCore, expected] of [
      [core, persisting],
      [change({ trackCount: 8 }), []],
    ] as const) {
      await keep('once')
      const first = { core: firstCore, differences }
      expect(await confirm('once', core, core, first)).toMatchObject({ differences: expected })
    }
  })

  it("is impossible without native's stored response, which can be used only once", async () => {
    await keep('used')
    expect(await confirm('used', library.core, library.core)).toMatchObject({ kind: 'confirmed' })
    for (const id of ['used', 'unknown'])
      expect(await confirm(id, library.core, library.core)).toEqual({
        kind: 'not_comparable',
        reason: 'not_kept',
      })
  })

  it('is impossible if the core returns 429 or becomes unavailable in the meantime', async () => {
    for (const [status, reason] of [
      [429, 'rate_limited'],
      [502, 'core_unavailable'],
    ] as const) {
      const failed = copied(status, { error: 'x' })
      await keep('before')
      await keep('after')
      expect(await confirm('before', failed, library.core)).toEqual({ kind: 'not_comparable', reason })
      expect(await confirm('after', library.core, failed)).toEqual({ kind: 'not_comparable', reason })
    }
  })

  it('is impossible if native returned no response', async () => {
    const none = { ...shadowedRequest('/v1/libraries/id'), method: 'POST' }
    const task = { kind: 'keep-native', id: 'none', label, request: none } as const
    expect(await compare(task)).toEqual({ kind: 'not_comparable', reason: 'no_read' })
    expect(await confirm('none', library.core, library.core)).toMatchObject({ reason: 'not_kept' })
    expect(log.lines).toEqual([])
  })
})

describe('the kept responses', () => {
  it('are the newest sixteen, each usable once within ten seconds', () => {
    vi.useFakeTimers()
    try {
      const kept = new KeptResponses<number>()
      for (let value = 0; value < 20; value++) kept.keep(`id ${value}`, value)
      expect([3, 4].map((value) => kept.take(`id ${value}`))).toEqual([null, 4])
      expect(kept.take('id 4')).toBeNull()
      vi.advanceTimersByTime(9000)
      kept.keep('id 5', 55)
      vi.advanceTimersByTime(1000)
      expect([5, 6].map((value) => kept.take(`id ${value}`))).toEqual([55, null])
    } finally {
      vi.useRealTimers()
    }
  })
})
