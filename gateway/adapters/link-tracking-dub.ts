import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { DaySpan } from '#db/queries/analytics/engagement-reports.ts'
import type { ClickCount } from '#db/queries/analytics/link-clicks.ts'
import type { LinkRef, LinkTracking } from '#native-routes/link-tracking.ts'
import { dayMs } from '#shared/durations.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'

// Dub groups longer spans by month instead of by day.
const maxSpanDays = 90

const clicks = z.int().min(0)
const Days = z.array(z.object({ start: z.string().regex(/^\d{4}-\d{2}-\d{2}/), clicks }))
const LinkClicks = z.array(z.object({ id: z.string(), clicks }))
const Countries = z.array(z.object({ country: z.string(), clicks }))

const formatDate = (timestamp: number) => new Date(timestamp).toISOString().slice(0, 10)

const splitSpan = ({ from, to }: DaySpan): DaySpan[] => {
  const last = Date.parse(to)
  const spans = []
  for (let first = Date.parse(from); first <= last; first += maxSpanDays * dayMs)
    spans.push({ from: formatDate(first), to: formatDate(Math.min(first + (maxSpanDays - 1) * dayMs, last)) })
  return spans
}

interface ClickResponses {
  readonly days: unknown
  readonly links: unknown
  readonly countries: unknown
}

const sumBy = <K, T extends { readonly clicks: number }>(entries: readonly T[], keyOf: (entry: T) => K) => {
  const sums = new Map<K, number>()
  for (const entry of entries) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0) + entry.clicks)
  return [...sums].filter(([, sum]) => sum > 0)
}

const extractLinkId = (ref: LinkRef) => ref.slice(ref.indexOf(':') + 1)

const noGroup = { day: null, linkId: null, country: null }

const readClickCounts = (
  { days, links, countries }: ClickResponses,
  refOf: ReadonlyMap<string, LinkRef>,
): ClickCount[] => {
  const knownLinks = LinkClicks.parse(links).flatMap(({ id, clicks }) => {
    const ref = refOf.get(id)
    return ref === undefined ? [] : [{ linkId: extractLinkId(ref), clicks }]
  })
  return [
    ...sumBy(Days.parse(days), ({ start }) => start.slice(0, 10)).map(
      ([day, clicks]) => ({ ...noGroup, by: 'day', day, clicks }) as const,
    ),
    ...sumBy(knownLinks, ({ linkId }) => linkId).map(
      ([linkId, clicks]) => ({ ...noGroup, by: 'link', linkId, clicks }) as const,
    ),
    ...sumBy(Countries.parse(countries), ({ country }) => (/^[A-Z]{2}$/.test(country) ? country : null)).map(
      ([country, clicks]) => ({ ...noGroup, by: 'country', country, clicks }) as const,
    ),
  ]
}

export interface DubOptions {
  readonly apiKey: string
  readonly apiBase: string | undefined
}

interface DubRequest {
  readonly method?: 'POST' | 'PATCH'
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly signal: AbortSignal
}

/** Has only the status, because the text may quote the request. */
class LinkProviderError extends Error {
  override name = 'LinkProviderError'
  readonly status: number
  constructor(status: number) {
    super(`the link provider returned status ${status}`)
    this.status = status
  }
}

/** Calls return the parsed body or null, and throw unless the status is 2xx. */
export const createDubClient = (options: DubOptions) => {
  const { apiBase = 'https://api.dub.co' } = options
  const base = apiBase.replace(/\/+$/, '')
  return async (path: string, { method, query, body, signal }: DubRequest): Promise<unknown> => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const response = await fetchTraced('link provider', base + path + search, {
      method: method ?? 'GET',
      headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would send the API key to a different host, so it throws below.
      redirect: 'manual',
      signal,
    })
    const text = await response.text()
    if (!response.ok) throw new LinkProviderError(response.status)
    return text === '' ? null : JSON.parse(text)
  }
}

interface DubLinkOptions extends DubOptions {
  readonly appOrigin: () => string
}

type DubLink = Parameters<LinkTracking['create']>[0]

const timeoutMs = 2000
const pageSize = 100

const keyBytes = 16

// A short link opens whatever its share token opens, but Dub's own keys have only seven characters and can be guessed.
// Hexadecimal, because Dub ignores the case of keys.
const createKey = () => randomBytes(keyBytes).toString('hex')

const SavedLink = (key: string) => z.object({ key: z.literal(key) })
const Links = z.array(z.object({ id: z.string(), externalId: z.string().nullish() }))

/** Dub learns only a reference to the link, its owner as a tenant id, its key and its target. */
export const createDubLinks = (options: DubLinkOptions): LinkTracking => {
  const call = createDubClient(options)
  const createTargetUrl = ({ path }: DubLink) => new URL(path, options.appOrigin()).href

  const save = async (method: 'POST' | 'PATCH', path: string, link: object, signal: AbortSignal) => {
    const key = createKey()
    SavedLink(key).parse(await call(path, { method, body: { ...link, key }, signal }))
  }

  const create = (link: DubLink, signal: AbortSignal) =>
    save(
      'POST',
      '/links',
      { url: createTargetUrl(link), externalId: link.ref, tenantId: link.ownerId },
      signal,
    )

  const listPage = async (tenantId: string, range: Readonly<Record<string, string>>, signal: AbortSignal) =>
    Links.parse(await call('/links', { query: { tenantId, showArchived: 'true', ...range }, signal }))

  const hasLinks = async (tenantId: string, signal: AbortSignal) =>
    (await listPage(tenantId, { pageSize: '1' }, signal)).length > 0

  const listLinks = async (tenantId: string, signal: AbortSignal) => {
    const size = { pageSize: String(pageSize) }
    const links: z.output<typeof Links> = []
    for (let last: string | undefined; ; ) {
      const page = await listPage(
        tenantId,
        last === undefined ? size : { ...size, startingAfter: last },
        signal,
      )
      links.push(...page)
      last = page.at(-1)?.id
      if (page.length < pageSize) return links
    }
  }

  const queryClicks = (
    groupBy: string,
    filter: object,
    { from, to }: { from: string; to: string },
    signal: AbortSignal,
  ) =>
    call('/analytics', {
      query: {
        event: 'clicks',
        groupBy,
        ...filter,
        start: `${from}T00:00:00.000Z`,
        end: `${to}T23:59:59.999Z`,
        timezone: 'UTC',
      },
      signal,
    })

  return {
    create: (link) => create(link, AbortSignal.timeout(timeoutMs)),

    async reset(link) {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const path = `/links/${encodeURIComponent(`ext_${link.ref}`)}`
        await save('PATCH', path, { url: createTargetUrl(link) }, signal)
      } catch (error) {
        // The link was created while Dub was down or not configured.
        if (!(error instanceof LinkProviderError) || error.status !== 404) throw error
        await create(link, signal)
      }
    },

    async countClicks(ownerId, refs, span) {
      const signal = AbortSignal.timeout(timeoutMs)
      const countByDay = async (filter: object) =>
        (
          await Promise.all(splitSpan(span).map((part) => queryClicks('timeseries', filter, part, signal)))
        ).flat()
      if (refs === null) {
        const days = await countByDay({ tenantId: ownerId })
        const counts = readClickCounts({ days, links: [], countries: [] }, new Map())
        return counts.length > 0 || (await hasLinks(ownerId, signal)) ? counts : null
      }

      const wanted = new Map(refs.map((ref) => [String(ref), ref]))
      const known = new Map(
        (await listLinks(ownerId, signal)).flatMap(({ id, externalId }) => {
          const ref = wanted.get(externalId ?? '')
          return ref === undefined ? [] : [[id, ref] as const]
        }),
      )
      if (known.size === 0) return null
      const filter = { linkId: [...known.keys()].join() }
      const [days, links, countries] = await Promise.all([
        countByDay(filter),
        queryClicks('top_links', filter, span, signal),
        queryClicks('countries', filter, span, signal),
      ])
      return readClickCounts({ days, links, countries }, known)
    },
  }
}
