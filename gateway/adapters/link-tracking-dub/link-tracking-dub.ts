import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { LinkTracking } from '#native-routes/link-tracking.ts'
import { readClickCounts, splitSpan } from './clicks.ts'
import { createDubClient, type DubOptions, LinkProviderError } from './client.ts'

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

  const listLinks = async (tenantId: string, signal: AbortSignal) => {
    const baseQuery = { tenantId, showArchived: 'true', pageSize: String(pageSize) }
    const links: z.output<typeof Links> = []
    for (let last: string | undefined; ; ) {
      const query = last === undefined ? baseQuery : { ...baseQuery, startingAfter: last }
      const page = Links.parse(await call('/links', { query, signal }))
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
      if (refs === null)
        return readClickCounts(
          { days: await countByDay({ tenantId: ownerId }), links: [], countries: [] },
          new Map(),
        )

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
