import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { enterRoute, RequestContext } from '#gateway/request/context.ts'
import { jsonResponse } from '#gateway/request/response.ts'
import { createRepeatRule } from '#migration/live/compared-routes.ts'
import { createLiveComparisons } from '#migration/live/live-comparisons.ts'
import { createSampler } from '#migration/live/sample.ts'
import type { ComparisonResult, CopiedResponse } from '#migration/shadow/comparison-tasks.ts'
import { findLabel } from '#test/support/find-label.ts'
import { received } from './received.ts'

const createContext = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
  const context = new RequestContext({
    method,
    target: { path, query: '', isRewritten: false },
    header: (name) => headers[name],
    clientAddress: () => '127.0.0.1',
    bodyBudget: { reserve: () => ({ resize: () => undefined, release: () => undefined }) } as never,
    read: async () => new Uint8Array(),
  })
  const label = findLabel(method, path)
  if (label !== null) enterRoute(context, label)
  return context
}

const byProvider: ComparisonResult = { kind: 'not_comparable', reason: 'provider' }

const open = (
  honoursShadow: '0' | '1' = '0',
  verify = async (): Promise<'token_missing'> => 'token_missing',
  {
    isCanary = false,
    isBusy = false,
    respond = async () => null,
    result = byProvider,
  }: {
    isCanary?: boolean
    isBusy?: boolean
    respond?: () => Promise<CopiedResponse | null>
    result?: ComparisonResult
  } = {},
) => {
  const asked: string[] = []
  const recorder = {
    countCopy: vi.fn(),
    countDrop: vi.fn(),
    record: vi.fn(),
    recordMismatch: vi.fn(),
    recordUsage: vi.fn(),
    close: async () => undefined,
  }
  const compare = vi.fn(async () => result)
  let random = 0
  const comparisons = createLiveComparisons({
    findRoute: (label) => ({
      label,
      evidenceKey: 'key',
      copiesToNative: true,
      asksCore: true,
      isCanary,
      readsBack: rowOf(label).method !== 'GET',
    }),
    createSample: createSampler({
      credentials: { tokens: { verify, peek: () => undefined }, internalToken: undefined },
      secret: 'secret',
    }),
    comparer: { compare, hasCapacity: () => true },
    conclude: async () => undefined,
    recorder,
    requests: { count: () => true },
    budget: { take: () => true },
    mayAsk: () => true,
    mayRepeat: createRepeatRule({ CORE_HONOURS_SHADOW: honoursShadow }),
    askCore: async ({ target }) => {
      asked.push(target)
      return respond()
    },
    rates: {
      attemptsPerSecond: isBusy ? 0 : 1000,
      askedPercent: isBusy ? 0 : 100,
      ownCopiesPerMinute: 3,
      ownAsksPerMinute: 1,
      readBackPercent: 100,
    },
    random: () => {
      random = (random + 0.3) % 1
      return random
    },
  })
  return { comparisons, recorder, compare, asked }
}

const complete = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('after a write', () => {
  const write = async (honoursShadow: '0' | '1') => {
    const { comparisons, asked } = open(honoursShadow)
    const context = createContext('POST', '/v1/packs/pack_1/links')
    context.outcome.runtime = 'native'
    context.outcome.nativeMs = 1
    for (let writes = 0; writes < 20; writes += 1)
      comparisons.sampleNative(context, jsonResponse(201, { slug: 'shared' }), () => received)
    await complete()
    return [...new Set(asked)].sort()
  }

  it("a link's page is not read from a core that records each visit as an event", async () => {
    expect(await write('0')).toEqual(['/v1/packs/pack_1/links'])
  })

  it('every read that would show the write is made at some point', async () => {
    expect(await write('1')).toEqual(['/v1/packs/pack_1/links', '/v1/public/pack-links/shared'])
  })
})

describe('the read after a write', () => {
  const path = '/v1/libraries/lib_1'
  const core = { status: 200, headers: [], body: Buffer.from('{}') }
  const written = jsonResponse(200, { id: 'lib_1', name: 'Tides' })

  const write = async ({ isReplayed = false, next = '', ends = false } = {}) => {
    const respond = async () => {
      await complete()
      return core
    }
    const { comparisons, compare } = open('1', undefined, { respond })
    const sample = (target: string) => {
      const context = createContext('PATCH', target)
      Object.assign(context.outcome, { runtime: 'native', nativeMs: 1, isReplayed })
      comparisons.sampleNative(context, written, () => received)
    }
    const other = createContext('DELETE', path)
    if (ends) comparisons.tapCore('libraries.remove', other, () => received)
    sample(path)
    if (ends) comparisons.untapped('libraries.remove', other, 204)
    if (next !== '') comparisons.tapCore('libraries.remove', createContext('DELETE', next), () => received)
    await vi.waitFor(() => expect(compare).toHaveBeenCalled())
    return compare
  }

  it.each([
    ['nothing was written since', {}],
    ['another resource was written since', { next: '/v1/libraries/lib_2' }],
  ])('is compared with the write if %s', async (_, options) => {
    const compare = await write(options)
    expect(compare).toHaveBeenCalledWith(
      expect.objectContaining({
        write: expect.objectContaining({
          label: 'libraries.update',
          params: { libraryId: 'lib_1' },
          response: expect.objectContaining({ body: Buffer.from(written.body?.toString() ?? '') }),
        }),
      }),
    )
  })

  it.each([
    ['the same client has written to the resource again', { next: path }],
    ['a write to it that the same client began earlier has ended on the core', { ends: true }],
    ['the response is a stored one that was replayed', { isReplayed: true }],
  ])('is not compared with the write if %s', async (_, options) => {
    const compare = await write(options)
    expect(compare).toHaveBeenCalledWith(expect.objectContaining({ write: undefined }))
  })
})

it.each([
  [65_000, ['/v1/tracks']],
  [70_000, []],
])('after a native response of %i characters, the core is asked for %j', async (length, expected) => {
  const { comparisons, asked } = open()
  const context = createContext('GET', '/v1/tracks')
  context.outcome.runtime = 'native'
  context.outcome.nativeMs = 1
  comparisons.sampleNative(context, jsonResponse(200, 'a'.repeat(length)), () => received)
  await complete()
  expect(asked).toEqual(expected)
})

it('the core gets no comparison request if the gateway refused to forward the original', async () => {
  const { comparisons, asked } = open()
  const context = createContext('GET', '/v1/tracks')
  comparisons.sampleNative(context, jsonResponse(503, { error: 'gateway_busy' }), () => received)
  await complete()
  expect(asked).toEqual([])
})

describe('a core response that is not copied', () => {
  it.each([
    ['counts as usage for an ordinary request', {}, 1],
    ['does not count as usage for a conditional request', { 'if-none-match': '"1"' }, 0],
  ])('%s', (_, headers, times) => {
    const { comparisons, recorder } = open()
    comparisons.untapped('tracks.list', createContext('GET', '/v1/tracks', headers), 304)
    expect(recorder.recordUsage).toHaveBeenCalledTimes(times)
  })
})

describe('a copied response', () => {
  const copy = async (verify: () => Promise<'token_missing'>, result?: ComparisonResult) => {
    const { comparisons, recorder, compare } = open('0', verify, result && { result })
    const context = createContext('GET', '/v1/tracks', { authorization: 'Bearer token' })
    const tap = comparisons.tapCore('tracks.list', context, () => received)
    tap?.({ status: 200, headers: [], body: Buffer.from('{}'), timeToHeadMs: 1, durationMs: 1 })
    await complete()
    return { recorder, compare }
  }

  it('is dropped while tokens cannot be verified, because native could not serve the same account', async () => {
    const { recorder, compare } = await copy(async () => {
      throw new ApiError('authentication_unavailable')
    })
    expect(compare).not.toHaveBeenCalled()
    expect(recorder.countDrop).toHaveBeenCalledOnce()
  })

  it.each([
    ['a provider', byProvider, []],
    [
      'a database that failed',
      { kind: 'not_comparable', reason: 'database', shapes: ['body.records one', 'body.unknown one'] },
      ['query none', 'body.records one'],
    ],
  ] as const)('that depends on %s counts as usage with the shapes $2', async (_, result, shapes) => {
    const { recorder } = await copy(async () => 'token_missing', result)
    expect(recorder.recordUsage).toHaveBeenCalledExactlyOnceWith('tracks.list', 200, null, shapes)
  })

  it('is compared without an account if the token is invalid', async () => {
    const { compare } = await copy(async () => 'token_missing')
    expect(compare).toHaveBeenCalledWith(
      expect.objectContaining({ request: expect.objectContaining({ actor: null }) }),
    )
  })
})

describe('while busy routes use up the shared sample', () => {
  const busy = (isCanary: boolean) => open('0', undefined, { isCanary, isBusy: true })

  it("each route's first responses in a minute are still copied", () => {
    const { comparisons } = busy(false)
    const tap = (path: '/v1/tracks' | '/v1/packs') => {
      const label = path === '/v1/tracks' ? 'tracks.list' : 'packs.list'
      return comparisons.tapCore(label, createContext('GET', path), () => received) !== undefined
    }
    expect(Array.from({ length: 5 }, () => tap('/v1/tracks'))).toEqual([true, true, true, false, false])
    expect(tap('/v1/packs')).toBe(true)
  })

  it.each([
    [true, ['/v1/tracks']],
    [false, []],
  ])(
    'the core is asked once if the route is a canary, and otherwise never (canary: %s)',
    async (isCanary, expected) => {
      const { comparisons, asked } = busy(isCanary)
      const context = createContext('GET', '/v1/tracks')
      context.outcome.runtime = 'native'
      context.outcome.nativeMs = 1
      for (let responses = 0; responses < 3; responses += 1)
        comparisons.sampleNative(context, jsonResponse(200, {}), () => received)
      await complete()
      expect(asked).toEqual(expected)
    },
  )
})
