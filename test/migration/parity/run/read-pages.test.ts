import { describe, expect, it } from 'vitest'
import { isResponse, type RecordedResponse } from '#migration/diff/recorded-response.ts'
import { type PageSize, readPages } from '#migration/parity/run/read-pages.ts'
import type { ScenarioRequest } from '#migration/parity/run/scenario.ts'
import { listQueryPairs } from '#migration/parity/run/side.ts'

const respond = (value: unknown, runtime = 'native'): RecordedResponse => ({
  status: 200,
  headers: { 'x-service-core-runtime': runtime },
  body: { kind: 'json', value },
})

interface ServerOptions {
  readonly count: number
  /** Added to the size of each page and to the next cursor's position. */
  readonly extra?: number
  readonly skipped?: number
  readonly isPaged?: (found: number, limit: number) => boolean
  readonly defaultSize?: number
}

/** Serves the numbers from 0 to `count - 1` in pages. */
const createServer =
  ({
    count,
    extra = 0,
    skipped = 0,
    isPaged = (found, limit) => found > limit,
    defaultSize = 100,
  }: ServerOptions) =>
  async (request: ScenarioRequest) => {
    const query = new Map(listQueryPairs(request))
    const from = Number(query.get('cursor') ?? 0)
    const limit = Number(query.get('limit') ?? defaultSize) + extra
    const found = Array.from({ length: count - from }, (_, index) => from + index)
    const nextCursor = isPaged(found.length, limit) ? String(from + limit + skipped) : null
    return respond({ scope: query.get('scope'), records: found.slice(0, limit), nextCursor })
  }

const read = async (send: (request: ScenarioRequest) => Promise<RecordedResponse>, size: PageSize) => {
  const response = await readPages({ query: { scope: 'mine' } }, size, send)
  if (!isResponse(response)) throw new Error('there is no response')
  const { body } = response
  return body.kind === 'json' ? body.value : body
}

const readWhole = (options: ServerOptions, size: PageSize) => read(createServer(options), size)

describe('the pages of a list', () => {
  it.each([1, 2, 3, 4, 5] as const)('of %d records each add up to the whole list', async (size) => {
    const records = [0, 1, 2, 3]
    expect(await readWhole({ count: 4 }, size)).toEqual({ scope: 'mine', records, nextCursor: null })
  })

  it('must have the default size if no limit is given', async () => {
    expect(await readWhole({ count: 102 }, 'default')).toMatchObject({ nextCursor: null })
    expect(await readWhole({ count: 102, defaultSize: 99 }, 'default')).toEqual({
      kind: 'text',
      text: 'page 2 has 99 records instead of 100',
    })
  })

  it.each<[string, ServerOptions, string]>([
    ['one is too large', { count: 4, extra: 1 }, 'page 1 has 3 records instead of 2'],
    ['one is too small', { count: 4, extra: -1 }, 'page 1 has 1 records instead of 2'],
    ['the last one is too large', { count: 3, extra: 1 }, 'page 1 has 3 records, more than 2'],
    ['one is empty', { count: 4, isPaged: (found, limit) => found >= limit }, 'page 3 is empty'],
    ['there is no last one', { count: 400, skipped: -2 }, 'there are more than 100 pages'],
  ])('do not match the contract if %s', async (_, options, text) => {
    expect(await readWhole(options, 2)).toEqual({ kind: 'text', text })
  })

  it('lack a record if a cursor skips it', async () => {
    expect(await readWhole({ count: 5, skipped: 1 }, 2)).toMatchObject({ records: [0, 1, 3, 4] })
  })
})

describe('a list without pages', () => {
  const whole = { records: [1, 2, 3] }

  it('is accepted from the core', async () => {
    expect(await read(async () => respond(whole, 'proxy'), 2)).toEqual(whole)
  })

  it('is a fault if it comes from native', async () => {
    expect(await read(async () => respond(whole), 2)).toEqual({ kind: 'text', text: 'the list is not paged' })
  })
})

it('if any page returns an error, readPages returns that error instead of the list', async () => {
  const denied: RecordedResponse = { status: 404, headers: {}, body: { kind: 'empty' } }
  expect(await readPages({}, 2, async () => denied)).toBe(denied)
})
